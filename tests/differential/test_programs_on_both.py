"""Random programs of client operations on random graphs: Turnkeep leaves, through its HTTP API and with restarts
between operations, what LangGraph leaves in process. A difference fails unless docs/clients.md lists it."""

import asyncio
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from both_players import Langgraph, Outcome, Turnkeep, in_order, nameless
from drawn_graphs import CHANGES, MESSAGES, NOT_STORED, VALUES, Function, Graph, has_memory, is_line, named
from drawn_programs import PROGRAM, SPEC
from hypothesis import HealthCheck, given, seed, settings

from turnkeep_local.objects import FolderObjects

PART = 250
PROGRAMS = int(os.environ.get("DIFFERENTIAL_PROGRAMS", "40"))
CLIENTS = (Path(__file__).parents[2] / "docs" / "clients.md").read_text()
LISTED = {
    "nothing done": "A run in which no node would run is an error, and stores no turn.",
    "asks_only": "Interrupts are sent in every stream mode, not only in `values` and `updates`.",
    "unstorable": "A value that cannot be stored fails its run.",
    "asked": "`runs.wait` returns the values and interrupts of the final state.",
    "not drawn": "A `bytearray` is returned as `bytes`.",
    "begins": "An answer to a thread without a state is an error. There it starts the graph.",
    "shared": "A branch from a checkpoint at which several turns ended",
    "joined": "`subgraphs=true` returns the state without it.",
    "inside": "Without `stream_subgraphs`, the metadata of a message from an inner graph",
    "memory": "A branch from an earlier checkpoint restores an inner graph that has its own checkpointer",
    "is_past": "A history has one state a turn.",
}
"""Differences that are allowed, each as docs/clients.md lists it."""


RUN = ("run", {"log": ["in"]}, {})
UPDATE = ("command", "update", 0, {})
FOUND: dict[str, Any] = {
    "a state at a checkpoint that waits": (Graph((("note", "ask"),)), (RUN, ("read", 0))),
    "a function that asks": (Function((("ask",),)), (RUN, ("resume", "all", "yes", {"modes": ["values"]}), RUN)),
    "a tuple for a key": (Graph((("bag tuplekey",),)), (RUN,)),
    "the newest checkpoint named": (Graph((("ask",),)), (RUN, ("fork", 0, None, {}))),
    "a second update by a command": (Graph((("ask",),)), (RUN, UPDATE, UPDATE)),
    "a task that cannot be stored": (Graph(((Graph((("bag complex", "bag none", "ask"),)),),)), (RUN,)),
    "a question of a node that a command went to": (
        Graph((("note",), ("note; ask",), ("look",))),
        (RUN, ("resume", "all", "yes", {}), ("command", "goto", 1, {}), ("resume", "plain", "yes", {})),
    ),
    "an inner graph whose nodes cannot be joined": (
        Graph(((Graph((("put none", "put bytes", "ask"),)),),)),
        (RUN, ("restart",), ("read", 0)),
    ),
    "a value changed and not returned": (Graph((("touch",),)), (("run", {"value": [1]}, {}), RUN)),
}
"""Shrunk programs that failed once."""


@pytest.mark.parametrize("reason", LISTED.values(), ids=LISTED)
def test_a_difference_that_is_allowed_is_listed(reason: str) -> None:
    assert reason in " ".join(CLIENTS.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FolderObjects]:
    logging.disable(logging.CRITICAL)
    yield FolderObjects(tmp_path_factory.mktemp("objects"))
    logging.disable(logging.NOTSET)


