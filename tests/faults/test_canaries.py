"""An agent with PII redaction stores and sends no personal data in the clear, and its owner reads all of it."""

import itertools
import json
import secrets
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from httpx import ASGITransport, AsyncClient, Response
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from memory_items import MemoryItems
from scripted import read_events
from wire import Exchange, WireServer, chunk, fails, resets, says

from bare_app import bare_app
from canary_scan import PLACES, canary, files_in, found_in, places_in, texts_of
from turnkeep.errors import StoreUnavailable
from turnkeep.graphs.agent import Agent
from turnkeep.models.openai_chat import openai_chat
from turnkeep.placeholders import PLACEHOLDER
from turnkeep.records import Event, Principal, Reply, Source, Turn
from turnkeep.settings import Settings
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.store import Store
from turnkeep.turns import RunningTurn, TurnRequest
from turnkeep.turns.background import Runs
from turnkeep.turns.following import follow
from turnkeep_local.objects import FolderObjects
from turns_over import turns_over

SECRET = b"secret-of-the-test"
SPOKEN = {"message", "answer"}


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    notes: dict[str, Any]
    found: list[Document]


def lawyer(base_url: str) -> Agent:
    """Finds personal data in every place of a graph, and asks its model about all of it."""
    model = openai_chat("m", Settings(model="openai:m", openai_base_url=base_url))

    def look(state: State) -> State:
        write, asked = get_stream_writer(), state["messages"][-1].text
        write({"seen": {str(canary("event")): [str(canary("event"))]}})
        write({"event": "tool_start", "tool": "lookup", "query": str(canary("event"))})
        if "raise" in asked:
            raise RuntimeError(asked)
        if "ask back" in asked:
            interrupt({"question": str(canary("question"))})
        call = {"name": "lookup", "args": {"who": str(canary("tool"))}, "id": "c1"}
        found: list[AnyMessage] = [AIMessage("", tool_calls=[call], id=uuid.uuid4().hex)]
        found.append(ToolMessage(str(canary("tool")), tool_call_id="c1", id=uuid.uuid4().hex))
        note = canary("state")
        return {"messages": found, "notes": {note.email: [str(note), (note.name,)]}, "found": [Document(str(note))]}

    async def answer(state: State) -> State:
        return {"messages": [await model.ainvoke(["Be brief.", *state["messages"]])]}

    def read_reply(values: Any) -> Reply:
        messages = values["messages"]
        return Reply(
            str(messages[-1].text),
            standalone_query=str(messages[0].text),
            sources=(Source("1", str(canary("details"))),),
            details={"rows": [[str(canary("details"))] * 2] * 40, canary("details").email: values["notes"]},
        )

    graph = StateGraph(State).add_node("look", look).add_node("answer", answer)
    graph.add_edge(START, "look").add_edge("look", "answer")
    return Agent("lawyer", graph.compile(), read_reply, model="m", provider="openai")


@dataclass
class Office:
    """A deployment with one agent, and everything that it stores or sends."""

    model: WireServer
    folder: Path
    http: AsyncClient
    items: MemoryItems
    runs: Runs
    queued: list[Event] = field(default_factory=list)

    async def ask(self, text: str, thread: str | None = "t1", *, key: str = "k1", streamed: bool = False) -> Response:
        path, body = "/chat/stream" if streamed else "/chat", {"message": text, "session_id": thread}
        return await self.http.post(path, json=body, headers={"Idempotency-Key": key} if thread else {})

    async def read(self, path: str) -> str:
        return (await self.http.get(path)).text

    def left(self) -> list[bytes | str]:
        """All that is stored or sent, except the answers."""
        sent = [json.dumps(body, ensure_ascii=False) for body in self.model.bodies]
        stored = [text for item in self.items.stored.values() for text in texts_of(item)]
        queued = [json.dumps(dict(event.data), default=str) for event in self.queued]
        return [*sent, *stored, *queued, *files_in(self.folder)]


type Opens = Callable[..., Office]


