"""States and calls that LangGraph does not know: errors, owners, redaction. tests/differential compares the rest."""

from dataclasses import replace
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from turnkeep.errors import InvalidRequest, ThreadBusy
from turnkeep.graphs.agent import Agent
from turnkeep.records import Event, Principal, Reply, Turn
from turnkeep.store.items import Items
from turnkeep.store.leases import BeginRequest
from turnkeep.store.turn_log import NO_CHECKPOINT
from turnkeep.turns import TurnRequest, Turns
from turnkeep.turns.request import GraphCall
from turnkeep_local.objects import FolderObjects
from turns_over import table_over, turns_over

ANN = Principal("acme", "ann")


class Basket(MessagesState):
    fruits: Annotated[list[str], lambda old, new: old + new]


def answer(state: Basket) -> Any:
    said = state["messages"][-1].text
    return {"messages": [AIMessage(f"re: {said}")], "fruits": [said]}


def agent() -> Agent:
    graph = StateGraph(Basket).add_node("answer", answer).add_edge(START, "answer")
    return Agent("basket", graph.compile(), lambda values: Reply(values["messages"][-1].text), dict, window=3)


@pytest.fixture
def turns(items: Items, folder_objects: FolderObjects) -> Turns:
    return made(items, folder_objects)


def made(items: Items, folder_objects: FolderObjects, *private: str) -> Turns:
    return turns_over(table_over(items, folder_objects), agent(), private=frozenset(private))


async def run(turns: Turns, message: str = "hello", **more: Any) -> tuple[Turn, list[Event]]:
    running = await turns.start(TurnRequest(ANN, message, "t1", create=True, **more))
    events = [event async for event in running.events()]
    return events[-1].data["turn"], events


async def say(turns: Turns, message: str, **more: Any) -> Turn:
    return (await run(turns, message, **more))[0]


def texts(values: Any) -> list[str]:
    return [message["content"] for message in values["messages"]]


@pytest.mark.parametrize("base", [0, NO_CHECKPOINT])
async def test_the_first_message_can_be_said_in_another_way(turns: Turns, base: int | str) -> None:
    await say(turns, "a")
    assert (await say(turns, "b", base=base)).number == 1
    assert texts((await turns.states.read(ANN, "t1")).shown["values"]) == ["b", "re: b"]
    assert {state.shown["parent_checkpoint_id"] for state in list(turns.states.history(ANN, "t1", 10))} == {
        NO_CHECKPOINT
    }
    assert [texts(state.shown["values"])[0] for state in turns.states.history(ANN, "t1", limit=1)] == ["b"]


async def test_two_branches_that_ask_are_answered_one_after_the_other(
    items: Items, folder_objects: FolderObjects
) -> None:
    def ask(name: str) -> Any:
        return lambda state: {"fruits": [f"{name} {interrupt(f'{name}?')}"]}

    graph = StateGraph(Basket).add_node("left", ask("left")).add_node("right", ask("right"))
    graph.add_node("tell", lambda state: {"messages": [AIMessage(", ".join(state["fruits"]))]})
    graph.add_edge(START, "left").add_edge(START, "right").add_edge(["left", "right"], "tell")
    turns = turns_over(table_over(items, folder_objects), replace(agent(), graph=graph.compile()))
    replies = [(await say(turns, message)).reply for message in ("hello", "one", "two")]
    assert replies == ["left?", "right?", "left one, right two"]


async def test_a_thread_that_is_busy_is_not_edited(turns: Turns) -> None:
    turns.store.leases.begin(ANN, "t1", BeginRequest(key="k", body=b"", message="runs", create=True))
    with pytest.raises(ThreadBusy):
        await turns.states.update(ANN, "t1", {"fruits": ["x"]})


def parts(events: list[Event]) -> list[tuple[str, Any]]:
    return [(event.data["mode"], event.data["data"]) for event in events if event.name == "part"]


async def test_no_stream_mode_sends_per_turn_keys(items: Items, folder_objects: FolderObjects) -> None:
    turns = turns_over(table_over(items, folder_objects), replace(agent(), new_turn=lambda: {"fruits": []}))
    call = GraphCall({"messages": "plum"}, modes=("values", "updates", "tasks", "debug", "checkpoints"))
    told = parts((await run(turns, "plum", call=call))[1])
    assert {mode for mode, _ in told} == set(call.modes)
    assert "fruits" not in str(told)


async def test_tokens_and_reply_steer_no_terminal(items: Items, folder_objects: FolderObjects) -> None:
    graph = StateGraph(Basket).add_node("answer", lambda _: {"messages": [AIMessage("It \u202ecosts 400.")]})
    plain = replace(agent(), graph=graph.add_edge(START, "answer").compile())
    turn, events = await run(turns_over(table_over(items, folder_objects), plain), streamed=True)
    assert turn.reply == "".join(event.data["content"] for event in events if event.name == "token") == "It costs 400."


@pytest.mark.parametrize("messages", [5, [{"content": "no role"}], [{"role": "nobody", "content": "x"}]])
async def test_messages_that_are_none_are_told_and_leave_the_thread_free(turns: Turns, messages: Any) -> None:
    with pytest.raises(InvalidRequest, match="messages"):
        await say(turns, "x", call=GraphCall({"messages": messages}))
    assert turns.store.threads.read(ANN, "t1").status == "error"
    assert (await say(turns, "a")).number == 1


async def test_a_client_names_neither_thread_nor_checkpoint_in_its_config(turns: Turns) -> None:
    forged = {"configurable": {"thread_id": "t2", "checkpoint_id": "x", "__pregel_read": "x", "color": "red"}}
    assert (await say(turns, "a", call=GraphCall({"messages": "a"}, config=forged))).thread_id == "t1"
    assert (await turns.states.read(ANN, "t1")).shown["metadata"]["color"] == "red"


async def test_of_a_private_agent_nothing_that_a_call_brings_is_kept_in_the_clear(
    items: Items, folder_objects: FolderObjects
) -> None:
    turns, mail = made(items, folder_objects, "basket"), "ann.rossi@example.org"
    said = f"write to {mail}"
    config = {"metadata": {"asked_by": mail}, "configurable": {"reply_to": mail}}
    modes = ("values", "updates", "messages-tuple", "debug")
    call = GraphCall({"messages": said, "fruits": [mail]}, config=config, modes=modes)
    turn, events = await run(turns, said, call=call)
    assert (turn.message, turn.reply) == (said, f"re: {said}")
    assert "".join(data[0]["content"] for mode, data in parts(events) if mode == "messages-tuple") == f"re: {said}"
    metadata = (await turns.states.read(ANN, "t1")).shown["metadata"]
    assert (metadata["asked_by"], metadata["reply_to"], metadata["run_id"]) == (mail, mail, turn.run_id)
    stored = turns.store.turns.load(turns.store.heads.read(ANN, "t1"), None)
    assert b"ann.rossi" not in stored.checkpoint["state"]  # type: ignore[index]
    await turns.states.update(ANN, "t1", {"fruits": [f"of {mail}"]}, as_node="answer")
    values = (await turns.states.read(ANN, "t1")).shown["values"]
    assert values["fruits"] == [mail, said, f"of {mail}"]
    loaded = turns.store.turns.load(turns.store.heads.read(ANN, "t1"), None)
    assert "ann.rossi" not in f"{loaded.checkpoint} {[link.payload for link in loaded.links]}"
    forked = turns.store.fork(ANN, "t1", "t2")
    assert (await turns.states.read(ANN, forked.thread_id)).shown["values"]["fruits"] == values["fruits"]
