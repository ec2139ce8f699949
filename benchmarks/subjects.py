"""The agents of ours that are measured, and the services and stores they are measured on."""

import contextlib
import io
import os
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypedDict

import boto3
from botocore.config import Config
from langgraph.graph import END, START
from pydantic import SecretStr

import six_nodes
from texts import JSON, Texts
from turnkeep.bootstrap import build
from turnkeep.documents.pipeline import Pipeline
from turnkeep.graphfile import GraphSpec
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import as_agent
from turnkeep.kit.citations import ARXIV, Citing
from turnkeep.kit.verification import Sources
from turnkeep.models.chat import Models
from turnkeep.records import Principal, Reply, Turn
from turnkeep.settings import Settings
from turnkeep.store.blobs import Objects
from turnkeep.store.keys import partition
from turnkeep.store.opening import make_table
from turnkeep.store.uploads import KeptUploads
from turnkeep.store.usage import Usage
from turnkeep.tuning import BudgetTuning, TurnTuning
from turnkeep.turns import TurnRequest, Turns
from turnkeep.turns.request import GraphCall
from turnkeep_agents.papers.corpus import open_corpus
from turnkeep_agents.papers.graph import WINDOW_TURNS, compile_graph, read_reply
from turnkeep_agents.papers.nodes import Nodes
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_agents.papers.state import new_turn
from turnkeep_demo.model import DemoChatModel
from turnkeep_local.dynamodb import dynamodb_local
from turnkeep_local.emulator import JAVA_MISSING, fetch_emulator, find_emulator, find_java

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# As long as the ids of a real user pool are: keys are paid for in every item.
USER = Principal("example", "5d3c7a52-9f0e-4e5c-8a55-6f1f5f0c2b11")
CREDENTIALS: dict[str, Any] = {
    "region_name": "eu-west-1",
    "aws_access_key_id": "benchmark",
    "aws_secret_access_key": "benchmark",
}


