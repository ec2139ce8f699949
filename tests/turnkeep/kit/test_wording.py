"""Replies are checked while they are written, by a judge that forbids words."""

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import PrivateAttr

from scripted_model import ScriptedModel
from turnkeep.errors import ModelError, ModelFault, ModelTimeout
from turnkeep.kit.checked_replies import (
    SENTENCE_CORRECTED,
    SENTENCE_REMOVED,
    Linked,
    Rewritten,
    presented,
    send,
    token,
    units,
    word,
)
from turnkeep.models.calls import TextAnswer, TextCall, inner_call_of
from turnkeep.records import Reply, Source

CALL = TextCall("agent.answer", temperature=0.3, max_tokens=300, visible=False)
RUN_ID = UUID(int=7)
FALLBACK = "Fallback."


class WritingModel(ScriptedModel):
    """Streams the pieces of a draft, raises those that are faults, and rewrites rejected sentences once."""

    _pieces: Sequence[Any] = PrivateAttr()

    def __init__(self, pieces: Sequence[Any], rewritten: Sequence[str] | BaseException | None = None):
        rewrites = rewritten if isinstance(rewritten, BaseException) else Rewritten(sentences=list(rewritten or ()))
        super().__init__([] if rewritten is None else [("agent.answer.repair", rewrites)])
        self._pieces = pieces

    async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        self._asked.append((inner_call_of(messages) or "", messages, kwargs))
        for piece in self._pieces:
            if isinstance(piece, BaseException):
                raise piece
            message = piece if isinstance(piece, AIMessageChunk) else AIMessageChunk(content=piece)
            yield ChatGenerationChunk(message=message)


class Forbids:
    """Rejects a word unless accepted text allows it."""

    def __init__(self, *words: str):
        self.words, self.accepted = words, ""

    def problems(self, unit: str) -> list[str]:
        rewrites = self.accepted + unit
        return [f"{each} is forbidden" for each in self.words if each in unit and f"allow {each}" not in rewrites]

    def accept(self, unit: str) -> str:
        self.accepted += unit
        return unit.replace("TRIM", "")


async def written(
    draft: str | Sequence[Any], *forbidden: str, rewritten: Any = None, end: str = ""
) -> tuple[TextAnswer, list[str], WritingModel]:
    streamed: list[Any] = []
    model = WritingModel([draft] if isinstance(draft, str) else draft, rewritten)
    asked = (model, CALL, [HumanMessage("the question")], Linked(Forbids(*forbidden), [], [ATTACK]))
    worded = await word(*asked, to=(streamed.append, RUN_ID), fallback=FALLBACK, end=end)
    assert streamed == [token(str(RUN_ID), each["content"]) for each in streamed]
    pieces = [each["content"] for each in streamed]
    assert "".join(pieces) == worded.text, "what is told is the reply, and nothing of it was taken back"
    return worded, pieces, model


ATTACK = "See. ![x](https://e.example/i.png) <img src=y> [z](javascript:a)\x1b[2J"
HARMLESS = "See. ! [x](https://e.example/i.png) < img src=y> [z] (javascript:a) [2J"


async def test_a_reply_contains_nothing_that_loads_or_runs() -> None:
    rewrites, *_ = await written(ATTACK, end=f"\n{ATTACK}")
    assert rewrites.text == "\n".join([HARMLESS] * 2)
    none, *_ = await written("bad.", "bad", rewritten=[ATTACK], end=f"\n{ATTACK}")
    assert none.text == "\n".join([HARMLESS] * 2)
    streamed: list[Any] = []
    assert send(ATTACK, to=(streamed.append, RUN_ID)).message.text == HARMLESS
    assert streamed == [token(str(RUN_ID), HARMLESS)]


def test_sources_link_to_web_addresses_only() -> None:
    urls = {"javascript:a": None, "data:b": None, "": None, None: None, "https://e.example/a": "https://e.example/a"}
    left = presented(Reply("a\x1b", sources=tuple(Source("1", ATTACK, url) for url in urls)))
    assert left.text == "a "
    assert [(each.title, each.url) for each in left.sources] == [(HARMLESS, url) for url in urls.values()]


async def test_a_correct_reply_streams_by_sentences_in_one_call() -> None:
    assert (await written("ATRIM is. B TRIMis."))[0].text == "A is. B is.", "the judge may change a sentence"
    worded, pieces, model = await written("It is so. And e.g. this, on 3. May too. Is it?\n\n1. A. B\n2. C\n")
    assert pieces == ["It is so.", " And e.g. this, on 3. May too.", " Is it?", "\n\n1. A. B", "\n2. C"]
    assert worded == TextAnswer("It is so. And e.g. this, on 3. May too. Is it?\n\n1. A. B\n2. C", str(RUN_ID))
    assert worded.message.id == str(RUN_ID)
    assert [name for name, *_ in model.asked] == ["agent.answer"]


