"""Own graphs over LangGraph's SDK: which calls stream the model, events, and calls from a node."""

import operator
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypedDict

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph_sdk import get_client
from langgraph_sdk._shared.utilities import get_asgi_transport
from langgraph_sdk.client import LangGraphClient

from turnkeep.graphfile import GraphSpec
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.own import as_agent
from turnkeep.http.loopback import serve_nodes


class Log(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    secret: str


def own_agent(graph: Any) -> Agent:
    return as_agent(graph, GraphSpec("papers", "./own.py", "graph", "langgraph.json:1"))


async def test_a_model_is_streamed_only_for_clients_that_read_tokens(make_app: Callable[..., FastAPI]) -> None:
    calls = list[None]()

    class Model(GenericFakeChatModel):
        def _stream(self, *given: Any, **named: Any) -> Iterator[Any]:
            calls.append(None)
            return super()._stream(*given, **named)

    def reply(state: MessagesState) -> Any:
        return {"messages": [Model(messages=iter([AIMessage("hello")])).invoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply").compile()
    app = make_app(agent_of=lambda name: own_agent(graph))
    sdk = LangGraphClient(http := AsyncClient(transport=ASGITransport(app), base_url="http://test"))
    human: Any = {"messages": [{"role": "user", "content": "hi"}]}

    async def streamed(*modes: Any) -> None:
        async for _ in sdk.runs.stream(None, "papers", input=human, stream_mode=list(modes)):
            pass

    body = {"model": "papers", "messages": human["messages"]}
    ways: list[tuple[Any, bool]] = [
        (sdk.runs.wait(None, "papers", input=human), False),
        (streamed("values", "updates"), False),
        (streamed("values", "messages"), True),
        (streamed("messages-tuple"), True),
        (http.post("/chat", json={"message": "hi"}), False),
        (http.post("/chat/stream", json={"message": "hi"}), True),
        (http.post("/v1/chat/completions", json=body), False),
        (http.post("/v1/chat/completions", json=body | {"stream": True}), True),
    ]
    for way, is_streamed in ways:
        calls.clear()
        await way
        assert (way, bool(calls)) == (way, is_streamed)


@pytest.mark.parametrize(("per_turn", "pii"), [({}, ""), ({"secret": ""}, ""), ({}, "true")])
async def test_events_of_a_graph_are_streamed_unless_its_texts_are_checked(
    make_app: Callable[..., FastAPI], monkeypatch: pytest.MonkeyPatch, per_turn: dict[str, str], pii: str
) -> None:
    monkeypatch.setenv("PAPERS__PII", pii)
    graph = StateGraph(Log).add_node("node", lambda _: {"log": ["done"], "secret": "draft"}).add_edge(START, "node")
    agent = replace(own_agent(graph.compile()), new_turn=lambda: per_turn)
    sdk = LangGraphClient(AsyncClient(transport=ASGITransport(make_app(lambda _: agent)), base_url="http://test"))
    stream = sdk.runs.stream(None, "papers", input={"log": []}, stream_mode=["events", "values"])
    parts: list[tuple[str, Any]] = [(part.event, part.data) async for part in stream]
    steps = ["on_chain_start", "on_chain_stream", "on_chain_end"]
    expected = [] if per_turn or pii else ["on_chain_start", *steps, "on_chain_end"]
    assert [data["event"] for name, data in parts if name == "events"] == expected
    assert [data["log"] for name, data in parts if name == "values"] == [[], ["done"]]


@pytest.mark.parametrize("with_langgraph_api", [False, True])
async def test_a_node_calls_its_server_as_the_caller_of_the_run(
    make_app: Callable[..., FastAPI],
    with_langgraph_api: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    get_asgi_transport.cache_clear()
    if with_langgraph_api:
        package = ModuleType("langgraph_api")
        package.__path__ = [str(tmp_path)]
        (tmp_path / "asgi_transport.py").write_text("raise KeyError('REDIS_URI')\n")
        monkeypatch.setitem(sys.modules, "langgraph_api", package)

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
