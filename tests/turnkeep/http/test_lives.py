"""A thread id is reused after its thread expired or was deleted. No route, graph or worker of the new thread reads data
of the earlier one, or loses its own to late writes."""

import copy
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from echoing import Clock
from fastapi import FastAPI
from harness import noise
from httpx import ASGITransport, AsyncClient
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from memory_items import MemoryItems
from test_item_types import DECIDED, PARTITION

from turnkeep.errors import TurnkeepError
from turnkeep.graphs.agent import Agent
from turnkeep.records import Parsed, Piece, Principal, Reply, RunContext
from turnkeep.store import attachments as documents
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs
from turnkeep.store.head import Head
from turnkeep.store.items import Items, Refused
from turnkeep.store.keys import checkpoint_key, checkpoint_name, partition, space_key
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun
from turnkeep.store.task_writes import Space, TaskWrite, TaskWrites
from turnkeep.store.uploads import KeptUploads
from turnkeep.turns import TurnRequest
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WHO = Principal("local", "local")
PK = partition(WHO, "t")
OLD, NEW = "canary-of-the-old", "canary-of-the-new"
MAIL = "[EMAIL_0a0a0a0a]"
MOST_DOCUMENTS = 4
ENDS = ["expired", "deleted", "erased"]
CASES = [*(("memory", end, seed) for end in ENDS for seed in range(3)), *(("DynamoDB Local", end, 0) for end in ENDS)]
MADE = {
    "HEAD": r"HEAD",
    "partition": r"HEAD",
    "turn_key": r"TURN#",
    "details_key": r"ASIDE#TURN#",
    "pack_key": r"PACK#TURN#",
    "message_key": r"ASIDE#MESSAGE#",
    "run_key": r"ASIDE#RUN#",
    "done_key": r"ASIDE#DONE#",
    "log_key": r"ASIDE#LOG#",
    "pii_key": r"ASIDE#PII#",
    "checkpoint_key": r"CP#[^#]+(#[^#]+)?$",
    "space_key": r"ASIDE#NS#[^#]+#[^#]+(#[^#]+)?$",
    "write_key": r"CP#.*#W#",
    "part_key": r"ASIDE#PART#",
    "action_key": r"ASIDE#ACTION#",
    "document_key": r"ASIDE#DOC#",
    "text_key": r"ASIDE#TEXT#",
    "upload_key": r"uploads/",
    "object_key": r"blobs/",
    "objects_of": r"blobs/",
}
"""Every kind of item and object of a thread, with a pattern of its key. `Life.live` makes each of them."""
WRITES = ("put", "update", "delete", "transact", "write_many")


def recording(kind: type[Items]) -> type[Any]:
    """Return a class of the store that records every write, to repeat it later."""

    def sent(name: str) -> Callable[..., Any]:
        def send(self: Any, *args: Any, **given: Any) -> Any:
            given = {each: list(value) if name == "write_many" else value for each, value in given.items()}
            packet = partial(getattr(kind, name), self, *args, **given)
            if ":pend" not in str(args):  # a late BEGIN is a message to whichever thread has the id (decision 0027)
                self.sent.append(packet)
            return packet()

        return send

    return type("Recorded", (kind,), {"sent": [], **{name: sent(name) for name in WRITES}})


@pytest.fixture
def items(request: pytest.FixtureRequest) -> Any:
    if getattr(request, "param", "memory") == "memory":
        return recording(MemoryItems)()
    dynamodb: DynamoDBClient = request.getfixturevalue("dynamodb")
    return recording(Items)(dynamodb, request.getfixturevalue("table_name"))


