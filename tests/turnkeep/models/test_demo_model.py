from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from turnkeep.models.calls import INNER_CALL, TextCall, ToolsCall, TypedCall, ask_text, ask_tools, ask_typed
from turnkeep.models.usage import UsageMeter
from turnkeep.tokens import estimate_tokens
from turnkeep_demo.model import DemoChatModel


class Verdict(BaseModel):
    score: int
    reason: str


JUDGE = TypedCall("judge", Verdict)
TELL = TextCall("tell", temperature=0.3, max_tokens=50)
RULES = {
    "judge": lambda parts: {"score": len(parts["query"]), "reason": "its length"},
    "tell": lambda parts: f"You asked:\n{parts['query']}  twice.",
}


def asked(query: str) -> list[Any]:
    marks = {"parts": {"query": query}, INNER_CALL: "tell"}
    return [SystemMessage("Be brief."), HumanMessage("rendered", additional_kwargs=marks)]


async def test_a_rule_answers_its_inner_call_from_the_parts() -> None:
    model = DemoChatModel(rules=RULES)
    assert await ask_typed(model, JUDGE, asked("four")) == Verdict(score=4, reason="its length")
    assert (await ask_text(model, TELL, asked("why"))).text == "You asked:\nwhy  twice."
    without: Any = DemoChatModel().with_structured_output(Verdict)
    assert await without.ainvoke("hello") == Verdict(score=0, reason="hello")


async def test_a_rule_may_call_several_tools_or_answer_in_prose() -> None:
    call = ToolsCall("act", (Verdict,))
    calls = [{"name": "Verdict", "args": {"score": score, "reason": "so"}} for score in (1, 2)]
    model = DemoChatModel(rules={"act": lambda parts: calls if parts["query"] else "Nothing to do."})
    assert [one.model_dump()["score"] for one in (await ask_tools(model, call, asked("go"))).calls] == [1, 2]
    assert (await ask_tools(model, call, asked(""))).text == "Nothing to do."


async def test_the_streamed_words_add_up_to_the_whole() -> None:
    model = DemoChatModel(rules=RULES)
    chunks = [chunk.text async for chunk in model.astream(asked("why"))]
    assert len(chunks) > 3
    assert "".join(chunks) == (await model.ainvoke(asked("why"))).text
    assert "".join(chunk.text for chunk in model.stream(asked("why"))) == "".join(chunks)


async def test_only_visible_calls_reach_the_stream() -> None:
    rules = {"hidden": lambda parts: "inner words", "tell": lambda parts: "outer words"}
    model = DemoChatModel(rules=rules)

    async def node(state: MessagesState) -> Any:
        await ask_text(model, TextCall("hidden", temperature=0, max_tokens=9, visible=False), state["messages"])
        return {"messages": [(await ask_text(model, TELL, state["messages"])).message]}

    graph: Any = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()
    parts: Any = graph.astream({"messages": [("user", "hello")]}, stream_mode="messages")
    assert "".join([part.text async for part, _ in parts]) == "outer words"


async def test_usage_is_estimated_from_prompt_and_answer() -> None:
    meter = UsageMeter()
    await DemoChatModel().ainvoke([HumanMessage("hello there")], {"callbacks": [meter]})
    usage = meter.usage()
    assert usage.input_tokens == estimate_tokens("hello there")
    assert usage.output_tokens == estimate_tokens('You wrote: "hello there"')
    assert (usage.cost_usd, usage.estimated) == (0.0, False)
    assert meter.calls[0].model == "demo"


async def test_a_bare_graph_calls_the_named_tool_and_returns_its_result() -> None:
    @tool
    def add_one(text: str) -> str:
        """Adds one."""
        return f"{text} + 1"

    model = DemoChatModel().bind_tools([add_one])

    async def chat(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder: Any = StateGraph(MessagesState).add_node("chat", chat).add_node("tools", ToolNode([add_one]))
    builder.add_edge(START, "chat").add_conditional_edges("chat", tools_condition).add_edge("tools", "chat")
    values = await builder.compile().ainvoke({"messages": [HumanMessage("please add one")]})
    assert isinstance(values["messages"][2], ToolMessage)
    assert values["messages"][-1].text == "The result is: please add one + 1"
