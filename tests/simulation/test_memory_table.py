"""The table in memory answers as DynamoDB Local does, call for call, in runs of the simulation."""

import pytest
from botocore.exceptions import ClientError

from simulation import network
from simulation.scenarios import FAMILIES, plan_of
from simulation.world import play

MIRRORED = ("get_item", "put_item", "update_item", "delete_item", "transact_write_items", "query", "batch_get_item")
RUNS = 4


class Mirrored(network.Cloud):
    """Sends each call to DynamoDB Local too, by `client`, and compares the answers."""

    client = None

    def answer(self, operation, arguments):
        ours = super().answer(operation, arguments)
        if operation in MIRRORED:
            theirs = network.outcome(getattr(self.client, operation), arguments)
            assert plain(ours) == plain(theirs), f"{operation} {arguments}"
        return ours

    def write_one(self, request):
        self.client.batch_write_item(RequestItems={network.TABLE: [request]})
        super().write_one(request)


def plain(answer):
    """The part of an answer that the code reads; a batch has no promised order."""
    if isinstance(answer, ClientError):
        response = answer.response
        reasons = [(each["Code"], each.get("Item")) for each in response.get("CancellationReasons", [])]
        return response["Error"]["Code"], response.get("Item"), reasons
    if "Responses" in answer:
        items = (item for items in answer["Responses"].values() for item in items)
        return sorted(items, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
    return {name: answer.get(name) for name in ("Item", "Attributes", "Items", "LastEvaluatedKey") if answer.get(name)}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_in_memory_answers_as_dynamodb_does(dynamodb, table_name, family, monkeypatch):
    monkeypatch.setattr(network, "TABLE", table_name)
    monkeypatch.setattr(Mirrored, "client", dynamodb)
    for seed in range(RUNS):
        plan = plan_of(family, seed)
        plan.lag, plan.page = 0.0, 1000
        found, world = play(plan, cloud=Mirrored)
        assert found is None, found
        assert world.sim.network.calls
        for pk, sk in [(pk, sk) for pk, part in world.sim.table.parts.items() for sk in part]:
            dynamodb.delete_item(TableName=table_name, Key={"PK": {"S": pk}, "SK": {"S": sk}})