class MemoryObjects:
    """Large values in memory; counts the objects that were put."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.puts = 0

    def put(self, key: str, body: bytes | IO[bytes]) -> None:
        self.held[key] = body if isinstance(body, bytes) else body.read()
        self.puts += 1

    def link(self, key: str, seconds: int) -> str:
        return key

    def get(self, key: str) -> bytes:
        return self.held[key]

    def names(self, prefix: str) -> Iterator[str]:
        return iter([key for key in self.held if key.startswith(prefix)])

    def delete(self, keys: list[str]) -> None:
        for key in keys:
            self.held.pop(key, None)


@contextlib.contextmanager
def store() -> Iterator[str]:
    """DynamoDB Local in memory; yields its URL."""
    java = find_java(os.environ)
    if java is None:
        raise SystemExit(JAVA_MISSING)
    emulator = find_emulator(os.environ) or fetch_emulator(os.environ, print)
    with (
        tempfile.TemporaryDirectory() as folder,
        dynamodb_local(java, emulator, ["-inMemory", "-sharedDb"], log=Path(folder) / "log") as url,
    ):
        yield url


def client(url: str) -> "DynamoDBClient":
    return boto3.client("dynamodb", endpoint_url=url, config=Config(retries={"max_attempts": 1}), **CREDENTIALS)


def new_table(dynamodb: "DynamoDBClient") -> str:
    """A table as template.yaml has it; gives its name."""
    name = f"turnkeep-{uuid.uuid4().hex}"
    make_table(dynamodb, name)
    return name


class Conversation:
    """One thread talked on by one agent."""

    def __init__(
        self,
        agent: Agent,
        dynamodb: "DynamoDBClient",
        table_name: str,
        *,
        objects: Objects | None = None,
        clock: Callable[[], float] = time.time,
        tuning: TurnTuning | None = None,
        limits: BudgetTuning | None = None,
        private: bool = False,
    ):
        secret = SecretStr("benchmark")
        tuned: dict[str, Any] = {"turn": tuning or TurnTuning(), "budget": limits or BudgetTuning()}
        self._settings = settings = Settings(table_name=table_name, model="demo", seal_key=secret, **tuned)
        self._objects = objects or MemoryObjects()
        services = build(settings, dynamodb=dynamodb, objects=self._objects, clock=clock)
        self.store = services.store
        self.cleanup = services.cleanup
        self.thread_id = uuid.uuid4().hex
        self.agent = agent
        self.usage = Usage(self.store.heads, settings.budget)
        self._turns = Turns(
            self.store,
            lambda _: agent,
            tuning=settings.turn,
            default_agent=agent.name,
            clock=clock,
            usage=self.usage if limits else None,
            private=frozenset({agent.name} if private else ()),
            attachments=services.attachments,
        )
        self._attachments = services.attachments

    def start_over(self) -> None:
        """Goes on with a new thread."""
        self.thread_id = uuid.uuid4().hex

    def attach(self, name: str, text: str) -> None:
        """Begins the thread with a document that every turn may read."""
        document_id = uuid.uuid4().hex
        self.store.threads.create(USER, self.thread_id, agent=self.agent.name)
        self._attachments.add(USER, self.thread_id, document_id, name=name, size=len(text), content_type=None)
        key, owner = self._attachments.place(partition(USER, self.thread_id), document_id)
        KeptUploads(self._objects).put(key, owner, text.encode())
        Pipeline(self._attachments, self._settings).process(key)

    async def say_all(self, messages: Iterable[str]) -> None:
        for message in messages:
            await self.say(message)

    async def say(self, message: str, *, key: str | None = None, base: int | None = None) -> Turn:
        """One turn, without the metrics that it prints; fails where it is not kept. From `base` it branches."""
        call = None
        if self.agent.is_own:  # a client of LangGraph sets the keys of a turn itself
            call = GraphCall({**six_nodes.new_turn(), "messages": [{"type": "human", "content": message}]})
        request = TurnRequest(USER, message, thread_id=self.thread_id, key=key, create=True, base=base, call=call)
        with contextlib.redirect_stdout(io.StringIO()):
            turn = await (await self._turns.start(request)).finish()
        if not turn.persisted:
            raise RuntimeError("the store did not keep a turn")
        return turn


def six(texts: Texts) -> Agent:
    """The graph that the peers run too."""

    def reply(values: Mapping[str, Any]) -> Reply:
        return Reply(values["reply"], route=values["route"])

    return Agent("papers", six_nodes.build(texts).compile(), reply, six_nodes.new_turn, window=WINDOW_TURNS)


def own_six(texts: Texts) -> Agent:
    """The same graph, as a langgraph.json without a window serves it."""
    return as_agent(six_nodes.build(texts), GraphSpec("six", "six_nodes.py", "graph", "langgraph.json"))


class NotesState(TypedDict):
    notes: JSON


class _Judge(Citing):
    """Lets every text pass: what is measured here is its size."""

    def problems(self, unit: str) -> list[str]:
        return []


class _Unjudged(Nodes):
    def _judge(self, papers: Any, *_: Any, **__: Any) -> Citing:
        return _Judge(papers, [], self.corpus.by_id, ARXIV, Sources())


def papers(texts: Texts) -> Agent:
    """The papers agent, whose demo model finds everything in scope and relevant and answers REPLY_BYTES, beside a node
    that fills a working state to its limit."""
    model = DemoChatModel(
        rules={
            "papers.read": lambda parts: {
                "question": parts["query"],
                "kind": "question",
                "searches": [parts["query"]],
                "breadth": "few",
                "years": [],
                "language": "en",
                "reason": "measured",
                "score": 100,
            },
            "papers.grade": lambda parts: {"relevant_ids": [row["id"] for row in parts["documents"]]},
            "papers.answer": lambda _: texts.reply(),
        }
    )
    nodes = _Unjudged(Models(model, model, "demo", "demo"), open_corpus(None), PapersSettings())
    graph = compile_graph(nodes).builder
    graph.compiled = False  # it is compiled anew below
    graph.add_node("fill_state", lambda _: {"notes": texts.notes()}, input_schema=NotesState)
    graph.add_edge(START, "fill_state")
    graph.add_edge("fill_state", END)
    return Agent("papers", graph.compile(), read_reply, new_turn, window=WINDOW_TURNS)
