"""Graphs from a short description, and what their nodes do. A node is a text of steps, such as "ask; put enum; look",
or a graph inside; a graph has layers of nodes that run side by side."""

import dataclasses
import operator
import re
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.config import get_store, get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph, add_messages
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel, Field, HttpUrl, SecretBytes, SecretStr, create_model

JSON = dict[str, Any]


Mood, Word, Level = Enum("Mood", {"GOOD": "good"}), StrEnum("Word", ["ONE"]), IntEnum("Level", ["HIGH"])


class Point(NamedTuple):
    x: int
    y: Any


@dataclasses.dataclass
class Note:
    text: str
    mood: Any = Mood.GOOD


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
    "secret": lambda: [SecretStr("hunter2"), SecretBytes(b"hunter2")],
    "secretstr": lambda: SecretStr("hunter2"),
    "bytes": lambda: b"\x00\xff",
    "sets": lambda: [bytearray(b"ab"), {1, 2}, frozenset({"a"}), deque([1, 2]), defaultdict(list, {"a": [1]})],
    "tuple": lambda: (1, (2, [3])),
    "times": lambda: [
        datetime(2026, 1, 2, 3, tzinfo=UTC),
        date(2026, 1, 2),
        timedelta(1, 2),
        ZoneInfo("Europe/Berlin"),
    ],
    "others": lambda: [Decimal("1.10"), UUID(int=7), Path("/a/b"), IPv4Address("10.0.0.1"), re.compile("a+")],
    "half": lambda: ["b \ud83d"],
    "halfkey": lambda: {"k\ud83d": "\ude00"},
    "texts": lambda: ["a\x00b", {"\U0001f642": "e\u0301\u202e"}, "", ()],
    "numbers": lambda: [float("nan"), float("inf"), -0.0, 2**63 - 1],
    "huge": lambda: 2**70,
    "keys": lambda: {1: "a", 2.5: "b", None: "c", False: "d"},
    "tuplekey": lambda: {(1, 2): "a"},
    "none": lambda: None,
    "own": lambda: {"pages": [Page(title="t", notes=[Note("n")])], "point": Point(1, Point(2, {3}))},
    "note": lambda: Note("n"),
    "messages": lambda: [
        HumanMessage("m", id="id-v"),
        Loud("l", id="id-l"),
        Document("t", metadata={"at": date(2026, 1, 2)}),
    ],
    "class": lambda: Mood,
    "lock": lambda: __import__("threading").Lock(),
    "complex": lambda: complex(1, 2),
    "address": lambda: HttpUrl("http://a.b"),
    "long": lambda: "x" * 70_000,
}
"""What a node may put into the state."""
NOT_STORED = re.compile("halfkey|huge|class|lock|complex|address")

MESSAGES: dict[str, Callable[[], BaseMessage]] = {
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


KINDS: dict[str, Any] = {"log": appended, "bag": merged, "messages": add_messages}
FIELDS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "log": (Annotated[list[str], appended], list),
    "messages": (Annotated[list[Any], add_messages], list),
    "bag": (Annotated[dict[str, Any], merged], dict),
    "runs": (Annotated[int, operator.add], int),
    "value": (Any, lambda: None),
    "mood": (Mood | None, lambda: None),
}
ALL = FIELDS.items()
STATES: dict[str, Any] = {
    "typed": TypedDict("Typed", {name: kind for name, (kind, _) in ALL}, total=False),  # type: ignore[operator]
    "data": dataclasses.make_dataclass(
        "Data", [(name, kind, dataclasses.field(default_factory=new)) for name, (kind, new) in ALL]
    ),
    "model": create_model("Model", **{name: (kind, Field(default_factory=new)) for name, (kind, new) in ALL}),
}


class Log(TypedDict, total=False):
    log: Annotated[list[str], appended]