@pytest.fixture
def opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opens]:
    def make(*answers: Any, private: str = "lawyer") -> Office:
        server = servers.enter_context(WireServer(list(answers)))
        items, settings = MemoryItems(), Settings(seal_key=SECRET.decode())  # type: ignore[arg-type]
        facts: dict[str, Any] = {"clock": lambda: 1_800_000_000.0, "random_bytes": secrets.token_bytes}
        store = Store(items, Blobs(FolderObjects(tmp_path / "objects")), Codec(SECRET), **facts)
        names, hidden = frozenset({"lawyer", "notary"}), frozenset({private}) - {""}
        agent = lawyer(server.base_url)
        turns = turns_over(store, agent, tuning=settings.turn, clock=facts["clock"], names=names, private=hidden)
        app = bare_app(store=store, turns=turns, settings=settings)
        http = AsyncClient(transport=ASGITransport(app), base_url="http://test")
        office = Office(server, tmp_path, http, items, Runs(turns, store))
        emit = RunningTurn.emit

        def keep(running: RunningTurn, event: Event) -> None:
            office.queued.append(event)
            emit(running, event)

        monkeypatch.setattr(RunningTurn, "emit", keep)
        return office

    with ExitStack() as servers:
        yield make


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


MESSAGE = str(canary("message"))
ANSWER = f"I found this. {canary('answer')} Is that all?"


