import json
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scope_cases import FIELD_TERMS, IN_SCOPE
from turnkeep.blocks.guardrails import Scope, score_scope
from turnkeep.blocks.reformulation import standalone_query

import turnkeep

THRESHOLD = 75
BEES = Scope(
    terms=["honey bee", "apiary"],
    names=["Karl von Frisch", "Ada Field"],
    titles=["The Dance Language of Bees"],
    texts=[
        "The waggle dance tells where the field is. RFID tags follow each forager; the NOSEMA-X test finds parasites."
    ],
)


@pytest.fixture(scope="module")
def papers():
    path = Path(turnkeep.__file__).parent / "agents" / "papers" / "corpus.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return Scope(
        terms=FIELD_TERMS,
        names=chain.from_iterable(row["authors"] for row in rows),
        titles=[row["title"] for row in rows],
        texts=[row["abstract"] for row in rows],
    )


@pytest.mark.parametrize(
    "query",
    [
        "Where do honey bees sleep?",
        "the dance language of bees",
        "What did Frisch find?",
        "how does the waggle dance work",
        "NOSEMA-X",
    ],
)
def test_terms_titles_names_pairs_and_coined_words_are_in_scope(query):
    assert score_scope(query, BEES).score >= THRESHOLD


@pytest.mark.parametrize(
    "query",
    [
        "",
        " \n",
        "?!",
        "😀",
        "hello",
        "thank you",
        "what is it",
        "where can i dance",
        "is the football field open",
        "42",
    ],
)
def test_emptiness_greetings_and_everyday_words_are_out_of_scope(query):
    assert score_scope(query, BEES).score < THRESHOLD


def test_a_surname_counts_with_its_capital_only():
    assert score_scope("papers by Field", BEES).score > score_scope("papers by field", BEES).score


def test_what_the_field_does_not_know_lowers_the_score():
    alone = score_scope("apiary", BEES).score
    among_others = score_scope("apiary mortgage parking dentist pizza football", BEES).score
    assert among_others < THRESHOLD <= alone


@given(st.text())
def test_any_text_gets_a_score_and_a_reason(query):
    found = score_scope(query, BEES)
    assert 0 <= found.score <= 100
    assert found.reason


def test_questions_about_the_papers_pass(papers):
    passed = [query for query in IN_SCOPE if score_scope(query, papers).score >= THRESHOLD]
    assert len(passed) / len(IN_SCOPE) >= 0.95


def test_everyday_requests_to_assistants_are_refused(papers, shared_data):
    rows = json.loads((shared_data / "clinc_oos" / "dev_val.json").read_text())
    requests = [text for split in rows.values() for text, _ in split]
    refused = [text for text in requests if score_scope(text, papers).score < THRESHOLD]
    assert len(refused) / len(requests) >= 0.95


def test_a_new_subject_is_refused_even_after_a_question_in_scope(papers):
    history = ["How are residual networks trained?"]
    for query in ("what is the weather like today", "please book a table for dinner", "convert my dollars to euros"):
        assert score_scope(standalone_query(query, history), papers).score < THRESHOLD
    for query in ("Who wrote it?", "And how deep are they?", "what are its limitations?"):
        assert score_scope(standalone_query(query, history), papers).score >= THRESHOLD


@pytest.mark.timeout(30)
def test_a_request_of_64_kb_is_scored(papers):
    assert score_scope("graph attention " * 4096, papers).score >= THRESHOLD
