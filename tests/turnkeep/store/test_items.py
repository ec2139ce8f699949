"""Requests to DynamoDB: reads are consistent, batches are finished or given up, faults have one name."""

from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from harness import Harness

from turnkeep.errors import StoreUnavailable
from turnkeep.store.attributes import Write
from turnkeep.store.items import BATCH_ROUNDS, BATCH_WRITES, CONFLICT_PAUSES, Items, Refused
from turnkeep_local.objects import FolderObjects
from turnkeep_local.processes import free_port

WORDS: list[Any] = ["text", "", 0, -5, 2**60, True, False, b"\x00\xff", [], {}, ["a", 1, [b""]], {"a": {"b": [1]}}]
BOTH_WAYS = pytest.mark.parametrize("harness", ["direct", "botocore"], indirect=True)


class ScriptedClient:
    """Answers requests from a script, and records the batches that it was sent."""

    def __init__(self, *answers: Any):
        self.answers = list(answers)
        self.sent: list[Any] = []

    def batch_write_item(self, *, RequestItems: Any = None, **_: Any) -> Any:  # noqa: N803
        self.sent.append(RequestItems)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    batch_get_item = get_item = update_item = transact_write_items = batch_write_item


def scripted(*answers: Any) -> tuple[Items, list[Any], list[float]]:
    """Items over a scripted client, the batches that it gets, and the pauses between them."""
    client, pauses = ScriptedClient(*answers), list[float]()
    return Items(client, "t", sleep=pauses.append), client.sent, pauses  # type: ignore[arg-type]


@BOTH_WAYS
@pytest.mark.parametrize("value", WORDS, ids=repr)
def test_a_value_round_trips_through_dynamodb(harness: Harness, value: Any) -> None:
    harness.items.put({"PK": "p", "SK": "s", "value": value})
    found = harness.items.get("p", "s")
    assert found is not None
    assert found["value"] == value
    assert type(found["value"]) is type(value)


def test_a_value_without_a_dynamodb_type_is_rejected(harness: Harness) -> None:
    for value in (1.5, None, {1}, object()):
        with pytest.raises(TypeError):
            harness.items.put({"PK": "p", "SK": "s", "value": value})


def test_only_ranges_of_links_are_read_eventually_and_once(
    dynamodb_url: str, table_name: str, folder_objects: FolderObjects
) -> None:
    client, requests = boto3.client("dynamodb", endpoint_url=dynamodb_url), list[Any]()

    def note(params: Any, model: Any, **_: Any) -> None:
        requests.append((model.name, params))

    client.meta.events.register("provide-client-params.dynamodb.*", note)
    harness = Harness(Items(client, table_name), folder_objects)
    for number in range(12):
        harness.take_turn("x", f"message {number}", details={"rows": "r" * 5000 if number == 3 else ""})
    harness.store.turns.read(harness.who, "x", 4)
    harness.store.turns.newest(harness.who, "x", limit=3, before=6)
    harness.store.threads.read(harness.who, "x")
    key = harness.begin("x", key="again")
    harness.store.turns.load(key.head, 3)
    harness.store.leases.release(key)
    harness.store.listing.search(harness.who)
    assert all(params["ConsistentRead"] is True for name, params in requests if name == "GetItem")
    (batch,) = [params for name, params in requests if name == "BatchGetItem"]
    assert all(table["ConsistentRead"] is True for table in batch["RequestItems"].values())
    queries = [params for name, params in requests if name == "Query" and "IndexName" not in params]
    assert len(queries) > 12
    cheap = [params["ExpressionAttributeValues"] for params in queries if not params["ConsistentRead"]]
    assert cheap
    assert all(values[":high"]["S"].startswith("TURN#") for values in cheap)


def _rest(*keys: str) -> Any:
    return {"UnprocessedItems": {"t": [{"DeleteRequest": {"Key": key}} for key in keys]} if keys else {}}


def test_unprocessed_writes_are_sent_again_after_a_pause() -> None:
    items, sent, pauses = scripted(_rest("b", "c"), _rest("c"), _rest())
    items.write_many(deletes=[("p", name) for name in "abc"])
    assert [len(each["t"]) for each in sent] == [3, 2, 1]
    assert sent[2] == _rest("c")["UnprocessedItems"]
    assert pauses == [0.05, 0.1]


