"""What several tests of this folder ask for."""

import uuid

import pytest

from hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def name() -> str:
    """Of a parameter or a secret that no other test has."""
    return f"/turnkeep/{uuid.uuid4().hex}"
