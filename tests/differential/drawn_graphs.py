"""Graphs from a short description, and what their nodes do. A node is a text of steps, such as "ask; put enum; look",
or a graph inside; a graph has layers of nodes that run side by side."""

import dataclasses
import operator
from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, cast
from uuid import UUID

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.config import get_store, get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph, add_messages
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel, SecretBytes, SecretStr

JSON = dict[str, Any]


class Mood(Enum):
    GOOD = "good"


class Word(StrEnum):
    ONE = "one"


class Level(IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: Any


@dataclasses.dataclass
class Note:
    text: str
    mood: Mood = Mood.GOOD


class Page(BaseModel):
    title: str
    key: SecretStr = SecretStr("s3")
    notes: list[Note] = []


class Divider(BaseMessage):
    type: Literal["divider"] = "divider"


class Loud(AIMessage):
    volume: int = 1


VALUES: dict[str, Callable[[], Any]] = {
    "enum": lambda: [Mood.GOOD, Word.ONE, Level.HIGH],
    "secret": lambda: SecretStr("hunter2"),
    "secretbytes": lambda: {"in": SecretBytes(b"hunter2")},
    "bytes": lambda: b"\x00\xff",
    "bytearray": lambda: bytearray(b"ab"),
    "set": lambda: {1, 2},
    "frozenset": lambda: frozenset({"a"}),
    "tuple": lambda: (1, (2, [3])),
    "deque": lambda: deque([1, 2]),
    "datetime": lambda: [datetime(2026, 1, 2, 3, 4, 5, 6, UTC), date(2026, 1, 2), timedelta(days=1, seconds=2)],
    "decimal": lambda: Decimal("1.10"),
    "uuid": lambda: UUID(int=7),
    "path": lambda: PurePosixPath("/a/b"),
    "half": lambda: ["b \ud83d"],
    "halfkey": lambda: {"k\ud83d": "\ude00"},
    "nul": lambda: "a\x00b",
    "emoji": lambda: {"🙂": "e\u0301\u202e"},
    "nan": lambda: [float("nan"), float("inf"), -0.0],
    "big": lambda: 2**63 - 1,
    "huge": lambda: 2**70,
    "intkey": lambda: {1: "a", 2.5: "b", None: "c", False: "d"},
    "tuplekey": lambda: {(1, 2): "a"},
    "none": lambda: None,
    "empty": lambda: [{}, [], "", ()],
    "note": lambda: Note("n"),
    "page": lambda: {"pages": [Page(title="t", notes=[Note("n")])]},
    "point": lambda: Point(1, Point(2, {3})),
    "document": lambda: Document("text", metadata={"at": date(2026, 1, 2)}),
    "message": lambda: [HumanMessage("m", id="id-v"), Loud("l", id="id-l", volume=3)],
    "error": lambda: ValueError("wrong"),
    "class": lambda: Mood,
    "lock": lambda: __import__("threading").Lock(),
    "complex": lambda: complex(1, 2),
    "long": lambda: "x" * 70_000,
}
"""What a node may put into the state."""

SAID: dict[str, Callable[[], BaseMessage]] = {
    "human": lambda: HumanMessage("h"),
    "ai": lambda: AIMessage("a", additional_kwargs={"k": (1,)}, response_metadata={"at": 1}),
    "half": lambda: AIMessage("cut \ud83d"),
    "blocks": lambda: AIMessage([{"type": "text", "text": "b"}, "c"], name="bot"),
    "call": lambda: AIMessage("", tool_calls=[{"name": "f", "args": {"a": [1, None]}, "id": "call"}]),
    "tool": lambda: ToolMessage("t", tool_call_id="call", artifact={"rows": (1, 2)}, status="error"),
    "divider": lambda: Divider(content="---"),
    "loud": lambda: Loud("l", volume=7),
    "base": lambda: BaseMessage(content="b", type="note"),
}
CHANGES: dict[str, tuple[str, Any]] = {
    "object": ("content", {"answer": 42}),
    "number": ("content", 7),
    "nothing": ("content", None),
    "name": ("name", 5),
    "usage": ("usage_metadata", {"input_tokens": 1}),
    "kwargs": ("additional_kwargs", None),
    "calls": ("tool_calls", [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]),
    "status": ("status", "failed"),
    "text": ("content", "changed"),
}
"""What a node may assign to a message."""


def merged(old: Any, new: Any) -> Any:
    return {**(old or {}), **(new or {})}


def appended(old: list[str], new: list[str]) -> list[str]:
    """An inner graph returns the whole log, which begins with the log that it was given."""
    return [*old, *(new[len(old) :] if len(new) > len(old) and new[: len(old)] == old else new)]


class Typed(TypedDict, total=False):
    log: Annotated[list[str], appended]
    messages: Annotated[list[AnyMessage], add_messages]
    bag: Annotated[dict[str, Any], merged]
    value: Any
    mood: Mood
    runs: Annotated[int, operator.add]


@dataclasses.dataclass
class Data:
    log: Annotated[list[str], appended] = dataclasses.field(default_factory=list)
    messages: Annotated[list[Any], add_messages] = dataclasses.field(default_factory=list)
    bag: Annotated[dict[str, Any], merged] = dataclasses.field(default_factory=dict)
    value: Any = None
    mood: Mood | None = None
    runs: Annotated[int, operator.add] = 0


class Model(BaseModel):
    log: Annotated[list[str], appended] = []
    messages: Annotated[list[Any], add_messages] = []
    bag: Annotated[dict[str, Any], merged] = {}
    value: Any = None
    mood: Mood | None = None
    runs: Annotated[int, operator.add] = 0


class Log(TypedDict, total=False):
    log: Annotated[list[str], appended]


STATES: dict[str, Any] = {"typed": Typed, "data": Data, "model": Model}


@dataclasses.dataclass(frozen=True)
class Graph:
    """`narrow` names what has the log alone: "in", "out", both. `memory`: as an inner graph it has a checkpointer of
    its own. `waits`: a layer begins when all nodes before it have ended."""

    layers: tuple[tuple[Any, ...], ...]
    state: str = "typed"
    narrow: str = ""
    memory: bool = False
    waits: bool = True


@dataclasses.dataclass(frozen=True)
class Function:
    """An @entrypoint: each text of steps is a @task, those of `layers` side by side."""

    layers: tuple[tuple[str, ...], ...]
    saves: bool = True


def has_memory(spec: Any) -> bool:
    inner = nodes_of([each for layer in spec.layers for each in layer], Graph)
    return any(each.memory or has_memory(each) for each in inner)


def is_line(spec: Any) -> bool:
    """Nodes run one after the other, so that one may change a message in the state while no other reads it."""
    nodes = [each for layer in spec.layers for each in layer]
    is_own = all(len(layer) == 1 for layer in spec.layers) and all(map(is_line, nodes_of(nodes, Graph)))
    return is_own and not any(verb in each for each in nodes_of(nodes, str) for verb in ("to ", "send "))


def nodes_of(nodes: list[Any], kind: type) -> list[Any]:
    return [each for each in nodes if isinstance(each, kind)]


def built(spec: "Graph | Function", prefix: str = "n", *, alone: bool | None = None) -> Any:
    alone = is_line(spec) if alone is None else alone
    if isinstance(spec, Function):
        return functional(spec, alone=alone)
    schemas: Any = {f"{each}put_schema": Log for each in ("in", "out") if each in spec.narrow.split()}
    graph, names = StateGraph(STATES[spec.state], **schemas), named(spec, prefix)
    targets = [each for layer in names for each in layer]
    for before, layer, steps in zip([[START], *names], names, spec.layers, strict=False):
        for name, step in zip(layer, steps, strict=True):
            is_inner = isinstance(step, Graph)
            node = built(step, name, alone=alone) if is_inner else node_of(name, step, targets, alone=alone)
            graph.add_node(name, node, destinations=None if is_inner else tuple(targets))
            if spec.waits and len(before) > 1:
                graph.add_edge(before, name)
            else:
                for each in before:
                    graph.add_edge(each, name)
    return graph.compile(checkpointer=True if spec.memory and prefix != "n" else None)


def named(spec: Graph, prefix: str = "n") -> list[list[str]]:
    return [[f"{prefix}{row}{column}" for column in range(len(layer))] for row, layer in enumerate(spec.layers)]


def node_of(name: str, text: str, targets: list[str], *, alone: bool) -> Callable[..., Any]:
    def node(state: Any) -> Any:
        update, goto = perform(name, text, state, targets, alone=alone)
        return Command(update=update, goto=goto) if goto else update

    return node


def functional(spec: Function, *, alone: bool) -> Any:
    @task
    def step(name: str, text: str, state: Any) -> Any:
        return perform(name, text, state, [], alone=alone)[0]

    @entrypoint()
    async def run(given: Any, *, previous: Any = None) -> Any:
        state = {"log": [], "messages": [], "bag": {}, **(previous or {})}
        for row, layer in enumerate(spec.layers):
            running = [step(f"t{row}{column}", text, dict(state)) for column, text in enumerate(layer)]
            for each in running:
                state |= joined(state, await each)
        return entrypoint.final(value={"log": state["log"], "given": given}, save=state if spec.saves else None)

    return run


def joined(state: Any, update: Any) -> Any:
    both = {"log": appended, "bag": merged, "messages": add_messages}
    return {name: both[name](state[name], new) if name in both else new for name, new in update.items()}


def held(state: Any, name: str) -> Any:
    found = state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)
    return found or {"log": [], "messages": [], "bag": {}}.get(name, found)