def test_a_batch_that_never_finishes_raises_store_unavailable() -> None:
    items, sent, pauses = scripted(*[_rest("a")] * 50)
    with pytest.raises(StoreUnavailable) as error:
        items.write_many(deletes=[("p", "a")])
    assert len(sent) == BATCH_ROUNDS
    assert sum(pauses) < 4
    assert error.value.retry_after


def test_unprocessed_reads_are_sent_again() -> None:
    found = {"t": [{"PK": {"S": "p"}, "SK": {"S": "s"}}]}
    rest = {"t": {"Keys": [{"PK": {"S": "p"}, "SK": {"S": "s2"}}], "ConsistentRead": True}}
    items, sent, _ = scripted({"Responses": found, "UnprocessedKeys": rest}, {"Responses": found})
    assert len(items.get_many([("p", "s"), ("p", "s2")])) == 2
    assert sent[1] == rest


def test_a_batch_has_at_most_25_writes() -> None:
    items, sent, _ = scripted(*[_rest()] * 4)
    items.write_many(deletes=[("p", str(n)) for n in range(80)])
    assert [len(each["t"]) for each in sent] == [BATCH_WRITES, BATCH_WRITES, BATCH_WRITES, 5]


@pytest.mark.parametrize(
    ("code", "status", "raised"),
    [
        ("ThrottlingException", 400, StoreUnavailable),
        ("InternalServerError", 500, StoreUnavailable),
        ("SomethingNew", 503, StoreUnavailable),
        ("ValidationException", 400, ClientError),
    ],
)
def test_a_transient_fault_raises_store_unavailable(code: str, status: int, raised: type[Exception]) -> None:
    items, *_ = scripted(fault(code, status=status))
    with pytest.raises(raised) as error:
        items.get("p", "s")
    assert getattr(error.value, "retry_after", None) or raised is ClientError


def fault(code: str, *reasons: str, status: int = 400) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError({**response, "CancellationReasons": [{"Code": reason} for reason in reasons]}, "any")


def test_an_unreachable_store_raises_store_unavailable() -> None:
    quick = Config(connect_timeout=0.2, read_timeout=0.2, retries={"max_attempts": 0})
    client = boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{free_port()}", config=quick)
    with pytest.raises(StoreUnavailable):
        Items(client, "t").get("p", "s")


@BOTH_WAYS
def test_a_refusal_contains_the_stored_item(harness: Harness) -> None:
    with pytest.raises(Refused) as nothing:
        harness.items.update("p", "s", "SET a = :a", {":a": 1}, condition="attribute_exists(PK)")
    assert nothing.value.item is None
    harness.items.put({"PK": "p", "SK": "s", "n": 7})
    with pytest.raises(Refused) as something:
        harness.items.put({"PK": "p", "SK": "s"}, condition="attribute_not_exists(PK)")
    harness.items.put({"PK": "p", "SK": "s", "n": 7}, condition="attribute_not_exists(PK)")  # only its answer was lost
    assert something.value.item == {"PK": "p", "SK": "s", "n": 7}
    with pytest.raises(Refused):
        harness.items.delete("p", "s", condition="n = :n", values={":n": 8})


@BOTH_WAYS
def test_a_range_of_many_megabytes_is_read_whole_and_in_order(harness: Harness) -> None:
    for number in range(12):
        harness.items.put({"PK": "p", "SK": f"{number:02d}", "data": bytes(300_000)})
    assert [item["SK"] for item in harness.items.between("p", "01", "10")] == [f"{n:02d}" for n in range(1, 11)]
    assert sum(len(page) for page in harness.items.pages_of("p", "SK")) == 12


MET = fault("TransactionConflictException")
CANCELLED = fault("TransactionCanceledException", "None", "TransactionConflict")


def test_a_write_in_conflict_with_a_transaction_is_retried_and_given_up() -> None:
    items, _, pauses = scripted(MET, {"Attributes": {}}, CANCELLED, {}, *[MET] * len(CONFLICT_PAUSES))
    assert items.update("p", "s", "SET a = :a", {":a": 1}, condition="b = :a") == {}
    items.transact(Write("Delete", {"PK": "p", "SK": "s"}))
    with pytest.raises(StoreUnavailable):
        items.update("p", "s", "SET a = :a", {":a": 1}, condition="b = :a")
    assert pauses == [CONFLICT_PAUSES[0], CONFLICT_PAUSES[0], *CONFLICT_PAUSES]
