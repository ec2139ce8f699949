"""A stopped run keeps its message and its finished steps, as in LangGraph, and its thread continues."""

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

import turnkeep
from awaiting import until
from turnkeep.errors import RunCancelled
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent, read_settings
from turnkeep.kit.checked_replies import token
from turnkeep.records import Event, Principal, Reply, Turn
from turnkeep.store.items import Items
from turnkeep.turns import RunningTurn, TurnRequest, Turns
from turnkeep.turns.request import GraphCall
from turnkeep_local.objects import FolderObjects
from turns_over import table_over, turns_over

ANN = Principal("acme", "ann")
EXAMPLES = json.loads((Path(turnkeep.__file__).parent / "http/page/static/examples.json").read_text())
waiting: list[None] = []  # one for each node that waits


@pytest.fixture
def over(items: Items, folder_objects: FolderObjects) -> Any:
    """Return the turns of an agent or of an own graph."""
    waiting.clear()
    read = lambda values: Reply(values["messages"][-1].text)  # noqa: E731
    own = lambda graph: Agent("own", graph, read, is_own=True, window=None)  # noqa: E731
    agent_of = lambda given: given if isinstance(given, Agent) else own(given)  # noqa: E731
    return lambda given: turns_over(table_over(items, folder_objects), agent_of(given))


def asked(text: str, **more: Any) -> TurnRequest:
    return TurnRequest(ANN, text, "t", create=True, streamed=True, **more)


async def stopped(turns: Turns, request: TurnRequest) -> Turn:
    """Stop the run once a node waits."""
    running = await turns.start(request)
    await until(lambda: waiting)
    await running.stop()
    return await running.finish()


async def state_of(turns: Turns) -> Any:
    return (await turns.states.read(ANN, "t")).shown


def texts(messages: list[Any]) -> list[str]:
    return [each["content"] if isinstance(each, dict) else each.text for each in messages]


async def forever() -> None:
    waiting.append(None)
    await asyncio.Event().wait()


def step(name: str) -> Any:
    """A node that adds its name, and never ends if the last message of the user names it."""

    async def run(state: MessagesState) -> dict[str, Any]:
        if [each.text for each in state["messages"] if each.type == "human"][-1] == name:
            await asyncio.sleep(0.05)  # so its neighbours end
            await forever()
        return {"messages": [AIMessage(name, id=f"{name}-{len(state['messages'])}")]}

    return run


def diamond() -> "StateGraph[Any, Any, Any, Any]":
    inner = StateGraph(MessagesState).add_sequence([("e", step("e")), ("f", step("f"))]).add_edge(START, "e").compile()
    builder = StateGraph(MessagesState).add_node("inner", inner)
    for name in "abcd":
        builder.add_node(name, step(name))
    builder.add_edge(START, "a").add_edge("a", "b").add_edge("a", "c").add_edge(["b", "c"], "inner")
    return builder.add_edge("inner", "d")


@pytest.mark.parametrize("name", ["a", "b", "c", "d", "e", "f"])
async def test_the_state_is_that_of_langgraph_wherever_a_run_is_stopped(over: Any, name: str) -> None:
    theirs, config = diamond().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    turns = over(diamond().compile())
    for message in ("first", name, "last"):
        given: Any = {"messages": [{"role": "user", "content": message, "id": f"m-{message}"}]}
        task = asyncio.create_task(theirs.ainvoke(given, config, durability="exit"))  # type: ignore[call-overload]
        if message == name:
            await until(lambda: waiting)
            task.cancel()
            waiting.clear()
        await asyncio.wait({task})
        request = asked(message, call=GraphCall(given))
        turn = await stopped(turns, request) if message == name else await (await turns.start(request)).finish()
        assert (turn.status, turn.persisted) == ("stopped" if message == name else "complete", True)
        expected, found = await theirs.aget_state(config), await state_of(turns)  # type: ignore[arg-type]
        assert texts(found["values"]["messages"]) == texts(expected.values["messages"])
        assert found["next"] == list(expected.next)


