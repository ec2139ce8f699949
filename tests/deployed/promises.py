"""The promises, each walked on a deployed stack over HTTP; what no caller can bring about (a lease that ran out, a day
gone by) is written into the stack's own table by the code of this folder, under a clock of its own."""

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx
from fastapi.testclient import TestClient
from harness import Harness, noise
from stack import Account, Stack, wait_for

from turnkeep.bootstrap import build
from turnkeep.errors import Superseded
from turnkeep.http.app import create_app
from turnkeep.records import Principal
from turnkeep.services import Services
from turnkeep.settings import Settings
from turnkeep.store.blobs import S3Objects
from turnkeep.store.items import Items

ANNA = Principal("acme", "anna")
QUESTION, FOLLOW_UP = "What is low-rank adaptation?", "And who wrote it?"
DAY_SECONDS, ALIVE_SECONDS, LEASE_SECONDS, SWEEP_SECONDS = 86_400, 5, 30, 90
TURNS_FOR_COST = 12
MOST_REQUESTS, MOST_WRITTEN, MOST_READ = 4, 16, 8
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}


class NotShown(Exception):
    """This stack cannot show it; the message has the reason."""


@dataclass
class Caller:
    """Anna, with a key, and whoever else is needed."""

    stack: Stack
    anna: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.anna = self.open(ANNA)

    def open(self, who: Principal) -> httpx.Client:
        return self.stack.open(**{"x-api-key": self.stack.make_key(who.tenant, who.user)})

    def chat(self, thread: str, message: str = QUESTION, **headers: str) -> dict[str, Any]:
        answer = self.anna.post("/chat", json={"session_id": thread, "message": message}, headers=headers)
        assert answer.status_code == 200, answer.text
        turn: dict[str, Any] = answer.json()
        assert turn["persisted"] is True
        return turn

    def replies(self, thread: str) -> list[str]:
        answer = self.anna.get(f"/threads/{thread}/turns")
        assert answer.status_code == 200, answer.text
        return [turn["reply"] for turn in answer.json()["turns"]]


def fresh() -> str:
    return uuid.uuid4().hex


def services_of(stack: Stack, clock: Callable[[], float] = time.time, dynamodb: Any = None) -> Services:
    """The deployment's own store, its seal key too, reached from here."""
    names = {"table_name": stack.outputs["TableName"], "bucket_name": stack.outputs["BucketName"]}
    settings = Settings(**names, seal_key=stack.seal_key, model="demo")  # type: ignore[arg-type]
    objects = S3Objects(stack.aws.client("s3"), settings.bucket_name)
    return build(settings, dynamodb=dynamodb or stack.aws.client("dynamodb"), objects=objects, clock=clock)


def harness_of(stack: Stack, now: float) -> Harness:
    objects = S3Objects(stack.aws.client("s3"), stack.outputs["BucketName"])
    harness = Harness(Items(stack.aws.client("dynamodb"), stack.outputs["TableName"]), objects, who=ANNA)
    harness.clock.now = now
    harness.store = services_of(stack, harness.clock).store
    return harness


DOCUMENT_SECONDS = 90


def kept_turns_are_in_every_read(caller: Caller) -> str:
    thread = fresh()
    returned = [caller.chat(thread, message)["reply"] for message in (QUESTION, FOLLOW_UP, QUESTION)]
    assert caller.replies(thread) == returned
    return f"{len(returned)} turns returned, {len(returned)} read, in order"


def the_same_key_makes_one_turn(caller: Caller) -> str:
    thread, once = fresh(), {"idempotency-key": fresh()}
    body = {"session_id": thread, "message": QUESTION}
    first, second = (caller.anna.post("/chat", json=body, headers=once) for _ in range(2))
    other = caller.anna.post("/chat", json={**body, "message": FOLLOW_UP}, headers=once)
    assert first.json() == second.json()
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len(caller.replies(thread)) == 1
    return "same reply, one turn; another body under the key is refused"


def a_stream_leaves_while_it_is_made(caller: Caller) -> str:
    thread, began = fresh(), time.monotonic()
    with caller.anna.stream("POST", "/chat/stream", json={"session_id": thread, "message": QUESTION}) as answer:
        pieces = [(time.monotonic() - began, piece) for piece in answer.iter_raw() if piece]
    assert b"complete" in b"".join(piece for _, piece in pieces)
    assert len(caller.replies(thread)) == 1
    first, last = pieces[0][0], pieces[-1][0]
    if len(pieces) == 1 and not isinstance(caller.stack.aws, Account):
        raise NotShown("the emulator's gateway hands streams on in one piece")
    assert last - first > 0.02, f"{len(pieces)} pieces within {1000 * (last - first):.0f} ms: something buffers"
    return f"{len(pieces)} pieces, the first after {1000 * first:.0f} ms, the last after {1000 * last:.0f} ms"


def a_writer_that_lost_its_lease_writes_nothing(caller: Caller) -> str:
    thread, late = fresh(), harness_of(caller.stack, time.time() - 2 * LEASE_SECONDS)
    plan, _ = late.prepare(late.begin(thread), "never kept")
    returned = caller.chat(thread)["reply"]
    try:
        late.store.turns.commit(plan)
    except Superseded:
        assert caller.replies(thread) == [returned]
        return "409 superseded, and nothing of it is read"
    raise AssertionError("the late writer was not refused")


