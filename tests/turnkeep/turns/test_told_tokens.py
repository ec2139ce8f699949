"""What a node tells itself while its reply is checked reaches the client once, piece by piece."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from turnkeep.graphs.agent import Agent
from turnkeep.kit.checked_replies import Linked, send, word
from turnkeep.kit.verification import Sources, Verifier
from turnkeep.models.calls import TextCall
from turnkeep.records import Principal, Reply, RunContext
from turnkeep.store.plans import Loaded
from turnkeep.turns.graph import GraphRun, first_input
from turnkeep_demo.model import DemoChatModel

CALL = TextCall("answer", temperature=0.0, max_tokens=100, visible=False)
CONTEXT = RunContext(conversation_window=5, now=datetime(2026, 3, 4, tzinfo=UTC), principal=Principal("local", "ann"))
TEXT = "It costs 400. It was 500 before, so 100 less.\n\nShall I look on?"


async def tokens_of(node: Any) -> list[str]:
    graph = StateGraph(MessagesState, context_schema=RunContext).add_node("answer", node).add_edge(START, "answer")
    agent = Agent("one", graph.compile(), lambda values: Reply(values["messages"][-1].text, route="respond"))
    run = GraphRun(agent, Loaded(), "thread", max_steps=10, streamed=True)
    given = first_input(agent, "what does it cost?", "m1", interrupted=False)
    events = [event async for event in run.events(given, CONTEXT, [])]
    assert (await run.outcome()).reply.text == TEXT
    return [event.data["content"] for event in events if event.name == "token"]


async def test_a_checked_reply_is_told_sentence_by_sentence_and_not_again_as_a_message() -> None:
    model = DemoChatModel(rules={"answer": lambda parts: TEXT})

    async def answer(state: MessagesState, runtime: Runtime[RunContext]) -> Any:
        judge, asked = Linked(Verifier(Sources(known=["now 400, before 500"])), []), [HumanMessage("x")]
        tell, run_id = runtime.stream_writer, UUID(int=1)
        worded = await word(model, CALL, asked, judge, to=(tell, run_id), fallback="none")
        return {"messages": [worded.message]}

    assert await tokens_of(answer) == ["It costs 400.", " It was 500 before, so 100 less.", "\n\nShall I look on?"]


async def test_a_reply_of_code_is_told_once() -> None:
    async def answer(state: MessagesState, runtime: Runtime[RunContext]) -> Any:
        return {"messages": [send(TEXT, to=(runtime.stream_writer, UUID(int=1))).message]}

    assert await tokens_of(answer) == [TEXT]


async def test_a_graph_that_words_its_replies_itself_steers_no_terminal_either() -> None:
    async def answer(state: MessagesState) -> Any:
        return {"messages": [AIMessage(f"{TEXT[:5]}\u202e{TEXT[5:]}", id="a1")]}

    assert await tokens_of(answer) == [TEXT]
