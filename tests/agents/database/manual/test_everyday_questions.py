"""The bundled manual answers people who do not use its words, and says so where it cannot."""

import re
import time
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from everyday_questions import (
    BEYOND,
    EVERYDAY,
    FRESH_EVERYDAY,
    LAST_BEYOND,
    LAST_EVERYDAY,
    LATER_BEYOND,
    LATER_EVERYDAY,
)

from turnkeep.agents.database.manual.answers import NOTHING, answer_from, names_subject
from turnkeep.agents.database.manual.concepts import concepts_of, fields_of, strength
from turnkeep.agents.database.manual.manual import Manual, open_manual
from turnkeep.blocks.documents import Document
from turnkeep.blocks.rarity import stem_of

CITED = re.compile(r"\[([\w/-]+#[\w-]+)\]")


@pytest.fixture(scope="module")
def manual() -> Manual:
    return open_manual(None)


def answered(manual: Manual, question: str) -> str:
    sections = [asdict(section) for section in manual.search(question, 5)]
    return answer_from({"query": question, "documents": sections}, manual.weights)


def page(name: str, text: str, also: str = "") -> Document:
    return Document(f"{name}#overview", name.capitalize(), text, metadata={"page": name, "also": also})


@pytest.mark.parametrize(
    ("rows", "least"), [(EVERYDAY, 52), (LATER_EVERYDAY, 18), (LAST_EVERYDAY, 22), (FRESH_EVERYDAY, 5)]
)
def test_everyday_questions_are_answered_out_of_the_right_section(
    manual: Manual, rows: Sequence[tuple[str, ...]], least: int
) -> None:
    missed = [row[0] for row in rows if not set(CITED.findall(answered(manual, row[0]))) & set(row[1:])]
    assert len(rows) - len(missed) >= least, missed


def test_what_no_page_answers_is_refused(manual: Manual) -> None:
    asked = [*BEYOND, *LATER_BEYOND, *LAST_BEYOND]
    told = [question for question in asked if not answered(manual, question).startswith(NOTHING)]
    assert len(told) <= 6, told


def test_all_expected_sections_exist(manual: Manual) -> None:
    rows = (*EVERYDAY, *LATER_EVERYDAY, *LAST_EVERYDAY, *FRESH_EVERYDAY)
    assert {id_ for row in rows for id_ in row[1:]} <= manual.by_id.keys()


def test_a_refusal_names_the_sections_that_come_near() -> None:
    rows = [asdict(page("pumps", "Pumps are oiled on Mondays.")), asdict(page("wells", "Wells are deep."))]
    said = answer_from({"query": "Are pumps galvanized zanzibar?", "documents": rows})
    assert said == NOTHING
    said = answer_from({"query": "Are oiled pumps galvanized zanzibar?", "documents": rows})
    assert said == f"{NOTHING} Nearest to it: Pumps."


def test_index_words_are_found_and_never_quoted() -> None:
    manual = Manual([page("pumps", "Turn the lid.", also="gizmo, whatsit"), page("wells", "They are deep.")])
    assert [one.id for one in manual.search("gizmo", 1)] == ["pumps#overview"]
    assert answered(manual, "Where is the gizmo?") == "Turn the lid. [pumps#overview]"


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Can I get rid of a crew?", {"delete", "remove"}),
        ("Can I take a week off?", {"leave", "vacation"}),
        ("He handed in his notice", {"deactivate", "leave"}),
        ("She logged me out", {"sign"}),
        ("It ran out", {"expire"}),
    ],
)
def test_a_turn_of_speech_is_one_concept(question: str, meant: set[str]) -> None:
    assert any({*map(stem_of, meant)} <= one.others and not one.own for one in concepts_of(question))


def test_what_stands_between_a_verb_and_its_particle_is_read_too() -> None:
    assert "invoic" in {one.own for one in concepts_of("Can I take the invoice back?")}


def test_a_word_that_is_asked_itself_stands_for_no_other() -> None:
    ticket, speeding = (
        next(one for one in concepts_of("speeding ticket") if one.own == own) for own in ("ticket", "speed")
    )
    assert "speed" not in ticket.others
    assert "ticket" not in speeding.others


def test_a_heading_counts_for_more_than_a_text_and_another_word_for_less() -> None:
    (asked,) = concepts_of("vacation")
    heading, text, other = (
        strength(asked, fields_of({"title": title, "text": text, "metadata": {}}))
        for title, text in (("Vacation", ""), ("Rules", "Vacation."), ("Rules", "Leave."))
    )
    assert heading > text > other > 0


def test_everyday_words_are_no_subject() -> None:
    assert concepts_of("What do I do now, mate?") == ()
    assert concepts_of("Making it, using it, putting it there yesterday") == ()


@pytest.mark.parametrize(
    ("message", "is_whole"),
    [
        ("how do I void an invoice again?", True),
        ("how do I undo that?", False),
        ("and for the mobile app offline?", False),
        ("what about invoices and payments?", False),
        ("how do I bake sourdough bread?", False),
    ],
)
def test_a_message_that_names_its_subject_needs_no_other(manual: Manual, message: str, is_whole: bool) -> None:
    rows = [asdict(section) for section in manual.search(message, 5)]
    assert names_subject(message, rows, manual.weights) is is_whole


@pytest.mark.parametrize("text", ["take a ", "put ", "log me ", "get the back ", "every ", "who ", "Mr A's ", "x"])
def test_a_hostile_question_is_read_at_once(manual: Manual, text: str) -> None:
    begun = time.perf_counter()
    answered(manual, text * 20_000)
    assert time.perf_counter() - begun < 1