async def test_the_reply_is_what_was_written(over: Any) -> None:
    async def write(state: MessagesState) -> dict[str, Any]:
        get_stream_writer()(token("1", "half a"))
        await forever()
        return {}

    turns = over(StateGraph(MessagesState).add_node("write", write).add_edge(START, "write").compile())
    turn = await stopped(turns, asked("hello", key="k"))
    assert (turn.number, turn.status, turn.message, turn.reply) == (1, "stopped", "hello", "half a")
    again = await turns.start(asked("hello", key="k"))
    assert (again.replayed, (await again.finish()).reply) == (True, "half a")


async def test_open_tool_calls_get_a_result(over: Any) -> None:
    """Models refuse a history in which a call has none."""

    async def quick() -> str:
        """Answer immediately."""
        return "done"

    async def slow() -> str:
        """Never answer."""
        await forever()
        return ""

    async def call(state: MessagesState) -> dict[str, Any]:
        if "again" in texts(state["messages"]):
            return {"messages": [AIMessage("fine")]}
        names = ["slow"] if isinstance(state["messages"][-1], ToolMessage) else ["quick"]
        calls = [{"name": name, "args": {}, "id": f"call {name}"} for name in names]
        return {"messages": [AIMessage("", tool_calls=calls)]}

    builder = StateGraph(MessagesState).add_node("call", call).add_node("tools", ToolNode([quick, slow]))
    choose = lambda state: "tools" if state["messages"][-1].tool_calls else "__end__"  # noqa: E731
    graph = builder.add_edge(START, "call").add_conditional_edges("call", choose).add_edge("tools", "call").compile()
    turns = over(graph)
    assert (await stopped(turns, asked("go"))).status == "stopped"
    results = {
        each["tool_call_id"]: each["content"]
        for each in (await state_of(turns))["values"]["messages"]
        if each["type"] == "tool"
    }
    assert results == {"call quick": "done", "call slow": "Not finished: the user stopped the run."}
    assert (await (await turns.start(asked("again"))).finish()).reply == "fine"


async def test_a_graph_of_plain_functions_keeps_its_message(over: Any) -> None:
    """Its thread cannot be ended: what it returns later is dropped."""
    gate = threading.Event()

    def wait(state: MessagesState) -> dict[str, Any]:
        if state["messages"][-1].text == "wait":
            waiting.append(None)
            gate.wait(60)
        return {"messages": [AIMessage("late")]}

    turns = over(StateGraph(MessagesState).add_node("wait", wait).add_edge(START, "wait").compile())
    try:
        assert (await stopped(turns, asked("wait"))).status == "stopped"
    finally:
        gate.set()
    await (await turns.start(asked("next"))).finish()
    assert texts((await state_of(turns))["values"]["messages"]) == ["wait", "next", "late"]


async def test_a_stopped_answer_leaves_the_question(over: Any) -> None:
    async def ask(state: MessagesState) -> dict[str, Any]:
        if interrupt("sure?") == "wait":
            await forever()
        return {"messages": [AIMessage("done")]}

    turns = over(StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").compile())
    assert (await (await turns.start(asked("go"))).finish()).status == "interrupted"
    with pytest.raises(RunCancelled):
        await stopped(turns, asked("wait"))
    assert (await (await turns.start(asked("yes"))).finish()).reply == "done"
    assert texts((await state_of(turns))["values"]["messages"]) == ["go", "done"]


@pytest.mark.parametrize("name", ["campaigns", "database", "papers", "products", "regulations"])
async def test_a_thread_answers_wherever_an_agent_was_stopped(
    over: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, question = build_agent(name, read_settings(model="demo")), EXAMPLES[name][0]
    emit, replies, left = RunningTurn.emit, set[str](), 0

    def stop(running: RunningTurn, event: Event) -> None:
        nonlocal left
        emit(running, event)
        left -= event.name == "node"
        if left == 0 and running.turn_number == 1:
            running.stopping.set()

    monkeypatch.setattr(RunningTurn, "emit", stop)
    for step in range(1, 30):
        turns, left = over(agent), step
        request = replace(asked(question), thread_id=f"t{step}")
        first, second = [await (await turns.start(request)).finish() for _ in range(2)]
        replies.add(second.reply)
        if first.status == "complete":
            break
        assert (first.status, second.status, second.number) == ("stopped", "complete", 2)
    assert step > 3
    assert replies == {first.reply}
