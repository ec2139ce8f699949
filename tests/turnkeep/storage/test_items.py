"""The one door to DynamoDB: reads are consistent, batches are finished or given up, faults have one name."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse, HeadersDict
from botocore.config import Config
from botocore.exceptions import ClientError
from desk import Desk

from turnkeep.errors import StoreUnavailable
from turnkeep.storage.attributes import Write
from turnkeep.storage.items import BATCH_ROUNDS, BATCH_WRITES, CONFLICT_PAUSES, Items, Refused
from turnkeep_local.objects import FolderObjects
from turnkeep_local.processes import free_port

if TYPE_CHECKING:
    pass

WORDS: list[Any] = ["text", "", 0, -5, 2**60, True, False, b"\x00\xff", [], {}, ["a", 1, [b""]], {"a": {"b": [1]}}]


class ScriptedClient:
    """Answers batches from a script and keeps what it was sent."""

    def __init__(self, *answers: Any):
        self.answers = list(answers)
        self.sent: list[Any] = []

    def batch_write_item(self, RequestItems: Any) -> Any:  # noqa: N803
        self.sent.append(RequestItems)
        return self.answers.pop(0)

    def batch_get_item(self, RequestItems: Any) -> Any:  # noqa: N803
        self.sent.append(RequestItems)
        return self.answers.pop(0)

    def get_item(self, **_: Any) -> Any:
        raise self.answers.pop(0)

    def update_item(self, **_: Any) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    transact_write_items = update_item


@pytest.fixture
def hooked(dynamodb_url: str, table_name: str, folder_objects: FolderObjects) -> tuple[Desk, list[Any]]:
    """A store whose client notes every request it sends."""
    client = boto3.client("dynamodb", endpoint_url=dynamodb_url)
    requests: list[Any] = []

    def note(params: Any, model: Any, **_: Any) -> None:
        requests.append((model.name, params))

    client.meta.events.register("provide-client-params.dynamodb.*", note)
    return Desk(Items(client, table_name), folder_objects), requests


@pytest.mark.parametrize("value", WORDS, ids=repr)
def test_a_value_comes_back_from_dynamodb_as_it_went_in(desk: Desk, value: Any) -> None:
    desk.items.put({"PK": "p", "SK": "s", "value": value})
    found = desk.items.get("p", "s")
    assert found is not None
    assert found["value"] == value
    assert type(found["value"]) is type(value)


def test_a_value_without_a_type_of_dynamodbs_is_refused(desk: Desk) -> None:
    for value in (1.5, None, {1}, object()):
        with pytest.raises(TypeError):
            desk.items.put({"PK": "p", "SK": "s", "value": value})


def test_every_read_of_a_turn_is_consistent(hooked: tuple[Desk, list[Any]]) -> None:
    desk, requests = hooked
    for number in range(12):
        desk.say("x", f"message {number}", details={"rows": "r" * 5000 if number == 3 else ""})
    desk.store.turns.read(desk.who, "x", 4)
    desk.store.turns.newest(desk.who, "x", limit=3, before=6)
    desk.store.threads.read(desk.who, "x")
    key = desk.begin("x", key="again")
    desk.store.turns.load(key.head, 3)
    desk.store.leases.release(key)
    reads = [params for name, params in requests if name in ("GetItem", "Query")]
    assert len(reads) > 15
    assert all(params.get("ConsistentRead") is True for params in reads)


def test_a_list_reads_its_threads_consistently(hooked: tuple[Desk, list[Any]]) -> None:
    desk, requests = hooked
    desk.say("x")
    requests.clear()
    desk.store.listing.search(desk.who)
    (batch,) = [params for name, params in requests if name == "BatchGetItem"]
    assert all(table["ConsistentRead"] is True for table in batch["RequestItems"].values())
    assert [params["IndexName"] for name, params in requests if name == "Query"] == ["by_user"]


def _rest(*keys: str) -> Any:
    return {"UnprocessedItems": {"t": [{"DeleteRequest": {"Key": key}} for key in keys]} if keys else {}}


def test_what_a_batch_left_over_is_sent_again_after_a_while() -> None:
    client, slept = ScriptedClient(_rest("b", "c"), _rest("c"), _rest()), list[float]()
    Items(client, "t", sleep=slept.append).write_many(deletes=[("p", name) for name in "abc"])  # type: ignore[arg-type]
    assert [len(sent["t"]) for sent in client.sent] == [3, 2, 1]
    assert client.sent[2] == _rest("c")["UnprocessedItems"]
    assert slept == [0.05, 0.1]


def test_a_batch_that_is_never_finished_is_given_up() -> None:
    client, slept = ScriptedClient(*[_rest("a")] * 50), list[float]()
    with pytest.raises(StoreUnavailable) as error:
        Items(client, "t", sleep=slept.append).write_many(deletes=[("p", "a")])  # type: ignore[arg-type]
    assert len(client.sent) == BATCH_ROUNDS
    assert sum(slept) < 4
    assert slept == sorted(slept)
    assert error.value.retry_after


def test_what_a_batch_of_reads_left_over_is_read_again() -> None:
    found = {"PK": {"S": "p"}, "SK": {"S": "s"}}
    rest = {"t": {"Keys": [{"PK": {"S": "p"}, "SK": {"S": "s2"}}], "ConsistentRead": True}}
    client = ScriptedClient(
        {"Responses": {"t": [found]}, "UnprocessedKeys": rest}, {"Responses": {"t": [found]}, "UnprocessedKeys": {}}
    )
    items = Items(client, "t", sleep=lambda _: None).get_many([("p", "s"), ("p", "s2")])  # type: ignore[arg-type]
    assert len(items) == 2
    assert client.sent[1] == rest


def test_a_batch_holds_no_more_than_dynamodb_takes() -> None:
    client = ScriptedClient(*[_rest()] * 4)
    Items(client, "t").write_many(deletes=[("p", str(n)) for n in range(80)])  # type: ignore[arg-type]
    assert [len(sent["t"]) for sent in client.sent] == [BATCH_WRITES, BATCH_WRITES, BATCH_WRITES, 5]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ThrottlingException", 400),
        ("ProvisionedThroughputExceededException", 400),
        ("RequestLimitExceeded", 400),
        ("InternalServerError", 500),
        ("SomethingNew", 503),
    ],
)
def test_a_passing_fault_is_told_as_such(code: str, status: int) -> None:
    answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    fault = ClientError(answer, "GetItem")
    with pytest.raises(StoreUnavailable) as error:
        Items(ScriptedClient(fault), "t").get("p", "s")  # type: ignore[arg-type]
    assert error.value.retry_after


def test_a_fault_of_ours_keeps_its_name() -> None:
    answer: Any = {"Error": {"Code": "ValidationException"}, "ResponseMetadata": {"HTTPStatusCode": 400}}
    fault = ClientError(answer, "GetItem")
    with pytest.raises(ClientError):
        Items(ScriptedClient(fault), "t").get("p", "s")  # type: ignore[arg-type]


def test_a_store_that_is_not_there_is_a_passing_fault() -> None:
    quick = Config(connect_timeout=0.2, read_timeout=0.2, retries={"max_attempts": 0})
    client = boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{free_port()}", config=quick)
    with pytest.raises(StoreUnavailable):
        Items(client, "t").get("p", "s")


def test_a_refusal_tells_what_stands_there(desk: Desk) -> None:
    with pytest.raises(Refused) as nothing:
        desk.items.update("p", "s", "SET a = :a", {":a": 1}, condition="attribute_exists(PK)")
    assert nothing.value.item is None
    desk.items.put({"PK": "p", "SK": "s", "n": 7})
    with pytest.raises(Refused) as something:
        desk.items.put({"PK": "p", "SK": "s"}, condition="attribute_not_exists(PK)")
    assert something.value.item == {"PK": "p", "SK": "s", "n": 7}
    with pytest.raises(Refused):
        desk.items.delete("p", "s", condition="n = :n", values={":n": 8})


def test_a_range_of_many_megabytes_is_read_whole_and_in_order(desk: Desk) -> None:
    for number in range(12):
        desk.items.put({"PK": "p", "SK": f"{number:02d}", "data": bytes(300_000)})
    assert [item["SK"] for item in desk.items.between("p", "01", "10")] == [f"{n:02d}" for n in range(1, 11)]
    assert sum(len(page) for page in desk.items.pages_of("p", "SK")) == 12


def test_a_failed_load_writes_nothing(hooked: tuple[Desk, list[Any]]) -> None:
    desk, requests = hooked
    desk.say("x")
    begun = desk.begin("x")
    requests.clear()
    client: Any = desk.items._client

    def refuse(**_: Any) -> AWSResponse:
        return AWSResponse("http://x", 500, HeadersDict(), _Raw())  # type: ignore[arg-type]

    client.meta.events.register("before-send.dynamodb.Query", refuse)
    with pytest.raises(StoreUnavailable):
        desk.store.turns.load(begun.head, 10)
    assert {name for name, _ in requests} == {"Query"}
    client.meta.events.unregister("before-send.dynamodb.Query", refuse)
    assert desk.numbers("x") == [1]


class _Raw:
    """The body of a server's fault."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield b'{"__type":"InternalServerError"}'


