from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from talk import PlayedDatabase, Talk, talk_to

from scripted_model import ScriptedModel
from turnkeep.models.chat import Models
from turnkeep.records import Principal, RunContext
from turnkeep_agents.database.settings import DatabaseSettings

type Start = Callable[..., Talk]


@pytest.fixture
def database() -> PlayedDatabase:
    return PlayedDatabase()


@pytest.fixture
def start(database: PlayedDatabase, script: ScriptedModel, context: RunContext) -> Start:
    """Starts a conversation of a caller with settings."""

    def started(caller: Principal = context.principal, **tuning: Any) -> Talk:
        models = Models(script, script, "openai", "m")
        return talk_to(database, models, replace(context, principal=caller), DatabaseSettings(**tuning))

    return started
