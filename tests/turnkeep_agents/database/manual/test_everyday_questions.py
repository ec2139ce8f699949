"""The bundled manual answers people who do not use its words, and says so where it cannot."""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace

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

from turnkeep_agents.database.manual import manual as manual_module
from turnkeep_agents.database.manual.answers import NOTHING, answer_from, names_subject
from turnkeep_agents.database.manual.concepts import MOST_CHARACTERS, concepts_of, evidence, fields_of, strength
from turnkeep_agents.database.manual.manual import BUNDLED, VECTORS, Manual, open_manual
from turnkeep_agents.database.manual.stems import stem_of, stems
from turnkeep_agents.database.manual.troubles import is_trouble
from turnkeep.blocks.dense import passages_of
from turnkeep.blocks.documents import Document
from turnkeep.blocks.vectors import digest, load_vectors
from turnkeep.models.embedding import SentenceEncoder

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
    ("rows", "least"), [(EVERYDAY, 52), (LATER_EVERYDAY, 22), (LAST_EVERYDAY, 25), (FRESH_EVERYDAY, 7)]
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


@pytest.mark.timeout(20)  # a pattern that backtracks would take minutes
@pytest.mark.parametrize("text", ["take a ", "put ", "log me ", "get the back ", "every ", "can t ", "Mr A's ", "x"])
def test_of_a_long_question_the_beginning_is_read(manual: Manual, text: str) -> None:
    assert concepts_of(text * 20_000) == concepts_of((text * 20_000)[:MOST_CHARACTERS])
    assert answered(manual, text * 20_000)


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("The door won't open", True),
        ("it wont let me in", True),
        ("The lamp keeps blinking", True),
        ("There is an error on the screen", True),
        ("How do I open the door?", False),
        ("Is the lamp old?", False),
    ],
)
def test_trouble_is_told_from_a_wish(question: str, *, is_one: bool) -> None:
    assert is_trouble(question) is is_one


def test_where_something_does_not_work_sections_about_that_come_first() -> None:
    lamps = [
        Document("a#lamp", "Rooms > Lamp", "A lamp.", metadata={"page": "Rooms"}),
        Document("b#lamp", "Rooms > Lamp fails", "A lamp.", metadata={"page": "Rooms"}),
    ]
    manual = Manual([*lamps, *(page(f"p{n}", "Other.") for n in range(5))])
    assert [one.id for one in manual.search("lamp", 2)] == ["a#lamp", "b#lamp"]
    assert [one.id for one in manual.search("my lamp does not work", 2)] == ["b#lamp", "a#lamp"]


def test_what_stands_for_a_class_of_things_is_found_by_it_and_proves_less() -> None:
    (valve,) = concepts_of("valve")
    item, valves = (fields_of({"title": text, "text": text, "metadata": {}}) for text in ("Item", "Valve"))
    assert evidence(valve, valves) == 1
    assert 0 < evidence(valve, item) < 1
    assert evidence(valve, fields_of({"title": "Leave", "text": "", "metadata": {}})) == 0


@pytest.mark.parametrize(
    "forms",
    ["swap swaps swapped swapping", "move moves moved moving", "ring rang rung", "plan planned planner", "hire hired"],
)
def test_forms_of_a_word_fall_together(forms: str) -> None:
    assert len(set(stems(forms))) == 1


@pytest.mark.parametrize("words", ["king ring", "bed bill", "need new", "order ore"])
def test_words_that_look_like_forms_stay_apart(words: str) -> None:
    assert len(set(stems(words))) == 2


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("Where is the oiled pump?", True),
        ("Where can I buy a good oiled pump?", False),
        ("My zanzibar fell on the galvanized glockenspiel beside the oiled pump, wheel, crank and valve", True),
        ("My zanzibar fell on the galvanized glockenspiel beside the pump", False),
    ],
)
def test_much_that_is_found_makes_up_for_much_that_is_told_beside_it(question: str, *, is_answered: bool) -> None:
    rows = [page("pumps", "An oiled pump has a wheel, a crank and a valve."), page("wells", "Wells are deep.")]
    others = [page(f"other-{n}", "Something else.") for n in range(30)]
    assert answered(Manual([*rows, *others]), question).startswith(NOTHING) is not is_answered


def test_scores_of_the_search_count_where_every_section_has_one() -> None:
    rows = [asdict(page(name, "The pump is oiled.")) for name in ("first", "second")]
    near = [{**rows[0], "score": 0.1}, {**rows[1], "score": 3.0}]
    chosen = [{**rows[0], "score": None}, {**rows[1], "score": 3.0}]
    said, of_chosen = (answer_from({"query": "Is the pump oiled?", "documents": some}) for some in (near, chosen))
    assert CITED.findall(said)[0] == "second#overview"
    assert CITED.findall(of_chosen)[0] == "first#overview"


def test_a_pronoun_has_no_forms() -> None:
    assert [one.own for one in concepts_of("Is there a shed?")] == ["shed"]


class PlayedDense:
    """A dense retriever that finds the last section near, and records what it is opened with."""

    def __init__(self) -> None:
        self.documents: list[Document] = []

    def opened(self, documents: Sequence[Document], _: object) -> "PlayedDense":
        self.documents = list(documents)
        return self

    def search(self, query: str, limit: int) -> list[Document]:
        return [replace(self.documents[-1], score=0.9)][:limit]


def test_what_is_near_in_meaning_is_found_without_a_word_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dense = PlayedDense()
    monkeypatch.setattr(manual_module, "open_dense", dense.opened)
    manual = Manual([page("pumps", "Turn the lid.", also="gizmo"), page("wells", "They are deep.")], dense=True)
    assert [one.id for one in manual.search("profundity", 2)] == ["wells#overview"]
    assert dense.documents[0].text == "gizmo. Turn the lid."


def test_the_bundled_vectors_are_those_of_all_bundled_sections_and_no_others() -> None:
    kept = load_vectors(BUNDLED / VECTORS, SentenceEncoder.name, SentenceEncoder.dimensions)
    documents = [manual_module.with_index(one) for one in open_manual(None).documents]
    assert kept.keys() == {digest(text) for one in documents for text in passages_of(one)}