class Pair:
    """Both sides, the checkpoints that both have, and the questions that were answered."""

    def __init__(self, spec: Any, folder: FolderObjects) -> None:
        self._spec, self.history = spec, [f"{spec}"]
        self._ours, self._theirs = Turnkeep(spec, folder), Langgraph(spec)
        self._sides = self._ours, self._theirs
        self._states: list[tuple[Any, Any]] = []
        self._answered: list[tuple[str, str]] = []

    async def begin(self) -> None:
        await self._ours.begin()

    async def do(self, name: str, *given: Any) -> None:
        self.history.append(f"{(name, *given)}")
        await getattr(self, f"_{name}")(*given)
        if name not in ("restart", "search", "read"):
            await self._compare_states()

    async def _restart(self) -> None:
        self._ours.restart()

    async def _search(self, wanted: Any) -> None:
        found = await self._ours.search(metadata=wanted)
        assert found == ([] if "a" in wanted else [self._ours.thread_id])

    async def _run(self, given: Any, how: Any) -> None:
        await self._both(given, how=how)

    async def _read(self, back: int) -> None:
        """At an earlier checkpoint, and the history before it."""
        if self._states:
            places = [each["checkpoint"] for each in self._states[-1 - back % len(self._states)]]
            read = [
                (await side.state(at), await side.history(at)) for side, at in zip(self._sides, places, strict=True)
            ]
            same("read", *([shape(each, is_past=True) for each in (state, *past)] for state, past in read))

    def _node(self, number: Any) -> Any:
        names = [each for layer in named(self._spec) for each in layer] if isinstance(self._spec, Graph) else ["run"]
        return names[number % len(names)] if isinstance(number, int) else number

    async def _fork(self, back: int, given: Any, how: Any) -> None:
        if self._states and not has_memory(self._spec):
            places = [each["checkpoint"] for each in self._states[-1 - back % len(self._states)]]
            if sum(theirs["checkpoint"] == places[1] for _, theirs in self._states) == 1:
                await self._both(given, places=places, how=how)

    async def _resume(self, which: str, answer: Any, how: Any) -> None:
        waiting, stale = self._waiting(), ("f" * 32,) * 2
        chosen = {"all": waiting, "one": waiting[:1], "last": waiting[-1:], "again": self._answered, "none": []}
        chosen |= {"stale": [stale], "some and stale": [*waiting[:1], stale]}
        commands = [{"resume": answer}, {"resume": answer}]
        if which != "plain":
            commands = [{"resume": {pair[side]: answer for pair in chosen[which]}} for side in (0, 1)]
        self._answered = chosen.get(which, waiting) or self._answered
        await self._both(None, commands, how=how)

    async def _command(self, what: str, target: int, how: Any) -> None:
        command: Any = {"update": {"log": ["by command"]}} if "update" in what else {}
        if isinstance(self._spec, Graph) and what != "update":
            node = self._node(target)
            command["goto"] = [{"node": node, "input": {"log": ["sent"]}} if what == "send" else node]
        await self._both(None, [command, command], how=how)

    async def _update(self, values: Any, node: int | None, where: str) -> None:
        places, as_node = [None, None], self._node(node)
        if where == "old" and self._states and not has_memory(self._spec):
            places = [each["checkpoint"] for each in self._states[0]]
        if where == "inner" and self._states:
            places, as_node = [innermost(each) for each in self._states[-1]], None
        ours = await self._ours.update(values, as_node, places[0])
        self._same_end(ours, await self._theirs.update(values, as_node, places[1]))

    async def _both(self, given: Any, commands: Any = (None, None), places: Any = (None, None), *, how: Any) -> None:
        how = dict(how)
        if "pauses" in how:
            how["pauses"] = {name: each if each == "*" else [self._node(each)] for name, each in how["pauses"].items()}
        if NOT_STORED.search(repr(self._spec)):
            how.pop("joins", None)  # the channel does not learn of it
        ours = await self._ours.run(given, commands[0], places[0], **how)
        theirs = await self._theirs.run(given, commands[1], places[1], **how)
        self._same_end(ours, theirs)
        if not ours.failed and "modes" in how:
            parts = [each for each in ours.parts if each[0] in how["modes"] or not asks_only(each)]
            if not how.get("subgraphs"):  # listed: "Without `stream_subgraphs`"
                parts = [each for each in parts if each[0] != "messages" or each in theirs.parts]
            order = list if is_line(self._spec) else in_order
            same("parts", order(parts), order(theirs.parts))
        elif not ours.failed:
            same("values", ours.values, theirs.values)

    def _same_end(self, ours: Outcome, theirs: Outcome) -> None:
        self.history += [
            f"   on Turnkeep {ours.failed or ours.values}",
            f"  on LangGraph {theirs.failed or theirs.values}",
        ]
        if "cannot be stored" in ours.failed or ("cannot go on" in ours.failed and not self._states):
            self._theirs.undo()
        else:
            same("failed", ours.failed != "", theirs.failed != "")

    def _waiting(self) -> list[tuple[str, str]]:
        ours, theirs = (in_order(each["interrupts"]) for each in (self._states or [({"interrupts": []},) * 2])[-1])
        return [(a["id"], b["id"]) for a, b in zip(ours, theirs, strict=True)]

    async def _compare_states(self) -> None:
        ours, theirs = await self._ours.state(), await self._theirs.state()
        same("state", shape(ours), shape(theirs))
        past = [await side.history() for side in self._sides]
        same("history", *([shape(each, is_past=True) for each in states] for states in past))
        if ours["checkpoint"]:
            self._states.append((ours, theirs))


