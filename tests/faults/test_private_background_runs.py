"""A background request to an agent with PII redaction is stored redacted, before its worker runs and after, and so is
its event log."""

from pathlib import Path
from typing import Any

from harness import ANN, Harness
from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from memory_items import MemoryItems

from canary_scan import canary, found_in, texts_of
from turnkeep.graphs.agent import Agent
from turnkeep.kit.checked_replies import token
from turnkeep.records import Reply, Turn
from turnkeep.turns import RunningTurn, TurnRequest
from turnkeep.turns.background import Runs
from turnkeep.turns.following import follow
from turnkeep_local.objects import FolderObjects
from turns_over import turns_over


def echo() -> Agent:
    """Streams the message back."""

    async def answer(state: MessagesState) -> dict[str, Any]:
        text = f"You said: {state['messages'][-1].text}"
        get_stream_writer()(token("a-1", text))
        return {"messages": [AIMessage(text, id="a-1")]}

    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
    return Agent("story", graph, lambda values: Reply(values["messages"][-1].text))


async def test_a_queued_request_is_encrypted_and_its_turn_restored(tmp_path: Path) -> None:
    harness, tokens = Harness(MemoryItems(), FolderObjects(tmp_path)), list[str]()
    turns = turns_over(harness.store, echo(), clock=harness.clock, private=frozenset({"story"}))
    runs = Runs(turns, harness.store)

    async def launch(token: str) -> None:
        tokens.append(token)

    runs.launch_by(launch)
    harness.store.threads.create(ANN, "t", agent="story")
    message = str(canary("message"))

    record = await runs.enqueue(TurnRequest(ANN, message, thread_id="t", streamed=True))
    assert found_in(stored(harness)) == set()
    assert found_in(tokens) == set()
    await runs.work(*tokens)
    assert found_in(stored(harness)) == set()
    joined = RunningTurn(thread_id="t", run_id=record.run_id, redactor=turns.redactor(ANN, "t"))

    async def end(joined: RunningTurn) -> Turn:
        turn, last = await follow(runs, joined, ANN, 1)
        assert last
        return turn

    *events, complete = [event async for event in joined.run(end).events()]
    assert found_in([str(event.data).encode() for event in events])
    assert (complete.data["turn"].message, complete.data["turn"].private) == (message, True)


def stored(harness: Harness) -> list[bytes]:
    assert isinstance(harness.items, MemoryItems)
    return [text for item in harness.items.stored.values() for text in texts_of(item)]
