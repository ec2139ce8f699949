"""The gate's rules (A0.3), each by its promise."""

import pytest

from turnkeep_agents.campaigns.gate import check
from turnkeep_agents.campaigns.requests import SPECIALISTS

ENOUGH = "How do the campaigns of Quiz perform?"


def gate(*selected: str, query: str = ENOUGH, confidence: float = 0.9) -> dict[str, object]:
    return check(query, selected, confidence, max_specialists=3)


def test_a_clear_routing_passes_without_a_word() -> None:
    assert gate("budget_risk") == {
        "valid": True,
        "approved": ["budget_risk"],
        "refused": [],
        "warnings": [],
        "remarks": [],
        "reason": "",
    }


@pytest.mark.parametrize(("query", "warns"), [("", True), ("Quiz clicks", True), ("Quiz clicks now", False)])
def test_a_query_under_three_words_warns_and_still_runs(query: str, warns: bool) -> None:
    checked = gate("budget_risk", query=query)
    assert checked["valid"]
    assert ("short_query" in checked["warnings"]) is warns


def test_at_most_three_specialists_run_the_best_three_with_a_warning() -> None:
    checked = gate(*reversed(SPECIALISTS))
    assert checked["approved"] == ["delivery_optimization", "creative_inventory", "audience_targeting"]
    assert checked["warnings"] == ["too_many_specialists"]
    assert "budget_risk, performance_diagnosis" in checked["remarks"][0]


@pytest.mark.parametrize(("confidence", "warns"), [(0.0, True), (0.39, True), (0.4, False), (1.0, False)])
def test_a_confidence_under_two_fifths_warns_and_still_runs(confidence: float, warns: bool) -> None:
    checked = gate("budget_risk", confidence=confidence)
    assert checked["valid"]
    assert ("low_confidence" in checked["warnings"]) is warns


def test_an_unknown_specialist_is_refused_and_the_known_ones_run() -> None:
    checked = gate("weather_forecast", "budget_risk")
    assert (checked["approved"], checked["refused"]) == (["budget_risk"], ["weather_forecast"])
    assert checked["warnings"] == ["unknown_specialist"]


def test_unknown_specialists_alone_block_the_turn_which_says_why_and_who_there_is() -> None:
    checked = gate("weather_forecast")
    assert (checked["valid"], checked["approved"]) == (False, [])
    assert "weather_forecast" in checked["reason"]
    assert all(name in checked["reason"] for name in SPECIALISTS)


def test_a_routing_that_chose_nobody_is_blocked() -> None:
    checked = gate()
    assert not checked["valid"]
    assert "no specialist was chosen" in checked["reason"]


def test_a_specialist_that_was_chosen_twice_runs_once() -> None:
    assert gate("budget_risk", "budget_risk")["approved"] == ["budget_risk"]


def test_an_unknown_specialist_takes_no_place_of_a_known_one() -> None:
    checked = gate("weather_forecast", *SPECIALISTS[:3])
    assert checked["approved"] == list(SPECIALISTS[:3])
    assert checked["warnings"] == ["unknown_specialist"]


def test_doubt_is_told_to_whoever_words_the_reply_and_that_a_message_is_short_is_not() -> None:
    assert gate("budget_risk", query="and June?")["remarks"] == []
    doubtful = gate("budget_risk", query="and June?", confidence=0.3)
    assert doubtful["warnings"] == ["short_query", "low_confidence"]
    assert doubtful["remarks"] == ["It is not certain what is meant: say how you took it."]