def what_expired_is_invisible_at_once_and_swept(caller: Caller) -> str:
    thread, old = fresh(), harness_of(caller.stack, time.time() - DAY_SECONDS + ALIVE_SECONDS)
    old.take_turn(thread, details={"reasoning_steps": [noise(800_000)]})
    assert old.all_of(thread)
    assert caller.stack.objects()
    time.sleep(ALIVE_SECONDS)
    assert caller.anna.get(f"/threads/{thread}").status_code == 404
    function = caller.stack.function("CleanupFunction")
    caller.stack.aws.client("lambda").invoke(FunctionName=function, Payload=b"{}")
    wait_for(lambda: not (old.all_of(thread) or caller.stack.objects()), seconds=SWEEP_SECONDS, what="the sweep")
    return "404 before the sweep; after it no item and no object"


def what_is_deleted_leaves_nothing(caller: Caller) -> str:
    thread = fresh()
    for message in (QUESTION, FOLLOW_UP):
        caller.chat(thread, message)
    items = harness_of(caller.stack, time.time())
    before = len(items.all_of(thread))
    assert caller.anna.delete(f"/threads/{thread}").status_code == 204
    assert caller.anna.get(f"/threads/{thread}").status_code == 404
    assert {name for name in items.all_of(thread) if name != "HEAD"} == set()
    return f"{before} items before; none with content after"


def nobody_else_gets_in(caller: Caller) -> str:
    thread = fresh()
    caller.chat(thread)
    with caller.stack.open() as nobody:
        assert nobody.get(f"/threads/{thread}").status_code == 401
    for who in (Principal("other", ANNA.user), Principal(ANNA.tenant, "bob")):
        with caller.open(who) as other:
            asked = other.post(f"/threads/{thread}/turns/stream", json={"message": QUESTION})
            answers = [asked, other.get(f"/threads/{thread}"), other.delete(f"/threads/{thread}")]
            assert [answer.status_code for answer in answers] == [404] * len(answers)
    assert len(caller.replies(thread)) == 1
    return "401 without a key, 404 with another tenant's or user's"


class Bill:
    """The capacity that DynamoDB reports for each request."""

    def __init__(self, client: Any) -> None:
        self.units, self.requests = Counter[str](), 0
        client.meta.events.register("provide-client-params.dynamodb", self._ask)
        client.meta.events.register("after-call.dynamodb", self._add)

    def _ask(self, params: dict[str, Any], model: Any, **_: Any) -> dict[str, Any]:
        can = "ReturnConsumedCapacity" in model.input_shape.members
        return {**params, "ReturnConsumedCapacity": "TOTAL"} if can else params

    def _add(self, parsed: dict[str, Any], model: Any, **_: Any) -> None:
        returned = parsed.get("ConsumedCapacity") or []
        self.requests += 1
        for each in returned if isinstance(returned, list) else [returned]:
            self.units["written" if model.name in WRITES else "read"] += each["CapacityUnits"]


def a_turn_costs_what_the_first_ones_did(caller: Caller) -> str:
    dynamodb = caller.stack.aws.client("dynamodb")
    services, thread = services_of(caller.stack, dynamodb=dynamodb), fresh()
    app = create_app(services, authenticate=lambda _: ANNA)
    with TestClient(app) as client:
        bill = Bill(dynamodb)
        for _ in range(TURNS_FOR_COST):
            bill.units.clear()
            bill.requests = 0
            answer = client.post("/chat", json={"session_id": thread, "message": QUESTION})
            assert answer.json()["persisted"] is True, answer.text
    written, read = bill.units["written"], bill.units["read"]
    if not written:
        raise NotShown("this store reports no consumed capacity")
    assert bill.requests <= MOST_REQUESTS
    assert written <= MOST_WRITTEN
    assert read <= MOST_READ
    return f"turn {TURNS_FOR_COST}: {bill.requests} requests, {written:g} WCU, {read:g} RCU, as the store reports them"


def a_document_is_read_and_its_file_deleted(caller: Caller) -> str:
    thread, body = fresh(), b"Everybody has 26 days of leave a year."
    caller.chat(thread, QUESTION)
    made = caller.anna.post(f"/threads/{thread}/attachments", json={"name": "leave.txt", "size": len(body)})
    assert made.status_code == 201, made.text
    form, path = made.json()["upload"], f"/threads/{thread}/attachments/{made.json()['document_id']}"
    sent = httpx.post(form["url"], data=form["fields"], files={"file": body})
    assert sent.status_code == 204, sent.text
    until, began = time.monotonic() + DOCUMENT_SECONDS, time.monotonic()
    while (found := caller.anna.get(path).json())["status"] in ("waiting", "processing") and time.monotonic() < until:
        time.sleep(0.5)
    assert (found["status"], found["characters"]) == ("ready", len(body)), found
    names = caller.stack.aws.client("s3").list_objects_v2(Bucket=caller.stack.outputs["BucketName"], Prefix="uploads/")
    assert names.get("Contents", []) == []
    assert caller.anna.delete(path).status_code == 204
    return f"posted by its form, read after {time.monotonic() - began:.0f} s by the function, removed"


PROMISES: dict[str, Callable[[Caller], str]] = {
    "an acknowledged turn is in every later read": kept_turns_are_in_every_read,
    "the same key makes one turn": the_same_key_makes_one_turn,
    "a stream leaves while it is made": a_stream_leaves_while_it_is_made,
    "a superseded writer writes nothing": a_writer_that_lost_its_lease_writes_nothing,
    "what expired is invisible at once, and swept": what_expired_is_invisible_at_once_and_swept,
    "what is deleted leaves nothing": what_is_deleted_leaves_nothing,
    "a document is read, and its file deleted": a_document_is_read_and_its_file_deleted,
    "nobody else gets in": nobody_else_gets_in,
    "turn 12 costs at most 4 requests, 16 WCU, 8 RCU": a_turn_costs_what_the_first_ones_did,
}


def table(rows: Iterable[tuple[str, str, str]]) -> str:
    """In Markdown: promise, whether it was shown, and what was seen."""
    lines = ["| promise | | seen |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