def shape(state: Any, *, is_past: bool = False) -> Any:
    if state is None:
        return None
    tasks = [
        {"name": each["name"], "error": each["error"], "state": shape(each["state"]), "asks": asks_of(each)}
        | ({} if is_past else {"result": each["result"]})
        for each in state["tasks"]
    ]
    return nameless({"values": state["values"], "next": state["next"], "asks": asks_of(state), "tasks": tasks})


def asks_of(state: Any) -> list[Any]:
    return [each["value"] for each in in_order(state["interrupts"])]


def same(name: str, ours: Any, theirs: Any) -> None:
    found = [*differences(name, ours, theirs)]
    assert not found, "\n".join(found)


def differences(place: str, ours: Any, theirs: Any) -> Iterator[str]:
    """One line for each part that differs."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for name, each in ours.items():
            yield from differences(f"{place}.{name}", each, theirs[name])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (each, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(f"{place}[{number}]", each, other)
    elif ours != theirs:
        yield f"{place}: {ours!r} is on LangGraph {theirs!r}"


def asks_only(part: Any) -> bool:
    """Listed: "A question is told in every stream mode"."""
    return part[0] == "updates" and list(part[2]) == ["__interrupt__"]


def innermost(state: Any) -> Any:
    below = next((each["state"] for each in state["tasks"] if each["state"]), None)
    return innermost(below) if below else state["checkpoint"]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(-(-PROGRAMS // PART)))
def test_both_sides_have_the_same_state(folder: FolderObjects, part: int) -> None:
    @seed(part)
    @settings(max_examples=min(PROGRAMS, PART), database=None, deadline=None, suppress_health_check=[*HealthCheck])
    @given(SPEC, PROGRAM)
    def leave(spec: Any, program: Any) -> None:
        asyncio.run(played(spec, program, folder))

    leave()


@pytest.mark.parametrize("name", FOUND)
def test_a_kept_program_has_the_same_result(folder: FolderObjects, name: str) -> None:
    asyncio.run(played(*FOUND[name], folder))


STEPS = [*(f"{verb} {name}" for verb in ("put", "bag") for name in VALUES), *(f"say {name}" for name in MESSAGES)]
STEPS += [f"say {message}; change {name}" for message in ("ai", "tool") for name in CHANGES]


@pytest.mark.parametrize("steps", STEPS)
def test_each_value_is_read_back_after_a_restart(folder: FolderObjects, steps: str) -> None:
    asyncio.run(played(Graph(((f"{steps}; look",),)), (RUN, ("restart",), RUN), folder))


async def played(spec: Any, program: Any, folder: FolderObjects) -> None:
    pair = Pair(spec, folder)
    await pair.begin()
    try:
        for operation in program:
            await pair.do(*operation)
    except Exception as error:
        error.add_note("\n".join(pair.history))
        raise
