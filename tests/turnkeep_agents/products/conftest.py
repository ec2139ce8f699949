from collections.abc import Callable

import pytest

from agent_thread import Thread
from scripted_model import ScriptedModel
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep_agents.products.catalogue.products import Catalogue, open_catalogue
from turnkeep_agents.products.graph import compile_graph
from turnkeep_agents.products.nodes import Nodes
from turnkeep_agents.products.reading import reading_call
from turnkeep_agents.products.settings import ProductsSettings

type Start = Callable[..., Thread]


@pytest.fixture(scope="session")
def bundled() -> Catalogue:
    return open_catalogue(None)


@pytest.fixture
def start(bundled: Catalogue, script: ScriptedModel, context: RunContext) -> Start:
    """A thread whose model follows the script, with other tuning numbers where a test gives them."""

    def begin(**tuning: object) -> Thread:
        models, own = Models(script, script, "openai", "m"), ProductsSettings.model_validate(tuning)
        return Thread(compile_graph(Nodes(models, bundled, reading_call(bundled), own)), context, script)

    return begin


@pytest.fixture
def talk(start: Start) -> Thread:
    return start()