def perform(name: str, text: str, state: Any, targets: list[str], *, alone: bool) -> tuple[JSON, list[Any]]:
    """Return the update and where to go. `alone`: no other node reads the messages meanwhile."""
    steps = Steps(name, state, targets, alone=alone)
    for number, (verb, *words) in enumerate(each.split() for each in text.split("; ")):
        getattr(steps, verb)(words[0] if words else "", number)
    return {**steps.update, "log": steps.done, **({"messages": steps.said} if steps.said else {})}, steps.goto


class Steps:
    def __init__(self, name: str, state: Any, targets: list[str], *, alone: bool) -> None:
        self._name, self._state, self._alone = name, state, alone
        self._log, self._messages = held(state, "log"), [*held(state, "messages")]
        self._targets = targets if self._log.count(name) < 2 else []  # a node that has run twice goes nowhere
        self.update: JSON = {"runs": 1}
        self.goto: list[Any] = []
        self.done, self.said = [name], cast(list[Any], [])

    def note(self, _: str, number: int) -> None:
        self.done.append(f"noted {number}")

    def ask(self, _: str, number: int) -> None:
        self.done.append(f"{self._name} {described(interrupt({'ask': self._name, 'number': number}))}")

    def put(self, word: str, _: int) -> None:
        self.update["value"] = VALUES[word]()

    def bag(self, word: str, _: int) -> None:
        self.update["bag"] = {self._name: VALUES[word]()}

    def look(self, _: str, __: int) -> None:
        self.done.append(described([held(self._state, name) for name in ("value", "bag", "mood", "messages")]))

    def say(self, word: str, number: int) -> None:
        self.said.append(SAID[word]())
        self.said[-1].id = f"id-{self._name}-{len(self._log)}-{number}"

    def change(self, word: str, _: int) -> None:
        """In place: a message of this node's, or the newest of the state, which is returned as well."""
        known = self.said or (self._messages if self._alone else [])
        field, new = CHANGES[word]
        if known and field in type(known[-1]).model_fields:
            setattr(known[-1], field, new)
            self.said = self.said or [known[-1]]

    def remove(self, _: str, __: int) -> None:
        if self._messages and self._messages[-1].id:
            self.said.append(RemoveMessage(id=self._messages[-1].id))

    def send(self, word: str, _: int) -> None:
        if self._targets:
            given = {"log": [*self._log, self._name], "value": held(self._state, "value")}
            self.goto.append(Send(self._targets[int(word) % len(self._targets)], given))

    def to(self, word: str, _: int) -> None:
        if self._targets:
            self.goto.append(self._targets[int(word) % len(self._targets)])

    def remember(self, word: str, _: int) -> None:
        self.done.append(remembered(word, f"{self._name}{len(self._log)}"))

    def tell(self, _: str, number: int) -> None:
        get_stream_writer()({"from": self._name, "number": number})

    def fail(self, _: str, __: int) -> None:
        if len(self._log) % 2:
            raise ValueError(self._name)


