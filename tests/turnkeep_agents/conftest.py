from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from scripted_model import ScriptedModel
from turnkeep.records import Principal, RunContext


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    model = ScriptedModel()
    yield model
    model.check_finished()


@pytest.fixture
def context() -> RunContext:
    return RunContext(conversation_window=5, now=datetime(2026, 3, 4, tzinfo=UTC), principal=Principal("local", "ann"))
