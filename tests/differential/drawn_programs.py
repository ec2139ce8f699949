"""Programs: a graph, and what a client does with one thread of it. Each is a literal, so that what hypothesis prints
can be run again as an example."""

from typing import Any

from drawn_graphs import CHANGES, MESSAGES, VALUES, Function, Graph
from hypothesis import strategies as st

NUMBER = st.integers(0, 3)


def _steps(**words: Any) -> st.SearchStrategy[str]:
    return st.one_of([word.map(lambda each, verb=verb: f"{verb} {each}") for verb, word in words.items()])


PLAIN = ["note", "ask", "look", "look", "emit", "remember put", "remember find", "fail", "touch", "remove", "model a"]
VALUE = _steps(put=st.sampled_from(sorted(VALUES)), bag=st.sampled_from(sorted(VALUES)))
MESSAGE = _steps(say=st.sampled_from(sorted(MESSAGES)), change=st.sampled_from(sorted(CHANGES)))
TASK = st.one_of(st.sampled_from(PLAIN), VALUE, MESSAGE)
STEP = st.one_of(TASK, TASK, st.just("ask"), _steps(to=NUMBER, send=NUMBER, up=NUMBER))


def _layers(node: Any, size: int) -> Any:
    return st.lists(st.lists(node, min_size=1, max_size=size).map(tuple), min_size=1, max_size=size).map(tuple)


def _texts(step: Any) -> Any:
    return st.lists(step, min_size=1, max_size=3).map("; ".join)


def _graphs(node: Any, size: int = 2, **more: Any) -> st.SearchStrategy[Graph]:
    edges = st.sampled_from(["all", "each", "all", "each", "one", "send"])
    state = st.sampled_from(["typed", "typed", "data", "model"])
    return st.builds(Graph, _layers(node, size), state=state, edges=edges, **more)


NODE = _texts(STEP)
INNER = _graphs(NODE | _graphs(NODE, memory=st.booleans()), memory=st.booleans())
GRAPH = _graphs(NODE | NODE | INNER, 3, narrow=st.sampled_from(["", "", "in", "out", "in out"]))
SPEC = GRAPH | GRAPH | GRAPH | st.builds(Function, _layers(_texts(TASK), 2), saves=st.booleans())

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
PAUSE = st.dictionaries(st.sampled_from(["interrupt_before", "interrupt_after"]), NUMBER | st.just("*"), min_size=1)
MODES = st.lists(st.sampled_from(["values", "updates", "messages", "custom"]), min_size=1, max_size=3, unique=True)
STREAM = st.fixed_dictionaries({"modes": MODES, "subgraphs": st.booleans()})
HOW = st.one_of(st.just({}), STREAM, STREAM, st.just({"joins": True}), st.fixed_dictionaries({"pauses": PAUSE}))
WHICH = st.sampled_from(["all", "all", "all", "one", "last", "plain", "again", "stale", "some and stale", "none"])
FILTER = st.sampled_from([{"deep": {"a": 1}}, {"deep": {"b": [2]}}, {"deep": {}}, {"a": 1}])
OPERATION = st.one_of(
    st.tuples(st.just("run"), INPUT, HOW),
    st.tuples(st.just("resume"), WHICH, ANSWER, HOW),
    st.tuples(st.just("resume"), WHICH, ANSWER, HOW),
    st.tuples(st.just("update"), INPUT, st.none() | NUMBER, st.sampled_from(["", "", "inner", "old"])),
    st.tuples(st.just("fork"), NUMBER, INPUT, HOW),
    st.tuples(st.just("command"), st.sampled_from(["goto", "send", "update", "goto update"]), NUMBER, HOW),
    st.tuples(st.just("read"), NUMBER),
    st.tuples(st.just("search"), FILTER),
    st.just(("restart",)),
)
FIRST = st.tuples(st.just("run"), INPUT.filter(bool), HOW)
PROGRAM = st.tuples(FIRST, st.lists(OPERATION, min_size=1, max_size=6)).map(lambda each: (each[0], *each[1]))