def remembered(word: str, text: str) -> str:
    store = cast(Any, get_store())
    if word == "put":
        store.put(("notes", "own"), text[:2], {"text": text})
        return "put"
    found = store.search(("notes",))
    kept = store.get(("notes", "own"), "n0")
    return described([sorted((each.key, each.value["text"]) for each in found), kept and kept.value])


def described(value: Any) -> str:
    """The value with the type of each part, so that a class that was lost is seen."""
    kind = type(value).__name__
    if isinstance(value, BaseMessage):
        fields = {name: getattr(value, name, None) for name in type(value).model_fields}
        fields["id"] = fields["id"] if str(fields["id"]).startswith("id-") else "*"
        return f"{kind}({', '.join(f'{name}={described(each)}' for name, each in sorted(fields.items()))})"
    if isinstance(value, dict):
        return f"{kind}({', '.join(f'{described(name)}: {described(each)}' for name, each in value.items())})"
    if isinstance(value, list | tuple | deque):
        return f"{kind}({', '.join(map(described, value))})"
    if isinstance(value, set | frozenset):
        return f"{kind}({', '.join(sorted(map(described, value)))})"
    if isinstance(value, SecretStr | SecretBytes):
        return f"{kind}({value.get_secret_value()!r})"
    return f"{kind}({value!r})"