def reader(name: str) -> Agent:
    """An agent that repeats the message and the text of all documents."""

    def answer(state: MessagesState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        found = runtime.context.documents
        texts = [piece.text for each in found.all() for piece in found.read(each.id)]
        return {"messages": [AIMessage(" ".join([str(state["messages"][-1].text), *texts]))]}

    def reply(values: Any) -> Reply:
        text = values["messages"][-1].text
        size = int(found[1]) if (found := re.search(r"details (\d+)", text)) else 0
        return Reply(text, details={"rows": noise(size) + text})

    graph = StateGraph(MessagesState, context_schema=RunContext).add_node("answer", answer)
    return Agent(name, graph.add_edge(START, "answer").compile(), reply, window=None)


@dataclass
class Life:
    """One thread with the id `t`. All its texts begin with `name`."""

    app: FastAPI
    client: AsyncClient
    uploads: KeptUploads
    name: str
    tokens: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)
    run_id: str = ""
    form: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> Head:
        head: Head = self.app.state.store.heads.read(WHO, "t")
        return head

    async def chat(self, text: str) -> str:
        body = {"session_id": "t", "message": f"{self.name} {text}"}
        answer = await self.client.post("/chat", json=body, headers={"Idempotency-Key": text.split(maxsplit=1)[0]})
        assert answer.status_code == 200, answer.text
        self.checkpoints.append(str(self.head.checkpoint))
        return str(answer.json()["reply"])

    async def live(self) -> None:
        """Make one item or object of every kind."""
        await self.chat("first details 5000")
        await self.chat("second details 20000")
        for number in range(MOST_DOCUMENTS - 2):
            await self.document(f"{number}")
        await self.document("awaited", is_sent=False)
        self.beside()
        await self.chat("third")
        streamed = {"message": f"{self.name} streamed", "on_disconnect": "continue"}
        await self.client.post("/threads/t/turns/stream", json=streamed)
        self.act()
        await self.enqueue()
        self.leave_a_message()

    async def document(self, name: str, *, is_sent: bool = True) -> None:
        body = {"name": f"{self.name} {name}.md", "size": 9}
        made = (await self.client.post("/threads/t/attachments", json=body)).json()
        fields = made["upload"]["fields"]
        self.files.append(made["document_id"])
        self.form = fields
        if is_sent:
            self.uploads.put(fields["key"], fields["x-amz-meta-owner"], b"text")
            claimed = self.app.state.attachments.claim(fields["key"])
            parsed = Parsed("markdown", (Piece(f"{self.name} {name} {MAIL}"),))
            values = {MAIL: f"{self.name}@example.org"}
            assert self.app.state.attachments.finish(claimed, parsed, name=claimed.name, values=values)
        else:
            self.uploads.put(fields["key"], fields["x-amz-meta-owner"], self.name.encode())

    def task_writes(self) -> TaskWrites:
        """Those of a saver without an object store."""
        heads = copy.copy(self.app.state.store.heads)
        heads.blobs = Blobs(None, heads.items)
        return TaskWrites(heads)

    def beside(self) -> None:
        """Write what a saver stores: writes of a task, and a state of an inner graph that needs several items."""
        writes = self.task_writes()
        write = TaskWrite("task", "", 0, "note", "msgpack", self.name.encode())
        writes.put_writes(PK, checkpoint_key(str(self.head.checkpoint_name)), [write], [])
        place = space_key("inner", checkpoint_name(self.name, "writer"))
        writes.put_space(
            self.head, place, Space("inner", self.name, {"state": self.name, "rows": noise(650_000)}), None
        )

    def begin(self, text: str) -> Begun:
        message = f"{self.name} {text}"
        begun = self.app.state.store.leases.begin(
            WHO, "t", BeginRequest(key=text, body=message.encode(), message=message + noise(4_000))
        )
        assert isinstance(begun, Begun)
        return begun

    def act(self) -> None:
        begun = self.begin("acting")
        claim = self.app.state.store.actions.claim(begun, b"origin", "pay", "once")
        assert claim.is_new
        self.app.state.store.actions.settle(claim, ("msgpack", self.name.encode()))
        self.app.state.store.leases.release(begun)

    def leave_a_message(self) -> None:
        self.app.state.store.leases.release(self.begin("pending"))

    async def enqueue(self) -> None:
        async def launch(token: str) -> None:
            self.tokens.append(token)

        self.app.state.runs.launch_by(launch)
        await self.app.state.runs.enqueue(TurnRequest(WHO, f"{self.name} made", "t", key="made"))
        await self.app.state.runs.work(self.tokens.pop())
        asked = TurnRequest(WHO, f"{self.name} in the background", "t", key="run")
        self.run_id = (await self.app.state.runs.enqueue(asked)).run_id

    async def end(self, how: str, clock: Clock) -> None:
        if how == "expired":
            clock.ahead += 24 * 3600 - 60
            await self.document("awaited to the end", is_sent=False)
            clock.ahead += 120
        else:
            await self.client.delete("/threads/t" if how == "deleted" else "/me")
            clock.ahead += 10  # the clocks of two machines do not differ so much

    async def shown(self) -> str:
        """Return everything that routes, graphs and savers read of the thread."""
        get, post = self.client.get, self.client.post
        turns = (await get("/threads/t/turns?limit=50")).json()["turns"]
        answers = [await get(f"/threads/t/turns/{turn['turn_number']}") for turn in turns]
        paths = ("", "/attachments", "/runs", "/state", "/turns")
        answers += [await get(f"/threads/t{path}") for path in paths] + [await get("/me/export")]
        answers += [await post("/threads/t/history", json={}), await post("/threads/search", json={})]
        assert {answer.status_code for answer in answers} <= {200}
        store = self.app.state.store
        spaces = [each.content for each in self.task_writes().every(self.head, None)]
        return str([answer.text for answer in answers]) + str(store.vault.values(self.head)) + str(spaces)

    async def by_name(self) -> list[int]:
        """Return the statuses of documents and checkpoints of this thread."""
        paths = [f"/attachments/{each}" for each in self.files] + [f"/state/{each}" for each in self.checkpoints]
        return [(await self.client.get(f"/threads/t{path}")).status_code for path in paths]

    async def come_late(self) -> None:
        """Run its worker and its upload after its end."""
        for token in self.tokens[:1]:  # later ones are of the new thread
            with suppress(TurnkeepError):
                await self.app.state.runs.work(token)
        assert not self.app.state.attachments.awaits(self.form["key"], self.form["x-amz-meta-owner"])
        assert self.app.state.attachments.claim(self.form["key"]) is None