PARTS = (" ", "\n", "\n\n", ". ", "! ", "1. ", "12. ", "- ", "* ", "| a | 1 |", *"AbÄ9", "e.g. x", "…", ")", '"')
TEXTS = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.data())
async def test_pieces_of_any_size_give_the_same_units(text: str, data: st.DataObject) -> None:
    assert "".join(units(text)) == text
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=12)) | {0, len(text)})
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    if any(map(str.isalnum, text)):
        whole, at_once, _ = await written(text)
        assert (await written(pieces))[1] == at_once
        assert "".join(whole.text.split()) == "".join(text.split())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["Good.", "Bad.", "Bad too.", "So."]), min_size=1, max_size=8), st.booleans())
async def test_streamed_sentences_are_accepted_and_in_order(sentences: list[str], is_list: bool) -> None:
    lines = [f"{at}. {each}" for at, each in enumerate(sentences, 1)] if is_list else sentences
    worded, _, _ = await written(("\n" if is_list else " ").join(lines), "Bad", rewritten=[])
    shown = [each for each in ("Bad", "Good", "So") if each in worded.text]
    assert "Bad" not in shown
    kept = [each for each in lines if "Bad" not in each]
    assert worded.text == (("\n" if is_list else " ").join(kept) or FALLBACK)


async def test_rejected_sentences_are_rewritten_once() -> None:
    worded, pieces, model = await written("A is so. Bad one. B. Bad two.", "Bad", rewritten=["Good one.", "Good two."])
    assert worded.text == "A is so. Good one. B. Good two."
    assert pieces[0] == "A is so.", "what was right before had left"
    assert worded.warnings == (SENTENCE_CORRECTED,)
    assert [name for name, *_ in model.asked] == ["agent.answer", "agent.answer.repair"]
    question, draft, complaint = model.asked[1][1]
    assert (question.text, draft.text) == ("the question", "A is so. Bad one. B. Bad two.")
    assert "1. “Bad one.”: Bad is forbidden\n2. “Bad two.”: Bad is forbidden" in complaint.text
    assert "B." not in complaint.text


DROPPED = [
    *(("A. Bad. B.", each, "A. B.") for each in (["Still Bad."], [""], [], ["Good.", "More."], ModelTimeout())),
    ("1. A\n2. Bad\n3. C\n\nBad. D\n\n1. E", [], "1. A\n3. C\n\nD\n\n1. E"),
    ("| a | b |\n|---|---|\n| x | Bad |\n| y | 2 |\n\nEnd. Bad.", [], "| a | b |\n|---|---|\n| y | 2 |\n\nEnd."),
    ("Uno. Bad.\nDue.\n\nBad.\n\nTre.", [], "Uno.\nDue.\n\nTre."),
    ("**Do it.** Because. Bad (see above). *So.*", [], "**Do it.** Because. *So.*"),
]


@pytest.mark.parametrize(("draft", "rewritten", "text"), DROPPED)
async def test_a_sentence_rejected_again_is_dropped_and_leaves_no_gap(draft: str, rewritten: Any, text: str) -> None:
    worded, _, _ = await written(draft, "Bad", rewritten=rewritten)
    assert (worded.text, worded.warnings) == (text, (SENTENCE_REMOVED,))


async def test_a_rewritten_sentence_is_checked_after_those_before() -> None:
    worded, _, _ = await written("Wrong. Bad.", "Wrong", "Bad", rewritten=["Now allow Bad.", "Bad it is."])
    assert worded.text == "Now allow Bad. Bad it is."


async def test_the_fallback_replaces_a_reply_without_accepted_sentences() -> None:
    worded, pieces, _ = await written("Bad. Bad!", "Bad", rewritten=["", ""], end="\n\nBye.")
    assert worded.text == f"{FALLBACK}\n\nBye."
    assert pieces == [FALLBACK, "\n\nBye."]


async def test_a_streamed_sentence_stays_if_a_fault_ends_the_reply() -> None:
    streamed: list[Any] = []
    model = WritingModel(["One. ", "Two", ModelTimeout()])
    with pytest.raises(ModelFault):
        await word(model, CALL, [HumanMessage("x")], Linked(None, []), to=(streamed.append, RUN_ID), fallback=FALLBACK)
    assert [each["content"] for each in streamed] == ["One."]


async def test_a_refusal_is_sent_with_a_warning_and_an_empty_answer_is_an_error() -> None:
    refusal = AIMessageChunk(content="I won't.", additional_kwargs={"refusal": "I won't."})
    with pytest.raises(ModelError):
        await written(" \n")
    worded, _, _ = await written([refusal])
    assert (worded.text, worded.warnings) == ("I won't.", ("model_refused",))