@dataclasses.dataclass(frozen=True)
class Graph:
    """`narrow` names what has the log alone: "in", "out", both. `memory`: as an inner graph it has a checkpointer of
    its own. `edges` lead to a layer from "all" nodes before it at once, from "each", to "one" of it, or by "send"."""

    layers: tuple[tuple[Any, ...], ...]
    state: str = "typed"
    narrow: str = ""
    memory: bool = False
    edges: str = "all"


@dataclasses.dataclass(frozen=True)
class Function:
    """An @entrypoint: each text of steps is a @task, those of `layers` side by side."""

    layers: tuple[tuple[str, ...], ...]
    saves: bool = True


def nodes_of(spec: Any, kind: type) -> list[Any]:
    return [each for layer in spec.layers for each in layer if isinstance(each, kind)]


def has_memory(spec: Any) -> bool:
    return is_calm(spec) and any(each.memory or has_memory(each) for each in nodes_of(spec, Graph))


def is_line(spec: Any, jumps: str = "to |send |up ") -> bool:
    """Nodes run one after the other, so that one may change a message in the state while no other reads it."""
    is_own = len(nodes_of(spec, object)) == len(spec.layers)
    is_own = is_own and not any(re.search(jumps, each) for each in nodes_of(spec, str))
    return is_own and all(is_line(each, jumps) for each in nodes_of(spec, Graph))


def is_calm(spec: Any) -> bool:
    """No inner graph can run twice at the same time, which only one without a checkpointer of its own may."""
    return not re.search("to [0-9]|send|up [0-9]|'one'", repr(spec))


def forgetful(spec: Graph) -> Graph:
    layers = (tuple(forgetful(each) if isinstance(each, Graph) else each for each in layer) for layer in spec.layers)
    return dataclasses.replace(spec, memory=False, layers=tuple(layers))


def built(spec: "Graph | Function", prefix: str = "n", *, alone: bool | None = None, up: Any = ()) -> Any:
    if alone is None:
        alone = is_line(spec)
        spec = spec if isinstance(spec, Function) or is_calm(spec) else forgetful(spec)
    if isinstance(spec, Function):
        return functional(spec, alone=alone)
    schemas: Any = {f"{each}put_schema": Log for each in ("in", "out") if each in spec.narrow.split()}
    graph, names = StateGraph(STATES[spec.state], **schemas), named(spec, prefix)
    targets = [each for layer in names for each in layer]
    for before, layer, steps in zip([[START], *names], names, spec.layers, strict=False):
        for name, step in zip(layer, steps, strict=True):
            if isinstance(step, Graph):
                graph.add_node(name, built(step, name, alone=alone, up=targets if is_line(step, "to |send ") else ()))
            else:
                node = node_of(name, step, targets, alone=alone, up=up)
                graph.add_node(name, node, destinations=tuple(targets))
            if spec.edges == "all" and len(before) > 1:
                graph.add_edge(before, name)
            elif spec.edges in ("all", "each"):
                for each in before:
                    graph.add_edge(each, name)
        for each in before if spec.edges in ("one", "send") else ():
            graph.add_conditional_edges(each, chosen(spec.edges, layer), layer)
    return graph.compile(checkpointer=True if spec.memory and prefix != "n" else None)


def named(spec: Graph, prefix: str = "n") -> list[list[str]]:
    return [[f"{prefix}{row}{column}" for column in range(len(layer))] for row, layer in enumerate(spec.layers)]


def chosen(edges: str, layer: list[str]) -> Callable[[Any], Any]:
    def choose(state: Any) -> Any:
        log = held(state, "log")
        given = {"log": log, "value": held(state, "value")}
        return layer[len(log) % len(layer)] if edges == "one" else [Send(name, given) for name in layer]

    return choose


def node_of(name: str, text: str, targets: list[str], *, alone: bool, up: list[str]) -> Callable[..., Any]:
    def node(state: Any) -> Any:
        steps = perform(name, text, state, targets, alone=alone, up=up)
        graph = Command.PARENT if steps.is_up else None
        return Command(graph=graph, update=steps.update, goto=steps.goto) if steps.goto else steps.update

    return node


