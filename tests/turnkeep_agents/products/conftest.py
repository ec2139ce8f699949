import pytest
from product_talk import Start, Talk

from scripted_model import ScriptedModel
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep_agents.products.catalogue.products import Catalogue, open_catalogue
from turnkeep_agents.products.graph import compile_graph
from turnkeep_agents.products.nodes import Nodes
from turnkeep_agents.products.reading import reading_call
from turnkeep_agents.products.settings import ProductsSettings


@pytest.fixture(scope="session")
def bundled() -> Catalogue:
    return open_catalogue(None)


@pytest.fixture
def start(bundled: Catalogue, script: ScriptedModel, context: RunContext) -> Start:
    """A thread whose model follows the script, with other tuning numbers where a test gives them."""

    def begin(**tuning: object) -> Talk:
        models, own = Models(script, script, "openai", "m"), ProductsSettings.model_validate(tuning)
        return Talk(compile_graph(Nodes(models, bundled, reading_call(bundled), own)), context)

    return begin


@pytest.fixture
def talk(start: Start) -> Talk:
    return start()
