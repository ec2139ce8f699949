"""Commands, results and streams of a run are LangGraph's own: each is compared with the same graph in its memory."""

import operator
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from httpx import ASGITransport, AsyncClient
from langgraph_sdk.client import LangGraphClient

if TYPE_CHECKING:
    from fastapi import FastAPI
    from langgraph.pregel import Pregel

    from turnkeep.agents import Agent

CONFIG: Any = {"configurable": {"thread_id": "t"}}
TOPICS = ("pay", "mail", "wipe")


class Log(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    secret: str


class Question(TypedDict):
    log: list[str]


class Answer(TypedDict):
    log: list[str]


def own_agent(graph: Any) -> "Agent":
    from turnkeep.graphfile import GraphSpec
    from turnkeep.owngraphs import as_agent

    return as_agent(graph, GraphSpec("papers", "./own.py", "graph", "langgraph.json:1"))


def sdk_for(make_app: "Callable[..., FastAPI]", graph: Any) -> LangGraphClient:
    app = make_app(agent_of=lambda name: own_agent(graph))
    return LangGraphClient(AsyncClient(transport=ASGITransport(app), base_url="http://test"))


def asking(*, ends: bool) -> "Pregel[Any, Any, Any, Any]":
    """Branches that ask about each topic; with `ends` one more that asks nothing."""
    from langgraph.graph import START, StateGraph
    from langgraph.types import interrupt

    def branch(topic: str) -> Callable[[Log], Any]:
        return lambda state: {"log": [f"{topic}={interrupt({'topic': topic})}"]}

    graph = StateGraph(Log)
    for topic in TOPICS:
        graph.add_node(topic, branch(topic)).add_edge(START, topic)
    if ends:
        graph.add_node("quick", lambda state: {"log": ["quick"]}).add_edge(START, "quick")
    return graph.compile()


def by_topic(interrupts: Any) -> dict[str, str]:
    """The id of each open question, of our JSON or LangGraph's objects."""
    plain = [each if isinstance(each, dict) else {"id": each.id, "value": each.value} for each in interrupts]
    return {each["value"]["topic"]: each["id"] for each in plain}


ANSWERS: dict[str, list[Any]] = {
    "one by its id": [{"mail": True}],
    "the same twice": [{"mail": True}, {"mail": True}],
    "one that is answered and one that is not": [{"mail": True}, {"mail": True, "pay": False}],
    "two at once": [{"pay": 1, "wipe": [2]}],
    "nothing": [{}],
    "an unknown id": [{"f" * 32: True}],
    "no question by its id": [True],
    "an object that names none": [{"approved": True}],
    "the last one without its id": [{"pay": 1, "wipe": 2}, "yes"],
}


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
async def test_an_answer_reaches_the_question_that_it_names_or_none(
    make_app: "Callable[..., FastAPI]", answers: list[Any], ends: bool
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.errors import EmptyInputError
    from langgraph.types import Command

    graph = asking(ends=ends)
    theirs, sdk = graph.copy({"checkpointer": InMemorySaver()}), sdk_for(make_app, graph)
    thread = (await sdk.threads.create(graph_id="papers"))["thread_id"]
    theirs.invoke({"log": []}, CONFIG)
    values: Any = await sdk.runs.wait(thread, "papers", input={"log": []})
    their_ids, our_ids = by_topic(theirs.get_state(CONFIG).interrupts), by_topic(values["__interrupt__"])
    assert our_ids.keys() == their_ids.keys() == {*TOPICS}
    for answer in answers:
        try:
            theirs.invoke(Command(resume=by_id(answer, their_ids)), CONFIG)
        except (RuntimeError, EmptyInputError):
            with pytest.raises(Exception, match="InvalidRequest"):
                await sdk.runs.wait(thread, "papers", command={"resume": by_id(answer, our_ids)})
        else:
            values = await sdk.runs.wait(thread, "papers", command={"resume": by_id(answer, our_ids)})
        ours, expected = await sdk.threads.get_state(thread), theirs.get_state(CONFIG)
        assert sorted(ours["values"]["log"]) == sorted(expected.values["log"])
        assert by_topic(ours["interrupts"]).keys() == by_topic(expected.interrupts).keys()
        assert by_topic(values.get("__interrupt__", ())).keys() == by_topic(expected.interrupts).keys()


def by_id(answer: Any, ids: dict[str, str]) -> Any:
    """The answer with its topics as ids of questions."""
    return {ids.get(name, name): value for name, value in answer.items()} if isinstance(answer, dict) else answer


def narrow(*, asks: bool) -> "Pregel[Any, Any, Any, Any]":
    """Its input and output have one key of the state alone."""
    from langgraph.graph import START, StateGraph
    from langgraph.types import interrupt

    def keep(state: Log) -> Any:
        return {"secret": "hunter2", "log": ["kept"]}

    def end(state: Log) -> Any:
        return {"secret": state["secret"] + "!", "log": [f"said {interrupt({'topic': 'pay'})}" if asks else "done"]}

    graph = StateGraph(Log, input_schema=Question, output_schema=Answer)
    return graph.add_sequence([("keep", keep), ("end", end)]).add_edge(START, "keep").compile()


@pytest.mark.parametrize("asks", [False, True])
async def test_a_client_gets_what_the_graph_declares_as_its_output(
    make_app: "Callable[..., FastAPI]", asks: bool
) -> None:
    graph = narrow(asks=asks)
    sdk = sdk_for(make_app, graph)
    thread = (await sdk.threads.create())["thread_id"]
    values: Any = await sdk.runs.wait(thread, "papers", input={"log": []})
    assert values["log"] == (["kept"] if asks else ["kept", "done"])
    modes: Any = ["values", "updates"]
    async for event in sdk.runs.stream(None, "papers", input={"log": []}, stream_mode=modes):
        assert "hunter2" not in str(event.data)
    run = (await sdk.runs.list(thread))[0]
    assert (await sdk.runs.join(thread, run["run_id"])) == values
    assert "hunter2" not in str(values)
    assert (await sdk.threads.get_state(thread))["values"]["secret"].startswith("hunter2")


async def test_a_model_is_streamed_only_for_a_client_that_reads_tokens(make_app: "Callable[..., FastAPI]") -> None:
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langgraph.graph import START, MessagesState, StateGraph

    called: list[str] = []

    class Model(GenericFakeChatModel):
        def _generate(self, *given: Any, **named: Any) -> Any:
            called.append("whole")
            return super()._generate(*given, **named)

        def _stream(self, *given: Any, **named: Any) -> Iterator[Any]:
            called.append("streamed")
            return super()._stream(*given, **named)

    def reply(state: MessagesState) -> Any:
        return {"messages": [Model(messages=iter([AIMessage("hello")])).invoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply").compile()
    app = make_app(agent_of=lambda name: own_agent(graph))
    sdk = LangGraphClient(http := AsyncClient(transport=ASGITransport(app), base_url="http://test"))
    said: Any = {"messages": [{"role": "user", "content": "hi"}]}

    async def streamed(*modes: Any) -> None:
        async for _ in sdk.runs.stream(None, "papers", input=said, stream_mode=list(modes)):
            pass

    body = {"model": "papers", "messages": said["messages"]}
    ways: list[tuple[Any, str]] = [
        (sdk.runs.wait(None, "papers", input=said), "whole"),
        (streamed("values", "updates"), "whole"),
        (streamed("values", "messages"), "streamed"),
        (streamed("messages-tuple"), "streamed"),
        (http.post("/chat", json={"message": "hi"}), "whole"),
        (http.post("/chat/stream", json={"message": "hi"}), "streamed"),
        (http.post("/v1/chat/completions", json=body), "whole"),
        (http.post("/v1/chat/completions", json=body | {"stream": True}), "streamed"),
    ]
    for way, expected in ways:
        called.clear()
        await way
        assert (way, called.count("streamed") > 0) == (way, expected == "streamed")


async def test_a_command_may_update_by_pairs(make_app: "Callable[..., FastAPI]") -> None:
    sdk = sdk_for(make_app, narrow(asks=True))
    thread = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread, "papers", input={"log": []})
    command: Any = {"resume": "yes", "update": [["log", ["by hand"]], ["log", ["twice"]]]}
    values: Any = await sdk.runs.wait(thread, "papers", command=command)
    assert sorted(values["log"]) == ["by hand", "kept", "said yes", "twice"]


async def test_a_refusal_in_an_earlier_answer_is_read_as_text(make_app: "Callable[..., FastAPI]") -> None:
    app = make_app()
    async with AsyncClient(transport=ASGITransport(app), base_url="http://test") as http:
        refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}
        messages = [{"role": "user", "content": "hi"}, refused, {"role": "user", "content": "and now?"}]
        answer = await http.post("/v1/chat/completions", json={"model": "papers", "messages": messages})
    assert answer.status_code == 200


@pytest.mark.parametrize("with_langgraph_api", [False, True])
async def test_a_node_reaches_the_server_that_runs_it_as_its_caller(
    make_app: "Callable[..., FastAPI]",
    with_langgraph_api: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from langgraph.graph import START, StateGraph
    from langgraph_sdk import get_client
    from langgraph_sdk._shared.utilities import get_asgi_transport

    get_asgi_transport.cache_clear()
    if with_langgraph_api:
        package = ModuleType("langgraph_api")
        package.__path__ = [str(tmp_path)]
        (tmp_path / "asgi_transport.py").write_text("raise KeyError('REDIS_URI')\n")
        monkeypatch.setitem(sys.modules, "langgraph_api", package)

    from turnkeep.api.loopback import serve_nodes

    async def visit(state: Log) -> Any:
        made = await get_client().threads.create(metadata={"by": "node"})
        found = await get_client().assistants.search()
        return {"log": [made["thread_id"], str(len(found))]}

    graph = StateGraph(Log).add_node("visit", visit).add_edge(START, "visit").compile()
    app = make_app(agent_of=lambda name: own_agent(graph))
    serve_nodes(lambda: app)
    http = AsyncClient(transport=ASGITransport(app), base_url="http://test", headers={"X-Turnkeep-User": "ann"})
    values: Any = await LangGraphClient(http).runs.wait(None, "papers", input={"log": []})
    thread, count = values["log"]
    assert (await http.get(f"/threads/{thread}")).json()["metadata"]["by"] == "node"
    assert (await http.get(f"/threads/{thread}", headers={"X-Turnkeep-User": "ben"})).status_code == 404
    assert int(count) > 1


def nested(*, deep: bool) -> "Pregel[Any, Any, Any, Any]":
    """A node, an inner graph that asks in its second node, a node; `deep`: that inner graph is inside another one."""
    from langgraph.graph import START, StateGraph
    from langgraph.types import interrupt

    def first(state: Log) -> Any:
        return {"log": ["first"]}

    def ask(state: Log) -> Any:
        return {"log": [f"asked {interrupt({'topic': 'pay'})} after {len(state['log'])}"]}

    inner: Any = StateGraph(Log).add_sequence([("in_first", first), ("in_ask", ask)]).add_edge(START, "in_first")
    for name in ["inner", "outer"] if deep else ["inner"]:
        steps: Any = [(f"before_{name}", first), (name, inner.compile()), (f"after_{name}", first)]
        inner = StateGraph(Log).add_sequence(steps).add_edge(START, f"before_{name}")
    return inner.compile()


def shape(state: Any) -> Any:
    """Values, next nodes and tasks of our JSON or LangGraph's snapshot, inner states included; no ids."""
    if state is None or (isinstance(state, dict) and "tasks" not in state):
        return None
    if isinstance(state, dict):
        tasks = [(each["name"], shape(each["state"])) for each in state["tasks"]]
        return state["values"], [*state["next"]], tasks
    return state.values, [*state.next], [(each.name, shape(each.state)) for each in state.tasks]


def innermost(state: Any) -> Any:
    """The checkpoint of the inner graph that waits, read with `subgraphs`."""
    below = next((each for each in state["tasks"] if each["state"]), None)
    return innermost(below["state"]) if below else state["checkpoint"]


@pytest.mark.parametrize("deep", [False, True])
async def test_an_inner_graph_that_waits_is_read_and_changed(make_app: "Callable[..., FastAPI]", deep: bool) -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    graph = nested(deep=deep)
    theirs, sdk = graph.copy({"checkpointer": InMemorySaver()}), sdk_for(make_app, graph)
    thread = (await sdk.threads.create(graph_id="papers"))["thread_id"]
    theirs.invoke({"log": []}, CONFIG)
    await sdk.runs.wait(thread, "papers", input={"log": []})
    ours: Any = await sdk.threads.get_state(thread, subgraphs=True)
    assert shape(ours) == shape(theirs.get_state(CONFIG, subgraphs=True))
    outer: Any = await sdk.threads.get_state(thread)
    assert [each["checkpoint"]["checkpoint_ns"] for each in outer["tasks"]] == [
        each["state"]["checkpoint"]["checkpoint_ns"] for each in ours["tasks"]
    ]
    place = innermost(ours)
    inner: Any = await sdk.threads.get_state(thread, checkpoint={**place, "checkpoint_id": None})
    assert inner["values"]["log"][-1] == "first"
    await sdk.threads.update_state(thread, {"log": ["by hand"]}, checkpoint=place)
    snapshot: Any = theirs.get_state(CONFIG, subgraphs=True)
    while snapshot.tasks[0].state:
        snapshot = snapshot.tasks[0].state
    theirs.update_state(snapshot.config, {"log": ["by hand"]})
    assert shape(await sdk.threads.get_state(thread, subgraphs=True)) == shape(theirs.get_state(CONFIG, subgraphs=True))
    expected = theirs.invoke(Command(resume="yes"), CONFIG)
    assert await sdk.runs.wait(thread, "papers", command={"resume": "yes"}) == expected


async def test_a_checkpoint_of_an_inner_graph_is_refused_where_only_the_thread_has_one(
    make_app: "Callable[..., FastAPI]",
) -> None:
    from httpx import HTTPStatusError

    sdk = sdk_for(make_app, nested(deep=False))
    thread = (await sdk.threads.create(graph_id="papers"))["thread_id"]
    await sdk.runs.wait(thread, "papers", input={"log": []})
    place: Any = innermost(await sdk.threads.get_state(thread, subgraphs=True))
    with pytest.raises(HTTPStatusError, match="422"):
        await sdk.runs.wait(thread, "papers", input=None, checkpoint=place)
    with pytest.raises(HTTPStatusError, match="as that node"):
        await sdk.threads.update_state(thread, {"log": ["x"]}, checkpoint={**place, "checkpoint_ns": "nobody:1"})
