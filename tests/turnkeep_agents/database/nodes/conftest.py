from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from talk import PlayedDatabase, Talk, talk_to

from scripted_model import ScriptedModel
from turnkeep.records import Principal, RunContext
from turnkeep_agents.database.settings import DatabaseSettings

type Start = Callable[..., Talk]


@pytest.fixture
def start(script: ScriptedModel, context: RunContext) -> Start:
    """Starts a conversation of a caller with settings."""

    def started(caller: Principal = context.principal, **tuning: Any) -> Talk:
        return talk_to(PlayedDatabase(), script, replace(context, principal=caller), DatabaseSettings(**tuning))

    return started


@pytest.fixture
def talk(start: Start) -> Talk:
    return start()
