"""Graphs of a langgraph.json as agents: every kind of them, what they are given, what is read of their end, and how one
that cannot be served is told."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from memory_items import MemoryItems

from turnkeep.errors import AgentFault, InvalidRequest
from turnkeep.graphfile import GraphFile, read_graph_file
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import build_all, build_own
from turnkeep.records import Principal, Turn
from turnkeep.settings import UnusableFile
from turnkeep.turns import TurnRequest
from turnkeep.turns.request import GraphCall
from turnkeep_local.objects import FolderObjects
from turns_over import table_over, turns_over

ANN = Principal("acme", "ann")
SOURCE = """
from __future__ import annotations

import random
import threading
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime, get_runtime

from turnkeep.records import RunContext

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph_sdk.runtime import ServerRuntime

OPENED = []


@dataclass
class Context:
    tone: str = ""


class Question(TypedDict):
    question: str
    pages: list[str]


class Two(TypedDict):
    left: str
    right: str


class Held(TypedDict, total=False):
    messages: list[str]
    lock: object
    big: str


def said(state, text):
    return {"messages": [AIMessage(text)]}


def line(schema, node, **options):
    return StateGraph(schema, **options).add_node("node", node).add_edge(START, "node")


builder = line(MessagesState, lambda state: said(state, f"heard {len(state['messages'])}"))
compiled = builder.compile()
own_saver = builder.compile(checkpointer=InMemorySaver())


async def slow(state):
    return said(state, "async")


coroutine = line(MessagesState, slow).compile()


@entrypoint()
def functional(question: str, *, previous: int | None = None):
    return entrypoint.final(value=f"{question} {previous or 0}", save=(previous or 0) + 1)


def named(tone):
    return line(MessagesState, lambda state: said(state, f"tone {tone}"))


def make():
    return builder


async def make_of_config(config: RunnableConfig):
    return named(config["configurable"].get("tone"))


async def make_of_both(config: RunnableConfig, runtime: ServerRuntime):
    running = runtime.execution_runtime
    OPENED.append((runtime.access_context, running and running.context, runtime.store is not None))
    return named(config["configurable"].get("tone"))


@contextmanager
def opens(config):
    OPENED.append("open")
    yield named("opened")
    OPENED.append("closed")


@asynccontextmanager
async def opens_later():
    OPENED.append("open")
    yield named("opened later").compile()
    OPENED.append("closed")


def of_context(state, runtime: Runtime[Context]):
    return said(state, f"tone {runtime.context.tone}")


with_context = line(MessagesState, of_context, context_schema=Context).compile()


def of_run(state, runtime: Runtime[RunContext]):
    return said(state, f"{runtime.context.principal.user} {runtime.context.client}")


with_run = line(MessagesState, of_run, context_schema=RunContext).compile()


def of_config(state, config):
    names = sorted(name for name in config["configurable"] if not name.startswith(("__", "check")))
    return said(state, " ".join(names))


with_config = line(MessagesState, of_config).compile()


no_messages = line(Question, lambda state: {"pages": [*state.get("pages", []), state["question"]]}).compile()
one_text = line(Question, lambda state: {}, output_schema=TypedDict("Out", {"question": str})).compile()
pages = line(Question, lambda state: {"pages": [state["question"]]}, output_schema=TypedDict("Out", {"pages": list}))
one_list = pages.compile()
two_texts = line(Two, lambda state: {}).compile()
with_lock = line(Held, lambda state: {"lock": threading.Lock()}).compile()
with_lock_inside = line(Held, lambda state: {"messages": [{"of": threading.Lock()}]}).compile()
LETTERS = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=200_000))
grows = line(Held, lambda state: {"big": LETTERS}).compile()


def fails(config):
    raise RuntimeError("no such model")


def three(one, two, three):
    return builder