async def test_a_turn_is_stored_redacted_and_its_owner_reads_everything(
    opens: Opens, streamed: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    office = opens(says(ANSWER))
    answer = await office.ask(MESSAGE, streamed=streamed)
    seen = {*PLACES} - {"question", "tool"} - (set() if streamed else {"event"})
    assert (answer.status_code, places_in([answer.text])) == (200, seen)
    replayed = await office.ask(MESSAGE, streamed=streamed)
    assert replayed.headers["Idempotency-Replayed"] == "true"
    assert places_in([replayed.text]) == seen - {"event"}
    assert places_in([await office.read("/threads/t1/turns/1")]) == seen - {"event"}
    history = json.loads(await office.read("/threads/t1/turns"))["turns"][0]
    assert history["message"] == MESSAGE
    assert history["reply"].split() == ANSWER.split()
    assert "Mi chiamo [PERSON]" in json.loads(await office.read("/threads/t1"))["title"]

    assert len(office.model.bodies) == 1
    assert streamed == ({event.name for event in office.queued} > {"token", "custom", "tool_start"})
    assert found_in([*office.left(), *capfd.readouterr()]) == set()


async def test_the_search_finds_what_an_agent_without_redaction_leaves(opens: Opens) -> None:
    office = opens(says(ANSWER), private="")
    await office.ask(MESSAGE, streamed=True)
    assert places_in(office.left()) == {*PLACES} - {"question"}
    assert places_in(json.dumps(body) for body in office.model.bodies) == {"message", "tool"}
    assert places_in(text for item in office.items.stored.values() for text in texts_of(item)) == {*PLACES} - {
        "question",
        "event",
    }


@pytest.mark.parametrize("wrong", ["the model fails", "the model breaks off", "raise an error"])
async def test_only_its_owner_reads_the_message_of_a_failed_run(
    opens: Opens, streamed: bool, wrong: str, capfd: pytest.CaptureFixture[str]
) -> None:
    script = {
        "the model fails": [fails("500 Oops")] * 2,
        "the model breaks off": [resets, resets],
        "raise an error": [],
    }
    office = opens(*script[wrong])
    office.model.otherwise = fails("500 Oops")
    answer = await office.ask(f"{MESSAGE} Please {wrong}", streamed=streamed)
    office.model.script.clear()
    assert '"code"' in answer.text
    assert json.loads(await office.read("/threads/t1"))["pending"]["message"] == f"{MESSAGE} Please {wrong}"
    assert found_in([*office.left(), *capfd.readouterr()]) == set()


async def test_an_interrupted_run_is_redacted(opens: Opens) -> None:
    office = opens(says(ANSWER))
    asked = (await office.ask(f"ask back. {MESSAGE}")).json()
    assert asked["reply"] == str(canary("question"))
    assert found_in(office.left()) == set()
    assert places_in([(await office.ask(f"Yes. {MESSAGE}", key="k2")).text]) >= SPOKEN
    assert found_in(office.left()) == set()


async def test_a_stateless_run_is_redacted_and_stores_nothing(opens: Opens, streamed: bool) -> None:
    office = opens(says(ANSWER))
    assert places_in([(await office.ask(MESSAGE, None, streamed=streamed)).text]) >= SPOKEN
    assert (found_in(office.left()), office.items.stored) == (set(), {})


async def test_a_queued_request_is_encrypted_and_its_turn_restored(opens: Opens) -> None:
    office, who, tokens = opens(says(ANSWER)), Principal("local", "local"), list[str]()

    async def launch(token: str) -> None:
        tokens.append(token)

    office.runs.launch_by(launch)
    office.runs.store.threads.create(who, "t1", agent="lawyer")
    record = await office.runs.enqueue(TurnRequest(who, MESSAGE, thread_id="t1", streamed=True))
    assert found_in([*office.left(), *tokens]) == set()
    await office.runs.work(*tokens)
    assert found_in(office.left()) == set()

    async def end(joined: RunningTurn) -> Turn:
        turn, last = await follow(office.runs, joined, who, 1)
        assert last
        return turn

    joined = RunningTurn(thread_id="t1", run_id=record.run_id, redactor=office.runs._turns.redactor(who, "t1"))
    *events, complete = [event async for event in joined.run(end).events()]
    assert places_in([str(dict(event.data)) for event in events]) >= {"answer", "event"}
    assert (complete.data["turn"].message, complete.data["turn"].private) == (MESSAGE, True)


async def test_a_placeholder_cut_anywhere_in_a_stream_is_restored(opens: Opens) -> None:
    office = opens(says(ANSWER))
    await office.ask(MESSAGE)
    mine = next(at[0] for at in PLACEHOLDER.finditer(json.dumps(office.model.bodies[0])) if at[1] == "EMAIL")
    text = f"Ask {mine} or {canary('question').email}, not https://evil.example/a?q={mine}\n"

    def letters(exchange: Exchange) -> None:
        exchange.start_stream()
        for letter in text:
            exchange.send_event(chunk({"content": letter}))
        exchange.send_event(chunk({}, "stop"))
        exchange.end_stream()

    office.model.script.append(letters)
    events = read_events((await office.ask("Whom?", key="k2", streamed=True)).text)
    restored = text.replace(mine, canary("message").email, 1)
    assert "".join(data["content"] for name, _, data in events if name == "token") == restored
    assert events[-1][2]["reply"].strip() == restored.strip()
    assert found_in(office.left()) == set()


@pytest.mark.parametrize("last", range(1, 5))
async def test_a_writer_that_dies_leaves_nothing_in_the_clear(
    opens: Opens, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    office, writes = opens(says(ANSWER)), itertools.count(1)
    office.model.script *= last > 1

    def dies(call: Any) -> Any:
        def write(*given: Any, **more: Any) -> Any:
            if next(writes) > last:
                raise StoreUnavailable
            return call(*given, **more)

        return write

    for name in ("update", "put", "write_many"):
        monkeypatch.setattr(office.items, name, dies(getattr(office.items, name)))
    await office.ask(MESSAGE)
    office.model.script.clear()
    assert office.items.stored
    assert found_in(office.left()) == set()


async def test_a_failed_detector_ends_the_request_and_nothing_is_stored(
    opens: Opens, monkeypatch: pytest.MonkeyPatch, streamed: bool
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError(MESSAGE)

    office = opens()
    monkeypatch.setattr("turnkeep.pii.redacted", fail)
    answer = await office.ask(MESSAGE, streamed=streamed)
    assert (answer.status_code, answer.json()["code"]) == (503, "privacy_unavailable")
    assert (office.items.stored, office.model.bodies, office.queued) == ({}, [], [])
