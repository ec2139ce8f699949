"""The stories of tests/turnkeep/storage/test_store_machine.py, a few of them on DynamoDB Local."""

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from store_machine import Lossy, StoreMachine

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

STORIES = settings(
    max_examples=5,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.generate],  # fifteen steps need no shrinking
)


def test_every_story_ends_with_what_was_promised_on_dynamodb_itself(
    dynamodb: "DynamoDBClient", table_name: str
) -> None:
    class OnDynamoDB(StoreMachine):
        def make_items(self) -> Lossy:
            return Lossy(dynamodb, table_name)

    run_state_machine_as_test(OnDynamoDB, settings=STORIES)
