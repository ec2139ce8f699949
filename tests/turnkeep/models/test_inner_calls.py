"""What an inner call makes of a model's answers, without a wire."""

from typing import Any

from langgraph.constants import TAG_NOSTREAM
from langgraph.graph import START, MessagesState, StateGraph

from turnkeep.models.calls import TextCall, ask_text
from turnkeep_demo.model import DemoChatModel

HIDDEN = TextCall("hidden", temperature=0.0, max_tokens=10, visible=False)
SHOWN = TextCall("shown", temperature=0.0, max_tokens=10)


async def test_only_visible_calls_reach_the_stream() -> None:
    model = DemoChatModel(rules={"hidden": lambda parts: "inner words", "shown": lambda parts: "outer words"})

    async def node(state: MessagesState) -> Any:
        await ask_text(model, HIDDEN, state["messages"])
        said = await ask_text(model, SHOWN, state["messages"])
        return {"messages": [said.message]}

    graph: Any = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()
    parts: Any = graph.astream({"messages": [("user", "hello")]}, stream_mode="messages")
    tokens = [part.text async for part, _ in parts]
    assert "".join(tokens) == "outer words"
    assert TAG_NOSTREAM == "nostream"
