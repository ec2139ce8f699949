"""The table in memory answers as DynamoDB Local does, call for call, in runs of the simulation."""

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from simulation.objects import Cloud
from simulation.scenarios import FAMILIES, plan_of
from simulation.world import World

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MIRRORED = ("get_item", "put_item", "update_item", "delete_item", "transact_write_items", "query", "batch_get_item")
RUNS = 4


class Mirrored(Cloud):
    """Sends each call to DynamoDB Local too, and compares the answers."""

    client: "DynamoDBClient"
    name: str
    different: list[str]

    def __getattribute__(self, operation: str) -> Any:
        found = super().__getattribute__(operation)
        return _both(self, operation, found) if operation in MIRRORED else found

    def write_one(self, request: Any) -> None:
        self.client.batch_write_item(RequestItems={self.name: [request]})
        super().write_one(request)


def _both(table: Mirrored, operation: str, call: Any) -> Any:
    def both(**arguments: Any) -> Any:
        theirs = _answer(getattr(table.client, operation), _named(arguments, table.name))
        ours = _answer(call, arguments)
        expected, answer = _plain(_named(theirs, "table", table.name)), _plain(ours)
        if answer != expected:
            table.different.append(f"{operation} {arguments}\n  {answer}\n  instead of {expected}")
        if isinstance(ours, ClientError):
            raise ours
        return ours

    return both


def _answer(call: Any, arguments: Any) -> Any:
    try:
        return call(**arguments)
    except ClientError as error:
        return error


def _named(value: Any, name: str, old: str = "table") -> Any:
    """The same call for the table of this name."""
    if isinstance(value, dict):
        return {name if key == old else key: _named(each, name, old) for key, each in value.items()}
    if isinstance(value, list):
        return [_named(each, name, old) for each in value]
    return name if isinstance(value, str) and value == old else value


def _plain(answer: Any) -> Any:
    """What of an answer the code looks at; a batch is in no promised order."""
    if isinstance(answer, ClientError):
        response = answer.response
        reasons = [(each["Code"], each.get("Item")) for each in response.get("CancellationReasons", [])]
        return response["Error"]["Code"], response.get("Item"), reasons
    if "Responses" in answer:
        items = (item for items in answer["Responses"].values() for item in items)
        return sorted(items, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
    return {name: answer.get(name) for name in ("Item", "Attributes", "Items", "LastEvaluatedKey") if answer.get(name)}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_in_memory_answers_as_dynamodb_does(dynamodb: "DynamoDBClient", table_name: str, family: str) -> None:
    calls = 0
    for seed in range(RUNS):
        plan = plan_of(family, seed)
        plan.lag, plan.page = 0.0, 1000
        world = World(plan)
        world.sim.table.__class__ = Mirrored
        world.sim.table.client, world.sim.table.name, world.sim.table.different = dynamodb, table_name, []
        world.run()
        world.sim.close()
        assert not world.sim.table.different, world.sim.table.different[0]
        calls += world.sim.network.calls
        for pk, part in list(world.sim.table.parts.items()):
            for sk in list(part):
                dynamodb.delete_item(TableName=table_name, Key={"PK": {"S": pk}, "SK": {"S": sk}})
    assert calls > RUNS
