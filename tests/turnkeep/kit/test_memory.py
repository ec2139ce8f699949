"""Tiered memory: the newest messages in full, older ones as summaries, one call per ten messages, bounded size. And the
state, message and history that agents share."""

import asyncio
import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph.message import add_messages

from scripted_model import ScriptedModel
from turnkeep.errors import ModelBusy
from turnkeep.kit import memory as memory_block
from turnkeep.kit import nodes
from turnkeep.kit.memory import GAP_NOTE, NO_MEMORY, Summaries, ThreadMemory, fold, notes, unfolded
from turnkeep.records import JSON

CALL = "memory.fold"
TWELVE_TURNS, TEN_TURNS = 24, 20


@pytest.fixture
def script() -> Iterator[ScriptedModel]:
    model = ScriptedModel()
    yield model
    model.check_finished()


def turn(n: int) -> list[AnyMessage]:
    return [
        HumanMessage(f"How much did Contoso Order {n} spend?", id=f"h{n}"),
        AIMessage(f"It spent ${n}.50 in May.", id=f"a{n}"),
    ]


def turns(first: int, last: int) -> list[AnyMessage]:
    return [message for n in range(first, last + 1) for message in turn(n)]


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))


def summary(n: int, merged: str = "") -> tuple[str, Summaries]:
    return CALL, Summaries(messages=f"summary {n}", merged=merged)


async def test_nothing_is_summarised_before_twenty_messages(script: ScriptedModel) -> None:
    noise: list[AnyMessage] = [ToolMessage("12:00", tool_call_id="t", id="t1"), AIMessage("", id="e1")]
    folded = await fold(NO_MEMORY, [*turns(1, 9), *noise * 5], model=script)
    assert (folded.memory["recent"], folded.warnings) == ([], ())
    assert unfolded(folded.memory, [*turns(1, 9), *noise]) == turns(1, 9)


async def test_the_oldest_ten_messages_are_summarised(script: ScriptedModel) -> None:
    script.play(summary(1))
    history = turns(1, 10)
    folded = await fold(NO_MEMORY, history, model=script)
    assert notes(folded.memory) == ["summary 1"]
    assert unfolded(folded.memory, history) == turns(6, 10)
    assert [f"Contoso Order {n} " in script.prompt(CALL) for n in (1, 5, 6)] == [True, True, False]
    script.play(summary(1))
    await fold(
        NO_MEMORY, [each.model_copy(update={"content": "long words " * 2_000}) for each in history], model=script
    )
    assert len(script.prompt(CALL)) < 8_000


async def test_a_run_that_was_not_stored_is_repeated_exactly(script: ScriptedModel) -> None:
    script.play(summary(1), summary(2))
    first = await fold(NO_MEMORY, turns(1, 10), model=script)
    again = await fold(NO_MEMORY, turns(1, 10), model=script)
    assert first.memory["next"] == again.memory["next"]
    assert script.prompt(CALL, 0) == script.prompt(CALL, 1)


async def test_two_hundred_turns_cost_one_call_per_ten_messages(script: ScriptedModel) -> None:
    calls = 38  # at turn 11, and then at every fifth
    script.play(*(summary(n, f"it began with Contoso; {n - 4} parts" if n > 6 else "") for n in range(1, calls + 1)))
    memory, largest = NO_MEMORY, 0
    for n in range(1, 201):
        history = turns(1, n - 1)[-TWELVE_TURNS:]
        folded = await fold(memory, history, model=script)
        assert folded.warnings == ()
        memory = folded.memory
        assert len(unfolded(memory, history)) < 20
        largest = max(largest, size(memory))
    assert notes(memory)[0] == "it began with Contoso; 34 parts"
    assert notes(memory)[1:] == ["summary 35", "summary 36", "summary 37", "summary 38"]
    assert largest < 4_000
    assert "<memory>" not in script.prompt(CALL, 3)
    joined = "<note>summary 1 summary 2</note>\n<note>summary 3</note>"  # the model did not merge these
    assert f"<memory>\n{joined}\n</memory>" in script.prompt(CALL, 6)
    merged = "<note>it began with Contoso; 3 parts</note>\n<note>summary 4</note>"
    assert f"<memory>\n{merged}\n</memory>" in script.prompt(CALL, 7)


