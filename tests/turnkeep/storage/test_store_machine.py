"""The store keeps its promises through 150 random stories of 15 steps; tests/faults tells some to DynamoDB Local."""

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from store_machine import StoreMachine

STORIES = settings(
    max_examples=150,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.generate],  # fifteen steps need no shrinking
)


def test_every_story_ends_with_what_was_promised() -> None:
    run_state_machine_as_test(StoreMachine, settings=STORIES)