def functional(spec: Function, *, alone: bool) -> Any:
    @task
    def step(name: str, text: str, state: Any) -> Any:
        return perform(name, text, state, [], alone=alone).update

    @entrypoint()
    async def run(given: Any, *, previous: Any = None) -> Any:
        state = {"log": [], "messages": [], "bag": {}, **(previous or {})}
        for row, layer in enumerate(spec.layers):
            running = [step(f"t{row}{column}", text, dict(state)) for column, text in enumerate(layer)]
            for each in running:
                update = await each
                state |= update | {
                    name: KINDS[name](state[name], update[name]) for name in KINDS.keys() & update.keys()
                }
        return entrypoint.final(value={"log": state["log"], "given": given}, save=state if spec.saves else None)

    return run


def held(state: Any, name: str) -> Any:
    found = state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)
    return found or {"log": [], "messages": [], "bag": {}}.get(name, found)


def perform(name: str, text: str, state: Any, targets: list[str], *, alone: bool, up: Any = ()) -> "Steps":
    steps = Steps(name, state, targets, alone=alone, up=up)
    for number, (verb, *words) in enumerate(each.split() for each in text.split("; ")):
        getattr(steps, verb)(words[0] if words else "", number)
    steps.update |= {"log": steps.done, **({"messages": steps.written} if steps.written else {})}
    return steps


class Steps:
    """What a node does, and has done: its update and where it goes, by default where its edges lead. `alone`: no other
    node reads the state meanwhile. `up`: the nodes of the graph around its graph."""

    def __init__(self, name: str, state: Any, targets: list[str], *, alone: bool, up: Any) -> None:
        self._name, self._state, self._alone = name, state, alone
        self._log, self._messages = held(state, "log"), [*held(state, "messages")]
        again = self._log.count(name) < 2  # a node that has run twice goes nowhere
        self._targets, self._up = (targets, up) if again else ([], [])
        self.update: JSON = {"runs": 1}
        self.goto: list[Any] = []
        self.is_up = False
        self.done, self.written = [name], cast(list[Any], [])

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
        self.written.append(MESSAGES[word]())
        self.written[-1].id = f"id-{self._name}-{len(self._log)}-{number}"

    def change(self, word: str, _: int) -> None:
        """In place: a message of this node's, or the newest of the state, which is returned as well."""
        known = self.written or (self._messages if self._alone else [])
        field, new = CHANGES[word]
        if known and field in type(known[-1]).model_fields:
            setattr(known[-1], field, new)
            self.written = self.written or [known[-1]]

    def remove(self, _: str, __: int) -> None:
        if self._messages and self._messages[-1].id:
            self.written.append(RemoveMessage(id=self._messages[-1].id))

    def send(self, word: str, _: int) -> None:
        if self._targets:
            given = {"log": [*self._log, self._name], "value": held(self._state, "value")}
            self.goto.append(Send(self._targets[int(word) % len(self._targets)], given))

    def to(self, word: str, _: int) -> None:
        if self._targets:
            self.goto.append(self._targets[int(word) % len(self._targets)])

    def up(self, word: str, _: int) -> None:
        if self._up:
            self.goto, self.is_up, self._targets = [self._up[int(word) % len(self._up)]], True, []

    def touch(self, _: str, __: int) -> None:
        """In place, and not returned."""
        if self._alone and self._messages:
            self._messages[-1].content = "touched"
        if self._alone and isinstance(found := held(self._state, "value"), list):
            found.append("touched")

    def model(self, word: str, number: int) -> None:
        answer = AIMessage(f"one {word} two", id=f"id-{self._name}-{len(self._log)}-{number}")
        self.written.append(GenericFakeChatModel(messages=iter([answer])).invoke("hi"))
        self.written[-1].id = answer.id

    def remember(self, word: str, _: int) -> None:
        if word == "find" and not self._alone:
            return
        self.done.append(remembered(word, f"{self._name}{len(self._log)}"))

    def emit(self, _: str, number: int) -> None:
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