speaks_once = line(MessagesState, lambda state: {} if state["messages"][1:] else said(state, "welcome")).compile()
number = 3
dangling = StateGraph(MessagesState).add_node("a", slow)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> GraphFile:
    folder = tmp_path_factory.mktemp("own")
    (folder / "kinds_of_graphs.py").write_text(SOURCE)
    (folder / "broken_on_import.py").write_text("import surely_not_installed.deep")
    (folder / "raises_on_import.py").write_text("1 / 0")
    (folder / "ends_on_import.py").write_text("raise SystemExit('no settings')")
    path = folder / "langgraph.json"
    path.write_text(json.dumps({"graphs": {"any": "./kinds_of_graphs.py:compiled"}}))
    return read_graph_file(path)


Build = Callable[..., Agent]


@pytest.fixture
def build(file: GraphFile, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setattr(sys, "path", [*sys.path])

    def built(attribute: str, source: str = "./kinds_of_graphs.py", **more: Any) -> Agent:
        return build_own(file, replace(file.graphs["any"], source=source, attribute=attribute, **more))

    return built


@pytest.fixture
def play(folder_objects: FolderObjects) -> Callable[..., Any]:
    """One turn of thread "t" in a table in memory."""
    items, memory = MemoryItems(), InMemoryStore()

    async def played(agent: Agent, message: str = "hello", call: GraphCall | None = None) -> Turn:
        turns = turns_over(table_over(items, folder_objects), agent, stores=lambda _: memory)
        return await (await turns.start(TurnRequest(ANN, message, thread_id="t", create=True, call=call))).finish()

    return played


KINDS = {
    "compiled": "heard 1",
    "builder": "heard 1",
    "own_saver": "heard 1",
    "coroutine": "async",
    "functional": "hello 0",
    "make": "heard 1",
    "make_of_config": "tone None",
    "opens": "tone opened",
    "opens_later": "tone opened later",
}


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_graph_answers(kind: str, build: Build, play: Any) -> None:
    turn = await play(build(kind))
    assert (turn.reply, turn.persisted) == (KINDS[kind], True)


@pytest.mark.parametrize("kind", ["opens", "opens_later"])
async def test_what_a_graph_opens_is_closed_after_its_run(kind: str, build: Build, play: Any) -> None:
    agent = build(kind)
    opened = sys.modules["__kinds_of_graphs"].OPENED
    opened.clear()
    await play(agent)
    assert opened == ["open", "closed"]


async def test_a_factory_gets_a_store_when_drawn_and_the_config_and_runtime_of_its_run(build: Build, play: Any) -> None:
    agent = build("make_of_both")
    opened = sys.modules["__kinds_of_graphs"].OPENED
    assert opened[-1] == ("assistants.read", None, True)
    call = GraphCall(input={"messages": "hello"}, config={"configurable": {"tone": "kind"}}, context={"a": 1})
    assert (await play(agent, call=call)).reply == "tone kind"
    assert opened[-1] == ("threads.create_run", {"a": 1}, True)


@pytest.mark.parametrize(
    ("graph", "call", "reply"),
    [
        ("with_context", {"context": {"tone": "kind", "more": 1}}, "tone kind"),
        ("with_context", {"config": {"configurable": {"tone": "dry"}}}, "tone dry"),
        ("with_context", {}, "tone "),
        ("with_run", {"context": {"tone": "kind"}}, "ann {'tone': 'kind'}"),
        ("with_config", {"context": {"tone": "kind"}}, "run_id thread_id tone"),
    ],
)
async def test_context_and_config_are_those_of_langgraph(
    graph: str, call: dict[str, Any], reply: str, build: Build, play: Any
) -> None:
    turn = await play(build(graph), call=GraphCall(input={"messages": "hello"}, **call))
    assert turn.reply == reply


async def test_a_graph_without_messages_takes_its_one_text_and_keeps_its_state(build: Build, play: Any) -> None:
    await play(build("no_messages"), "first")
    turn = await play(build("no_messages"), "second")
    assert json.loads(turn.reply) == {"question": "second", "pages": ["first", "second"]}
    assert turn.details["values"] == {"question": "second", "pages": ["first", "second"]}


async def test_an_output_of_one_text_is_the_reply_and_any_other_its_json(build: Build, play: Any) -> None:
    assert (await play(build("one_text"), "only this")).reply == "only this"
    turn = await play(build("one_list"), "only this")
    assert json.loads(turn.reply) == turn.details["values"] == {"pages": ["only this"]}


async def test_a_turn_that_says_nothing_does_not_repeat_an_earlier_reply(build: Build, play: Any) -> None:
    assert [(await play(build("speaks_once"))).reply for _ in range(2)] == ["welcome", ""]


async def test_a_graph_that_no_message_begins_says_what_does(build: Build, play: Any) -> None:
    with pytest.raises(InvalidRequest, match=r"send its `input` to /threads/\{thread_id\}/runs, or name the key"):
        await play(build("two_texts"))
    named = await play(build("two_texts", message="left"))
    assert json.loads(named.reply) == {"left": "hello"}
    called = await play(build("two_texts"), call=GraphCall(input={"left": "a", "right": "b"}))
    assert json.loads(called.reply) == {"left": "a", "right": "b"}


@pytest.mark.parametrize(("graph", "channel"), [("with_lock", "lock"), ("with_lock_inside", "messages")])
async def test_a_state_that_cannot_be_stored_names_its_channel_and_costs_nothing(
    graph: str, channel: str, build: Build, play: Any
) -> None:
    kept = {"messages": ["kept"]}
    await play(build("grows"), call=GraphCall(input=kept))
    with pytest.raises(AgentFault, match=f"The state's `{channel}` cannot be stored: Type is not msgpack serializable"):
        await play(build(graph), call=GraphCall(input=kept))
    assert (await play(build("grows"), call=GraphCall(input=kept))).number == 2


async def test_a_large_write_is_logged(build: Build, play: Any, log: StringIO) -> None:
    await play(build("compiled"))
    assert "turn writes much" not in log.getvalue()
    await play(build("grows"), call=GraphCall(input={"messages": ["x"]}))
    [told] = [json.loads(line) for line in log.getvalue().splitlines() if "turn writes much" in line]
    assert (told["level"], told["wcu"] > 100) == ("WARNING", True)


FAULTS = {
    ("nothing", "./kinds_of_graphs.py"): "has no `nothing`; it has builder, compiled, own_saver, coroutine",
    ("number", "./kinds_of_graphs.py"): "`number` is neither a graph nor a function that returns one",
    ("dangling", "./kinds_of_graphs.py"): "`dangling` cannot be served: ValueError: Graph must have an entrypoint",
    ("fails", "./kinds_of_graphs.py"): "`fails` returns no graph for an empty config: RuntimeError: no such model",
    ("three", "./kinds_of_graphs.py"): "takes no arguments, `config`, `runtime`, or both",
    ("graph", "./broken_on_import.py"): "needs the package surely_not_installed: `uv pip install surely-not-installed`",
    ("graph", "surely_not.installed"): "needs the package surely_not: `uv pip install surely-not`",
    ("graph", "./raises_on_import.py"): "cannot be imported: ZeroDivisionError: division by zero",
    ("graph", "./ends_on_import.py"): "cannot be imported: SystemExit: no settings",
}


@pytest.mark.parametrize("place", FAULTS)
def test_a_graph_that_cannot_be_served_is_told_with_line_and_remedy(
    place: tuple[str, str], build: Build, file: GraphFile
) -> None:
    with pytest.raises(UnusableFile) as raised:
        build(*place)
    assert str(raised.value).startswith(f"{file.path}:1: graph `any`")
    assert FAULTS[place] in str(raised.value)


def test_a_message_key_that_the_input_has_not_is_told(build: Build) -> None:
    with pytest.raises(UnusableFile, match="`message` names topic, but the input has question, pages"):
        build("no_messages", message="topic")


def test_all_faults_of_a_file_are_told_at_once(file: GraphFile, build: Build) -> None:
    spec = file.graphs["any"]
    graphs = {"good": spec, "bad": replace(spec, attribute="nothing"), "worse": replace(spec, fault="worse: gone")}
    agents, told = build_all(replace(file, graphs=graphs))
    assert (list(agents), "nothing" in told[0], told[1]) == (["good"], True, "worse: gone")
