from collections.abc import Callable

import pytest
from product_talk import Talk

from turnkeep_agents.products.catalogue.products import Catalogue, open_catalogue
from turnkeep_agents.products.demo import demo_rules
from turnkeep_agents.products.graph import compile_graph
from turnkeep_agents.products.nodes import Nodes
from turnkeep_agents.products.search import Finder
from turnkeep.models.chat import chat_models
from turnkeep.records import RunContext
from turnkeep.settings import Settings
from turnkeep_agents.products.settings import ProductsSettings

type Start = Callable[..., Talk]


@pytest.fixture(scope="session")
def bundled() -> Catalogue:
    return open_catalogue(None)


@pytest.fixture
def start(bundled: Catalogue, context: RunContext) -> Start:
    """A thread with the demo model, with other tuning numbers where a test gives them."""

    def begin(**tuning: object) -> Talk:
        models = chat_models(Settings(model="demo"), demo_rules(bundled))
        numbers = ProductsSettings.model_validate(tuning)
        return Talk(compile_graph(Nodes(models, bundled, Finder(bundled, numbers.top_k), numbers)), context)

    return begin


@pytest.fixture
def talk(start: Start) -> Talk:
    return start()
