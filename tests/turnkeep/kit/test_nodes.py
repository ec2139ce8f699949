"""What several agents share: state keys of a turn, the message and the history."""

from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph.message import add_messages

from scripted_model import ScriptedModel
from turnkeep.kit import memory, nodes
from turnkeep.records import JSON


class Inner(TypedDict):
    rows: list[JSON]
    route: Literal["a", "b"] | None


class State(Inner):
    messages: Annotated[list[AnyMessage], add_messages]
    found: Annotated[list[str], lambda kept, new: kept]
    choice: JSON
    count: int
    is_done: bool
    reply: str
    share: float


def thread(turns: int) -> list[AnyMessage]:
    pairs = ((HumanMessage(f"question {n}", id=f"h{n}"), AIMessage(f"reply {n}", id=f"a{n}")) for n in range(turns))
    return [*(message for pair in pairs for message in pair), HumanMessage("now", id="now")]


def test_each_key_except_lasting_ones_is_reset() -> None:
    make = nodes.fresh(State, {"messages"})
    none: Any = {"rows": [], "route": None, "found": None, "choice": {}}
    assert make() == {**none, "count": 0, "is_done": False, "reply": "", "share": 0.0}
    assert make()["rows"] is not make()["rows"]


@given(st.text(max_size=60), st.integers(2, 80))
def test_a_long_message_is_cut_in_the_middle(text: str, most: int) -> None:
    shown, half = nodes.message_of({"messages": [HumanMessage(text)]}, most), most // 2
    assert nodes.message_of({"messages": [HumanMessage(text)]}) == text
    assert shown == (text if len(text) <= most else f"{text[:half]} [cut] {text[-half:]}")


@pytest.mark.parametrize(("strategy", "turns", "calls"), [("window", 12, 0), ("tiered", 4, 0), ("tiered", 10, 1)])
async def test_only_tiered_memory_writes_summaries(strategy: str, turns: int, calls: int) -> None:
    script = ScriptedModel([("memory.fold", memory.Summaries(messages="They asked."))] * calls)
    folded = await nodes.fold({"messages": thread(turns)}, strategy, script)
    assert folded.memory["recent"] == ["They asked."] * calls
    script.check_finished()


def test_prompts_contain_the_window_or_all_unsummarised_messages() -> None:
    state, mark = {"messages": thread(12)}, memory._mark(HumanMessage("", id="h8"))
    kept = memory.ThreadMemory(**{**memory.no_memory(), "older": "Before.", "next": mark})  # type: ignore[typeddict-item]
    window, whole, none = nodes.history(state, 3, None)
    unfolded, rest, summaries = nodes.history(state, 3, kept)
    assert (window, len(whole), none) == (3, 24, [])
    assert (unfolded, rest[0].id, summaries) == (memory.UNFOLDED_TURNS, "h8", ["Before."])
