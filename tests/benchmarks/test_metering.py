"""The meter agrees with DynamoDB Local where that is right, and keeps to AWS's rules where it is not."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from metering import Call, Meter, metered, total

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def meter(dynamodb_url: str) -> Iterator[Meter]:
    with metered(dynamodb_url) as meter:
        yield meter


@pytest.fixture
def measured(meter: Meter) -> "DynamoDBClient":
    return boto3.client("dynamodb", endpoint_url=meter.url)


def plain(name: str, size: int) -> Any:
    return {"PK": {"S": "p"}, "SK": {"S": name}, "x": {"S": "." * size}}


def head(size: int) -> Any:
    """An item that is in both indexes."""
    return {**plain("HEAD", size), "u": {"S": "u"}, "la": {"N": "1"}, "xh": {"S": "h"}}


def spent(answer: Any) -> float:
    """What DynamoDB Local reports."""
    capacity = answer["ConsumedCapacity"]
    return float(sum(each["CapacityUnits"] for each in (capacity if isinstance(capacity, list) else [capacity])))


def only(meter: Meter) -> Call:
    (call,) = meter.take()
    return call


KEY: Any = {"Key": {"PK": {"S": "p"}, "SK": {"S": "HEAD"}}}
MOVED = {"UpdateExpression": "SET la = :la, xh = :xh"}
MOVED |= {"ExpressionAttributeValues": {":la": {"N": "2"}, ":xh": {"S": "i"}}}  # type: ignore[dict-item]
GROWN = {"UpdateExpression": "SET x = :x", "ExpressionAttributeValues": {":x": {"S": "." * 1500}}}
OF_USER = {"IndexName": "by_user", "KeyConditionExpression": "u = :u", "ExpressionAttributeValues": {":u": {"S": "u"}}}
PARTITION = {"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}
KEYS_ALONE = {"ProjectionExpression": "#s", "ExpressionAttributeNames": {"#s": "SK"}}
NOTHING = {"FilterExpression": "x = :p"}
CALLS = (
    ("put_item", {"Item": head(2500)}, 5),
    ("put_item", {"Item": head(300)}, 3),
    ("update_item", KEY | MOVED, 5),
    ("update_item", KEY | GROWN, 2),
    ("query", OF_USER, 0.5),
    ("delete_item", KEY, 4),
    ("query", PARTITION | {"ConsistentRead": True}, 4),
    ("query", PARTITION, 2),
    ("query", PARTITION | KEYS_ALONE, 2),
    ("query", PARTITION | NOTHING, 2),
    ("query", PARTITION | {"Limit": 2, "ScanIndexForward": False, "ConsistentRead": True}, 2),
)


def test_calls_cost_what_local_reports(meter: Meter, measured: "DynamoDBClient", table_name: str) -> None:
    puts: Any = [{"PutRequest": {"Item": plain(f"TURN#{number}", 3000)}} for number in range(5)]
    answer: Any = measured.batch_write_item(RequestItems={table_name: puts}, ReturnConsumedCapacity="INDEXES")
    assert only(meter).wcu == spent(answer) == 15
    for method, given, units in CALLS:
        answer = getattr(measured, method)(TableName=table_name, ReturnConsumedCapacity="INDEXES", **given)
        call = only(meter)
        assert call.wcu + call.rcu == spent(answer) == units, (method, given)


def test_a_transaction_costs_twice_and_not_what_local_reports(
    meter: Meter, measured: "DynamoDBClient", table_name: str
) -> None:
    put: Any = {"Put": {"TableName": table_name, "Item": head(2500)}}
    answer = measured.transact_write_items(TransactItems=[put], ReturnConsumedCapacity="INDEXES")
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
        measured.update_item(TableName=table_name, **KEY, UpdateExpression="SET nonsense")
    assert total(meter.take()).wcu == 0


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