async def test_a_failed_summary_is_logged_counted_and_retried(script, log, output):
    script.play((CALL, ModelBusy()), summary(1))
    failed = await fold(NO_MEMORY, turns(1, 10), model=script)
    assert (failed.memory["recent"], failed.warnings) == ([], ("memory_not_written",))
    expected = {"message": "summary of the thread not written", "code": "model_busy"}
    assert expected.items() <= json.loads(log.getvalue()).items()
    assert [line["MemoryNotWritten"] for line in output() if "MemoryNotWritten" in line] == [[1.0]]
    later = await fold(failed.memory, turns(1, 11), model=script)
    assert (notes(later.memory), later.warnings) == (["summary 1"], ())
    assert unfolded(later.memory, turns(1, 11)) == turns(6, 11)


async def test_messages_lost_without_a_summary_are_reported(script: ScriptedModel) -> None:
    script.play((CALL, ModelBusy()), summary(1))
    failed = await fold(NO_MEMORY, turns(1, 10), model=script)
    later = await fold(failed.memory, turns(1, 11)[-TEN_TURNS:], model=script)
    assert later.warnings == ("memory_gap",)
    assert notes(later.memory) == [GAP_NOTE, "summary 1"]
    assert (await fold(later.memory, turns(6, 12), model=script)).warnings == ()
    late = await fold(NO_MEMORY, turns(29, 40), model=ScriptedModel([summary(1)]))
    assert late.warnings == ("memory_gap",)


async def test_a_hanging_model_does_not_block_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging(ScriptedModel):
        async def _agenerate(self, *_: Any, **__: Any) -> Any:
            await asyncio.sleep(60)

    monkeypatch.setattr(memory_block, "FOLD_SECONDS", 0.05)
    folded = await fold(NO_MEMORY, turns(1, 10), model=Hanging())
    assert folded.warnings == ("memory_not_written",)


async def test_removed_messages_are_not_a_gap() -> None:
    memory = (await fold(NO_MEMORY, turns(1, 10), model=ScriptedModel([summary(1)]))).memory
    without_next = [message for message in turns(1, 11) if message.id != "h6"]
    assert (await fold(memory, without_next, model=ScriptedModel())).warnings == ()


texts = st.text(max_size=400) | st.text('"\\你\t', max_size=400) | st.just("word " * 300)
messages = st.lists(st.tuples(st.sampled_from([HumanMessage, AIMessage]), texts), max_size=60)


@given(messages, st.lists(texts.filter(str.strip), min_size=2, max_size=2))
def test_memory_stays_below_four_kilobytes(spoken: list[tuple[Any, str]], answers: list[str]) -> None:
    history = [kind(text, id=f"{n}" * 50) for n, (kind, text) in enumerate(spoken)]
    wrong = AIMessage("", tool_calls=[{"name": "Summaries", "args": {"messages": " "}, "id": "t1"}])
    for said_by_model in (Summaries(messages=answers[0], merged=answers[1]), wrong):
        memory = asyncio.run(_all_folded(history, said_by_model))
        assert json.loads(json.dumps(memory)) == memory
        assert size(memory) < 4_000
        assert len(memory["recent"]) <= 4


async def _all_folded(history: list[AnyMessage], spoken: Summaries | AIMessage) -> ThreadMemory:
    memory = NO_MEMORY
    for _ in range(8):
        memory = (await fold(memory, history, model=ScriptedModel([(CALL, spoken)] * 2))).memory
    return memory


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
    script = ScriptedModel([(CALL, memory_block.Summaries(messages="They asked."))] * calls)
    folded = await nodes.fold({"messages": thread(turns)}, strategy, script)
    assert folded.memory["recent"] == ["They asked."] * calls
    script.check_finished()


def test_prompts_contain_the_window_or_all_unsummarised_messages() -> None:
    state, mark = {"messages": thread(12)}, memory_block._mark(HumanMessage("", id="h8"))
    kept = memory_block.ThreadMemory(**{**memory_block.NO_MEMORY, "older": "Before.", "next": mark})
    window, whole, none = nodes.history(state, 3, None)
    unfolded, rest, summaries = nodes.history(state, 3, kept)
    assert (window, len(whole), none) == (3, 24, [])
    assert (unfolded, rest[0].id, summaries) == (memory_block.UNFOLDED_TURNS, "h8", ["Before."])