def conflict(code: str, *reasons: str) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}
    return ClientError({**response, "CancellationReasons": [{"Code": reason} for reason in reasons]}, "any")


MET = conflict("TransactionConflictException")
CANCELLED = conflict("TransactionCanceledException", "None", "TransactionConflict")


def test_a_write_that_meets_a_transaction_is_sent_again_and_given_up_in_the_end() -> None:
    pauses: list[float] = []
    client = ScriptedClient(MET, {"Attributes": {}}, CANCELLED, {}, *[MET] * len(CONFLICT_PAUSES))
    items = Items(client, "t", sleep=pauses.append)  # type: ignore[arg-type]
    assert items.update("p", "s", "SET a = :a", {":a": 1}, condition="b = :a") == {}
    items.transact(Write("Delete", {"PK": "p", "SK": "s"}))
    with pytest.raises(StoreUnavailable):
        items.update("p", "s", "SET a = :a", {":a": 1}, condition="b = :a")
    assert pauses == [CONFLICT_PAUSES[0], CONFLICT_PAUSES[0], *CONFLICT_PAUSES]


def test_a_transaction_is_whole_or_nothing(desk: Desk) -> None:
    desk.items.put({"PK": "p", "SK": "a", "n": 1})
    put, key = Write("Put", {"PK": "p", "SK": "b"}, "attribute_not_exists(PK)"), {"PK": "p", "SK": "a"}
    add = Write("Update", key, "n = :one", {":one": 1, ":two": 2}, "SET n = :two REMOVE #data")
    desk.items.transact(put, add)
    assert [item["SK"] for item in desk.items.between("p", "a", "z")] == ["a", "b"]
    for refused in ([Write("Delete", key), put], [Write("Delete", {"PK": "p", "SK": "b"}), add]):
        with pytest.raises(Refused):
            desk.items.transact(*refused)
    check = Write("ConditionCheck", key, "n = :two", {":two": 2})
    desk.items.transact(check, Write("Delete", {"PK": "p", "SK": "b"}))
    assert desk.items.between("p", "a", "z") == [{"PK": "p", "SK": "a", "n": 2}]