@pytest.fixture
async def lives(
    make_app: Callable[..., FastAPI], folder_objects: FolderObjects, monkeypatch: pytest.MonkeyPatch
) -> "Callable[[str], Life]":
    monkeypatch.setattr(documents, "MAX_DOCUMENTS", MOST_DOCUMENTS)
    app = make_app(agent_of=reader)
    app.state.store.turns.planner.pack_links = 1
    client = AsyncClient(transport=ASGITransport(app), base_url="http://test")
    return partial(Life, app, client, KeptUploads(folder_objects))


def deliver(packets: list[Callable[[], object]], chance: random.Random) -> None:
    """Repeat some of the writes in random order."""
    for packet in chance.sample(packets, min(len(packets), chance.choice([0, 8, len(packets)]))):
        with suppress(Refused):
            packet()


def keys_of(items: Any, objects: FolderObjects) -> list[str]:
    found: list[Item] = items.between(PK, " ", "~")
    return [each["SK"] for each in found] + [*objects.names("blobs/"), *objects.names("uploads/")]


async def check(life: Life, others: Life) -> None:
    shown = await life.shown()
    where = shown.find(others.name)
    assert where < 0, shown[max(0, where - 400) : where + 200]
    assert set(await others.by_name()) == {404}
    for document_id in others.files:
        body = {"message": "What does it say?", "attachments": [document_id]}
        assert (await life.client.post("/threads/t/turns", json=body)).json()["code"] == "document_not_found"


@pytest.mark.parametrize(("items", "end", "seed"), CASES, indirect=["items"])
async def test_a_recreated_thread_never_reads_or_loses_anything_of_the_earlier_one(  # noqa: PLR0917
    lives: Callable[[str], Life], items: Any, clock: Clock, folder_objects: FolderObjects, end: str, seed: int
) -> None:
    chance, old, new = random.Random(seed), lives(OLD), lives(NEW)
    await old.live()
    kinds = keys_of(items, folder_objects)
    assert {name for name in MADE if any(re.match(MADE[name], key) for key in kinds)} == MADE.keys()
    alone = await old.shown()
    await old.end(end, clock)
    late = list(items.sent)

    assert OLD not in await new.chat("read")
    deliver(late, chance)
    await old.come_late()
    await check(new, old)
    assert (await new.client.get(f"/threads/t/runs/{old.run_id}")).status_code == 404

    await new.live()
    deliver(late, chance)
    await check(new, old)
    assert old.run_id == new.run_id
    assert (await new.shown()).count(NEW) >= alone.count(OLD)
    assert set(await new.by_name()) == {200}
    await old.come_late()
    assert NEW in await new.chat("again")
    assert [turn.message for turn in new.app.state.store.turns.newest(WHO, "t", limit=9)][-1] == f"{NEW} again"
    await new.app.state.runs.work(new.tokens[0])
    reply = (await new.client.get("/threads/t/turns?limit=1")).json()["turns"][0]["reply"]
    assert reply.startswith(f"{NEW} in the background {NEW} 0")
    await check(new, old)


async def test_a_copy_contains_nothing_of_an_earlier_thread(lives: Callable[[str], Life], clock: Clock) -> None:
    old, new = lives(OLD), lives(NEW)
    await old.live()
    await old.end("expired", clock)
    await new.chat("first")
    new.beside()
    store = new.app.state.store
    for to, is_whole in (("f", False), ("w", True)):
        store.fork(WHO, "t", to, whole=is_whole)
        head, paths = store.heads.read(WHO, to), ("/turns", "/state", "/runs", "/attachments")
        texts = [(await new.client.get(f"/threads/{to}{path}")).text for path in paths]
        spaces = list(TaskWrites(store.heads).every(head, None))
        assert [each.content["state"] for each in spaces] == [NEW]
        assert OLD not in str([texts, store.vault.values(head)])
        assert NEW in texts[0]


def test_every_kind_of_item_of_a_thread_is_tested() -> None:
    of_threads = {name for name, (_, erased) in DECIDED.items() if erased == PARTITION}
    assert of_threads | {"HEAD", "upload_key"} == MADE.keys()
