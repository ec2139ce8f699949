"""The sixty demo questions: well formed, each with something that is right, and a program that measures them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import demo_oracles
import demo_questions
from turnkeep.records import Reply

QUESTIONS = demo_questions.read_questions()
NOTHING = {"figures": [], "specialists": [], "issues": [], "products": []}


@pytest.fixture(scope="module")
def known():
    return demo_questions.read_known()


def test_there_are_sixty_questions_with_ids_of_their_own():
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS) == 60
    assert len({tuple(row["messages"]) for row in QUESTIONS}) == 60
    agents = [row["agent"] for row in QUESTIONS]
    assert (agents.count("campaigns"), agents.count("products")) == (40, 20)


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_a_question_is_well_formed_and_has_something_that_is_right(row, known):
    assert row.keys() == {"id", "agent", "messages", "right"}
    assert 1 <= len(row["messages"]) <= 3
    assert all(message.strip() for message in row["messages"])
    assert row["right"]
    for right in row["right"]:
        assert right
        assert right.keys() <= demo_questions.JUDGES.keys()
        assert all(demo_oracles.expected(known.facts, spec) for spec in right.get("figures", []))
        assert all(product["id"] for product in _products(right, known))
        assert not is_met_by_silence(right, known)


def _products(right, known):
    if "products" not in right:
        return []
    found = demo_oracles.matching(known.catalogue, right["products"]["where"])
    assert found
    return found


def is_met_by_silence(right, known):
    """Whether an empty reply would do though something is to be said."""
    wants = right.keys() - {"no_figures", "no_products", "no_warnings", "runs"}
    empty = Reply("", route="none", details=NOTHING)
    return bool(wants) and not list(demo_questions.faults_of(empty, right, known))


def test_a_figure_of_another_period_is_wrong(known):
    spec = {"metric": "cost", "days": ["2026-05-01", "2026-05-31"]}
    [may] = demo_oracles.expected(known.facts, spec).values()

    def faults(*values):
        figures = [{"subject": "all", "metric": "cost", "value": value, "text": "much"} for value in values]
        reply = Reply("So much.", details={**NOTHING, "figures": figures})
        return list(demo_questions.faults_of(reply, {"figures": [spec]}, known))

    assert faults(may * (1 + 1e-11)) == []
    assert faults(may * 1.001, may) != []
    assert faults() != []


def test_a_rate_is_a_ratio_of_sums_and_an_order_is_kept():
    rows = [
        {"day": "2026-05-01", "size": "a", "clicks": 1, "impressions": 10},
        {"day": "2026-05-02", "size": "a", "clicks": 9, "impressions": 10},
        {"day": "2026-05-02", "size": "b", "clicks": 6, "impressions": 10},
        {"day": "2026-06-01", "size": "b", "clicks": 10, "impressions": 10},
    ]
    facts = demo_oracles.Facts([{**dict.fromkeys(demo_oracles.SUMS, 0), **row} for row in rows], [])
    spec = {"metric": "ctr", "by": "size", "days": ["2026-05-01", "2026-05-31"], "order": "high"}
    assert list(demo_oracles.expected(facts, spec).items()) == [("b", 0.6), ("a", 0.5)]
    assert demo_oracles.expected(facts, {**spec, "by": "month", "where": {"size": ["b"]}}) == {"May 2026": 0.6}


def test_the_program_tells_the_share_on_its_last_line():
    program = Path(demo_questions.__file__)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    last = json.loads(done.stdout.splitlines()[-1])
    assert {row["agent"]: row["questions"] for row in last["rows"]} == {"campaigns": 40, "products": 20, "all": 60}
    assert last["rows"][-1]["right"] == 60 - len(last["wrong"])
