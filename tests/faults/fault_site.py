"""Turns over the stores of a test, here or in a child process that is forked for one request and may die in it."""

import asyncio
import functools
import multiprocessing
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import boto3
from botocore.config import Config
from fault_agents import BUILDERS
from fault_hooks import Faults, Kind, ModelCalls, at_call
from langchain_core.messages import BaseMessage

from turnkeep import DynamoDBSaver
from turnkeep.bootstrap import CLIENT_CONFIG, store_config
from turnkeep.errors import TurnkeepError
from turnkeep.graphs.agent import Agent
from turnkeep.records import Principal, Turn
from turnkeep.settings import Settings
from turnkeep.store.blobs import Blobs, S3Objects
from turnkeep.store.checkpoints import RunCheckpointer
from turnkeep.store.codec import Codec
from turnkeep.store.direct import Direct
from turnkeep.store.items import Items
from turnkeep.store.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns import TurnRequest, Turns
from turnkeep.turns.background import Runs

ANNA = Principal("acme", "anna")
CREDENTIALS = {"region_name": "eu-west-1", "aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
PRELOADED = ["boto3", "langgraph.graph", "openai", "turnkeep.turns.life", "turnkeep.turns.graph", "turnkeep.bootstrap"]
PATIENCE_SECONDS = 300
SECRET = "a secret"

type Clock = Callable[[], float]


@dataclass(frozen=True)
class Site:
    """Where the stores of a test are; it is passed to child processes. Requests to the table skip botocore's layers, as
    in a deployment, unless `direct` is false."""

    dynamodb_url: str
    table_name: str
    s3_url: str
    bucket: str
    direct: bool = True

    def store(self, faults: Faults | None = None, *, clock: Clock = time.time, lease_seconds: float = 30) -> Store:
        """A store as a deployment has it; one with faults has its own clients."""
        dynamodb, s3, direct = _broken(self, faults) if faults else _whole(self)
        return Store(
            Items(dynamodb, self.table_name, direct=direct),
            Blobs(S3Objects(s3, self.bucket)),
            Codec(SECRET.encode()),
            clock=clock,
            random_bytes=secrets.token_bytes,
            lease_seconds=lease_seconds,
        )

    def saver(self, faults: Faults | None = None, **options: Any) -> DynamoDBSaver:
        """The saver that a user's own graph has."""
        os.environ |= {"AWS_ENDPOINT_URL_DYNAMODB": self.dynamodb_url, "DYNAMODB_DIRECT": str(self.direct)}
        who = {"tenant": ANNA.tenant, "user": ANNA.user}
        saver = DynamoDBSaver(self.table_name, seal_key=SECRET, **who, **options)
        if faults:
            faults.attach(saver._client, saver._store.heads.items.direct)
        return saver

    def turns(
        self,
        faults: Faults | None = None,
        *,
        agent: str | Agent = "story",
        clock: Clock = time.time,
        tuning: TurnTuning | None = None,
        store: Store | None = None,
    ) -> Turns:
        tuning = tuning or TurnTuning()
        return Turns(
            store or self.store(faults, clock=clock, lease_seconds=tuning.lease_seconds),
            functools.cache(lambda name: _build(agent, faults)),
            tuning=tuning,
            default_agent=agent if isinstance(agent, str) else agent.name,
            clock=clock,
        )

    def runs(
        self, faults: Faults | None = None, *, clock: Clock = time.time, debounce_seconds: float = 1.5, **more: Any
    ) -> Runs:
        """Background runs over their own turns."""
        tuning = more.get("tuning")
        lease = {"lease_seconds": tuning.lease_seconds} if tuning else {}
        store = self.store(faults, clock=clock, **lease)
        return Runs(self.turns(faults, clock=clock, store=store, **more), store, debounce_seconds)


def _build(agent: str | Agent, faults: Faults | None) -> Agent:
    if isinstance(agent, Agent):
        return agent
    return BUILDERS[agent]([ModelCalls(faults)] if faults else [])


def _clients(site: Site) -> tuple[Any, Any, Direct | None]:
    session, more = boto3.Session(**CREDENTIALS), Config(max_pool_connections=32)
    config = Config(**store_config(Settings(dynamodb_direct=site.direct))).merge(more)
    dynamodb = session.client("dynamodb", endpoint_url=site.dynamodb_url, config=config)
    s3 = session.client("s3", endpoint_url=site.s3_url, config=Config(**CLIENT_CONFIG).merge(more))
    return dynamodb, s3, Direct.of(dynamodb, session.get_credentials()) if site.direct else None


_whole = functools.cache(_clients)


def _broken(site: Site, faults: Faults) -> tuple[Any, Any, Direct | None]:
    dynamodb, s3, direct = _clients(site)
    return faults.attach(dynamodb, direct), faults.attach(s3), direct


def request(thread_id: str, message: str, key: str) -> TurnRequest:
    return TurnRequest(ANNA, message, thread_id=thread_id, key=key, create=True)


async def send(turns: Turns, wanted: TurnRequest) -> Turn:
    return await (await turns.start(wanted)).finish()


def later(seconds: float) -> Clock:
    return lambda: time.time() + seconds


def messages_of(store: Store, thread_id: str) -> list[tuple[str, str]]:
    """Type and text of all messages, as the next run would find them in its state."""
    loaded = store.turns.load(store.heads.read(ANNA, thread_id), None)
    found = RunCheckpointer(loaded).get_tuple({"configurable": {"thread_id": thread_id}})
    if found is None:
        return []
    messages: list[BaseMessage] = found.checkpoint["channel_values"]["messages"]
    return [(message.type, message.text) for message in messages]


def questions(site: Site) -> list[str]:
    """The messages of users in thread `t`."""
    return [text for kind, text in messages_of(site.store(), "t") if kind == "human"]


# child processes: forked from a server that has loaded the libraries and runs nothing, so nothing is shared

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(PRELOADED)


@dataclass(frozen=True)
class Death:
    """At which of its calls the child gets which fault."""

    at: int
    kind: Kind
    lease_seconds: float = 30


@dataclass(frozen=True)
class Child:
    process: BaseProcess
    line: Connection

    def receive(self, seconds: float = PATIENCE_SECONDS) -> Any:
        """The next message of the child; None when it is dead."""
        assert self.line.poll(seconds), "the child is silent"
        try:
            return self.line.recv()
        except EOFError:
            return None

    def messages(self) -> list[Any]:
        """All its messages until it ends."""
        words = list(iter(self.receive, None))
        self.process.join(PATIENCE_SECONDS)
        return words


@contextmanager
def child(target: Callable[..., None], *args: Any) -> Iterator[Child]:
    """Runs target(line, *args) in a forked process that does not outlive the block."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=target, args=(theirs, *args), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Child(process, ours)
    finally:
        process.kill()
        process.join()
        ours.close()


def silence() -> None:
    """Discard the metrics and logs of a child process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def answer_once(line: Connection, site: Site, agent: str, wanted: TurnRequest, death: Death) -> None:
    """Send one request; report each call before it is made, then the turn or the error."""
    silence()
    faults = Faults(at_call(death.at, death.kind), on_call=line.send)
    tuning = TurnTuning(lease_seconds=death.lease_seconds)
    turns = site.turns(faults, agent=agent, tuning=tuning)
    try:
        line.send(asyncio.run(send(turns, wanted)))
    except TurnkeepError as error:
        line.send(error)
    line.close()
