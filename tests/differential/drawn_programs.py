"""Programs: a graph, and what a client does with one thread of it. Each is a literal, so that what hypothesis prints
can be run again as an example."""

from typing import Any

from drawn_graphs import CHANGES, SAID, VALUES, Function, Graph
from hypothesis import strategies as st

KINDS = st.sampled_from(sorted(VALUES))
NUMBER = st.integers(0, 3)


def _steps(**words: Any) -> st.SearchStrategy[str]:
    return st.one_of([word.map(lambda each, verb=verb: f"{verb} {each}") for verb, word in words.items()])


PLAIN = st.sampled_from(["note", "ask", "look", "look", "tell", "remember put", "remember find", "fail", "touch"])
VALUE = _steps(put=KINDS, bag=KINDS)
MESSAGE = _steps(say=st.sampled_from(sorted(SAID)), change=st.sampled_from(sorted(CHANGES))) | st.sampled_from(
    ["remove", "model a"]
)
STEP = st.one_of(PLAIN, st.just("ask"), VALUE, MESSAGE, _steps(to=NUMBER, send=NUMBER, up=NUMBER))
NODE = st.lists(STEP, min_size=1, max_size=3).map("; ".join)
SIMPLE = st.lists(st.one_of(PLAIN, VALUE, MESSAGE), min_size=1, max_size=3).map("; ".join)
EDGES = st.sampled_from(["all", "each", "all", "each", "one", "send"])
STATE = st.sampled_from(["typed", "typed", "data", "model"])


def _graphs(node: Any, size: int = 2, **more: Any) -> st.SearchStrategy[Graph]:
    layers = st.lists(st.lists(node, min_size=1, max_size=size).map(tuple), min_size=1, max_size=size).map(tuple)
    return st.builds(Graph, layers, state=STATE, edges=EDGES, **more)


INNERMOST = _graphs(NODE, memory=st.booleans())
INNER = _graphs(NODE | INNERMOST, memory=st.booleans())
GRAPH = _graphs(NODE | NODE | INNER, 3, narrow=st.sampled_from(["", "", "in", "out", "in out"]))
TASKS = st.lists(st.lists(SIMPLE, min_size=1, max_size=2).map(tuple), min_size=1, max_size=3).map(tuple)
SPEC = GRAPH | GRAPH | GRAPH | st.builds(Function, TASKS, saves=st.booleans())

INPUT = st.sampled_from(
    [
        {"log": ["in"]},
        {"log": ["in"], "messages": [{"role": "user", "content": "hi \U0001f642", "id": "id-u"}]},
        {"log": [], "messages": [{"type": "ai", "content": "", "id": "id-n00-0-0"}], "value": {"a": [1, None]}},
        {"messages": "words", "bag": {"in": "a\u0000b"}},
        {"log": ["in"], "mood": "good", "value": "\u00e9"},
        {"log": "text", "unknown": 1},
        {},
        None,
    ]
)
ANSWER = st.sampled_from(["yes", None, {"approved": True}, [1, "x"], False])
MODES = st.lists(st.sampled_from(["values", "updates", "messages", "custom"]), max_size=3, unique=True).map(tuple)
HOW = st.sampled_from(
    ["all", "all", "all", "one", "last", "plain", "plain", "again", "stale", "some and stale", "none"]
)
WHERE = st.sampled_from(["", "", "inner", "old"])
OPERATION = st.one_of(
    st.tuples(st.just("run"), INPUT),
    st.tuples(st.just("stream"), INPUT, MODES.filter(bool), st.booleans()),
    st.tuples(st.just("resume"), HOW, ANSWER, MODES, st.booleans()),
    st.tuples(st.just("resume"), HOW, ANSWER, MODES, st.booleans()),
    st.tuples(st.just("update"), INPUT, st.none() | NUMBER, WHERE),
    st.tuples(st.just("fork"), NUMBER, INPUT),
    st.tuples(st.just("command"), st.sampled_from(["goto", "send", "update", "goto update"]), NUMBER),
    st.tuples(st.just("join"), INPUT),
    st.tuples(st.just("pause"), INPUT, st.sampled_from(["interrupt_before", "interrupt_after"]), NUMBER | st.just("*")),
    st.tuples(st.just("read"), NUMBER),
    st.tuples(st.just("search"), st.sampled_from([{"deep": {"a": 1}}, {"deep": {"b": [2]}}, {"deep": {}}, {"a": 1}])),
    st.just(("restart",)),
)
FIRST = st.tuples(st.just("run"), INPUT.filter(bool))
PROGRAM = st.tuples(FIRST, st.lists(OPERATION, min_size=1, max_size=6)).map(lambda each: (each[0], *each[1]))
