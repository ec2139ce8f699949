"""The meter agrees with DynamoDB Local where that is right, and keeps to AWS's rules where it is not."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from metering import Call, Meter, metered, total

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ALL: Any = "INDEXES"


@pytest.fixture
def meter(dynamodb_url: str) -> Iterator[Meter]:
    with metered(dynamodb_url) as meter:
        yield meter


@pytest.fixture
def measured(meter: Meter) -> "DynamoDBClient":
    return boto3.client("dynamodb", endpoint_url=meter.url)


def head(size: int, la: str = "1", xh: str = "h") -> Any:
    """An item that stands in both indexes."""
    return {"PK": {"S": "p"}, "SK": {"S": "HEAD"}, "u": {"S": "u"}, "la": {"N": la}, "xh": {"S": xh}, **text(size)}


def plain(name: str, size: int) -> Any:
    return {"PK": {"S": "p"}, "SK": {"S": name}, **text(size)}


def text(size: int) -> Any:
    return {"x": {"S": "." * size}}


def spent(answer: Any) -> float:
    """What DynamoDB Local says."""
    capacity = answer["ConsumedCapacity"]
    return float(sum(each["CapacityUnits"] for each in (capacity if isinstance(capacity, list) else [capacity])))


def only(meter: Meter) -> Call:
    (call,) = meter.take()
    return call


def test_single_writes_cost_what_local_reports(meter: Meter, measured: "DynamoDBClient", table_name: str) -> None:
    key: Any = {"PK": {"S": "p"}, "SK": {"S": "HEAD"}}
    move: Any = {":la": {"N": "2"}, ":xh": {"S": "i"}}
    common: Any = {"TableName": table_name, "ReturnConsumedCapacity": ALL}
    answers = [
        measured.put_item(Item=head(2500), **common),
        measured.put_item(Item=head(300), **common),
        measured.update_item(
            Key=key, UpdateExpression="SET la = :la, xh = :xh", ExpressionAttributeValues=move, **common
        ),
        measured.update_item(
            Key=key, UpdateExpression="SET x = :x", ExpressionAttributeValues={":x": {"S": "." * 1500}}, **common
        ),
        measured.delete_item(Key=key, **common),
    ]

    assert [call.wcu for call in meter.take()] == [spent(answer) for answer in answers] == [5, 3, 5, 2, 4]


def test_a_batch_is_paid_by_the_item(meter: Meter, measured: "DynamoDBClient", table_name: str) -> None:
    puts: Any = [{"PutRequest": {"Item": plain(name, size)}} for name, size in (("a", 2500), ("b", 3500))]

    answer = measured.batch_write_item(RequestItems={table_name: puts}, ReturnConsumedCapacity=ALL)

    assert only(meter).wcu == spent(answer) == 7


def test_a_transaction_costs_twice_and_not_what_local_reports(
    meter: Meter, measured: "DynamoDBClient", table_name: str
) -> None:
    put: Any = {"Put": {"TableName": table_name, "Item": head(2500)}}

    answer = measured.transact_write_items(TransactItems=[put], ReturnConsumedCapacity=ALL)

    assert only(meter).wcu == 2 * 3 + 2
    assert spent(answer) == 20


def test_a_refused_write_is_charged_for_the_item(meter: Meter, measured: "DynamoDBClient", table_name: str) -> None:
    measured.put_item(TableName=table_name, Item=head(2500))
    meter.take()

    with pytest.raises(measured.exceptions.ConditionalCheckFailedException):
        measured.put_item(TableName=table_name, Item=head(100), ConditionExpression="attribute_not_exists(PK)")

    call = only(meter)
    assert (call.wcu, call.refused) == (3, True)


def test_a_malformed_request_costs_nothing(meter: Meter, measured: "DynamoDBClient", table_name: str) -> None:
    with pytest.raises(measured.exceptions.ClientError):
        measured.update_item(
            TableName=table_name, Key={"PK": {"S": "p"}, "SK": {"S": "s"}}, UpdateExpression="SET nonsense"
        )

    assert total(meter.take()).wcu == 0


def test_queries_cost_what_local_reports_whatever_they_leave_out(
    meter: Meter, measured: "DynamoDBClient", table_name: str
) -> None:
    for number in range(5):
        measured.put_item(TableName=table_name, Item=plain(f"TURN#{number}", 3000))
    meter.take()
    partition: Any = {"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}
    more: Any = {":p": {"S": "p"}, ":none": {"S": "none"}}
    common: Any = {"TableName": table_name, "ReturnConsumedCapacity": ALL}
    answers = [
        measured.query(**partition, ConsistentRead=True, **common),
        measured.query(**partition, **common),
        measured.query(**partition, ProjectionExpression="#s", ExpressionAttributeNames={"#s": "SK"}, **common),
        measured.query(
            KeyConditionExpression="PK = :p", FilterExpression="x = :none", ExpressionAttributeValues=more, **common
        ),
        measured.query(**partition, Limit=2, ScanIndexForward=False, ConsistentRead=True, **common),
    ]

    assert [call.rcu for call in meter.take()] == [spent(answer) for answer in answers] == [4, 2, 2, 2, 2]


def test_an_index_is_read_by_the_size_of_its_entries(meter: Meter, measured: "DynamoDBClient", table_name: str) -> None:
    measured.put_item(TableName=table_name, Item=head(9000))
    meter.take()

    answer = measured.query(
        TableName=table_name,
        IndexName="by_user",
        KeyConditionExpression="u = :u",
        ExpressionAttributeValues={":u": {"S": "u"}},
        ReturnConsumedCapacity=ALL,
    )

    assert only(meter).rcu == spent(answer) == 0.5


def test_items_read_by_their_keys_are_rounded_one_by_one(
    meter: Meter, measured: "DynamoDBClient", table_name: str
) -> None:
    for name in ("a", "b"):
        measured.put_item(TableName=table_name, Item=plain(name, 4500))
    meter.take()
    keys: Any = [{"PK": {"S": "p"}, "SK": {"S": name}} for name in ("a", "b", "missing")]

    measured.get_item(TableName=table_name, Key=keys[0], ProjectionExpression="SK")
    measured.get_item(TableName=table_name, Key=keys[2], ConsistentRead=True)
    measured.batch_get_item(RequestItems={table_name: {"Keys": keys, "ConsistentRead": True}})

    assert [call.rcu for call in meter.take()] == [1, 1, 2 + 2 + 1]
