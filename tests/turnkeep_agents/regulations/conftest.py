from collections.abc import Callable
from typing import Any

import pytest
from law_samples import nodes

from agent_thread import Thread
from scripted_model import ScriptedModel
from turnkeep.records import RunContext
from turnkeep_agents.regulations.graph import compile_graph


@pytest.fixture
def begin(script: ScriptedModel, context: RunContext) -> Callable[..., Thread]:
    """A thread whose model follows the script, in another context or with other nodes where a test gives them."""
    return lambda own=context, **setup: Thread(compile_graph(nodes(script, **setup)), own, script)


@pytest.fixture
def talk(begin: Any) -> Thread:
    return begin()
