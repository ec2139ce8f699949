"""The gate's rules (A0.3), each by its promise."""

from typing import Any

import pytest

from turnkeep_agents.campaigns.gate import check
from turnkeep_agents.campaigns.requests import SPECIALISTS

ENOUGH = "How do the campaigns of Quiz perform?"


def gate(*selected: str, query: str = ENOUGH, confidence: float = 0.9) -> dict[str, Any]:
    return check(query, selected, confidence, max_specialists=3)


def test_a_clear_routing_passes_without_a_word() -> None:
    passed = {"valid": True, "approved": ["budget_risk"], "refused": [], "warnings": [], "remarks": [], "reason": ""}
    assert gate("budget_risk") == gate("budget_risk", "budget_risk") == passed


@pytest.mark.parametrize(
    ("query", "confidence", "warnings"),
    [
        ("", 0.9, ["short_query"]),
        ("Quiz clicks", 0.4, ["short_query"]),
        ("Quiz clicks now", 1.0, []),
        (ENOUGH, 0.0, ["low_confidence"]),
        (ENOUGH, 0.39, ["low_confidence"]),
        (ENOUGH, 0.4, []),
        ("and June?", 0.3, ["short_query", "low_confidence"]),
    ],
)
def test_a_short_query_or_low_confidence_warns_and_still_runs(
    query: str, confidence: float, warnings: list[str]
) -> None:
    checked = gate("budget_risk", query=query, confidence=confidence)
    assert (checked["valid"], checked["warnings"]) == (True, warnings)
    doubt = ["It is not certain what is meant: say how you took it."]
    assert checked["remarks"] == (doubt if "low_confidence" in warnings else [])


@pytest.mark.parametrize(
    ("selected", "approved", "refused", "warning", "remark"),
    [
        (SPECIALISTS[::-1], SPECIALISTS[4:1:-1], [], "too_many_specialists", "budget_risk, performance_diagnosis"),
        (("weather_forecast", *SPECIALISTS[:3]), SPECIALISTS[:3], ["weather_forecast"], "unknown_specialist", ""),
    ],
)
def test_at_most_three_known_specialists_run(
    selected: tuple[str, ...], approved: tuple[str, ...], refused: list[str], warning: str, remark: str
) -> None:
    checked = gate(*selected)
    assert (checked["approved"], checked["refused"], checked["warnings"]) == ([*approved], refused, [warning])
    assert remark in "".join(checked["remarks"])


def test_a_routing_without_a_known_specialist_blocks_with_a_reason() -> None:
    for checked, why in ((gate("weather_forecast"), "weather_forecast"), (gate(), "no specialist was chosen")):
        assert (checked["valid"], checked["approved"]) == (False, [])
        assert why in checked["reason"]
    assert all(name in gate("weather_forecast")["reason"] for name in SPECIALISTS)
