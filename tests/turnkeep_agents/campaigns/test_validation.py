"""Which recommendations may be shown, whoever worded them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.campaigns.advice import Recommendation
from turnkeep_agents.campaigns.diagnosis import Diagnosis
from turnkeep_agents.campaigns.findings import SEVERITIES, Figure, Finding, Issue
from turnkeep_agents.campaigns.validation import Validated, directions, validate

GRAVE = Diagnosis(summary="Shoes lose money.", severity="critical")
FINDING = Finding(
    specialist="performance_diagnosis",
    status="ok",
    text="Shoes cost £310.00.",
    figures=(
        Figure(subject="Shoes", metric="cost", value=310, text="£310.00", period="May 2026"),
        Figure(subject="Quiz", metric="cost", value=90, text="£90.00", period="May 2026"),
    ),
    issues=(
        Issue(code="ctr_down", severity="critical", subject="Shoes", text="Shoes are down."),
        Issue(code="ctr_down", severity="low", subject="Home Movers", text="Movers are down.", better="Quiz Always On"),
    ),
)


def advice(action: str = "Cut the spend of Shoes by £310.00.", **more: Any) -> Recommendation:
    return Recommendation.model_validate({"priority": "high", "reason": "Shoes are down.", "action": action} | more)


def checked(*given: Recommendation, diagnosis: Diagnosis = GRAVE) -> Validated:
    return validate(given, diagnosis, [FINDING])


def outcomes(found: Validated) -> list[tuple[str, str]]:
    return [(each.code, each.outcome) for each in found.objections]


def test_sound_advice_passes() -> None:
    found = checked(advice())
    assert (found.recommendations, found.objections, found.warnings) == ((advice(),), (), ())


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ({"action": " "}, "It has no action."),
        ({"reason": ""}, "It has no reason."),
        ({"priority": None}, "It has no priority."),
        ({"reason": "", "priority": None}, "It has no priority and no reason."),
    ],
)
def test_a_required_field_that_is_missing_drops_it(missing: dict[str, Any], text: str) -> None:
    found = checked(advice(**missing))
    assert found.recommendations == ()
    assert outcomes(found) == [("recommendation_incomplete", "dropped")]
    assert found.objections[0].text == text


def test_an_expected_impact_is_not_required() -> None:
    assert checked(advice(expected_impact="")).objections == ()


@pytest.mark.parametrize(
    "action", ["Optimize performance.", "Improve the targeting.", "Consider new creatives.", "Act now."]
)
def test_what_names_neither_subject_nor_number_is_too_vague_and_dropped(action: str) -> None:
    found = checked(advice(action))
    assert found.recommendations == ()
    assert outcomes(found) == [("recommendation_vague", "dropped")]


@pytest.mark.parametrize("action", ["Optimise Shoes.", "Please review Shoes.", "Keep an eye on Home Movers."])
def test_what_names_a_subject_and_no_deed_is_kept_with_a_warning(action: str) -> None:
    found = checked(advice(action))
    assert found.recommendations == (advice(action),)
    assert outcomes(found) == [("recommendation_vague", "kept")]


@pytest.mark.parametrize("action", ["Improve Shoes by £310.00.", "Pause Shoes.", "Renew the creatives of Shoes."])
def test_a_deed_or_an_amount_is_not_vague(action: str) -> None:
    assert checked(advice(action)).objections == ()


@pytest.mark.parametrize("field", ["action", "reason", "expected_impact"])
def test_a_number_that_nobody_computed_drops_it(field: str) -> None:
    said = "Cut Shoes by £310.00 for a gain of 15 %."
    found = checked(advice(**{field: said}))
    assert found.recommendations == ()
    assert outcomes(found) == [("figure_removed", "dropped")]
    assert found.objections[0].text == "It quotes what nobody computed: 15."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Raise the budget of Shoes.", "Cut the spend of Shoes."),
        ("Pause Shoes.", "Increase the bids of Shoes."),
        ("Move £310.00 from Shoes to Quiz.", "Boost Shoes."),
        ("Move £310.00 from Shoes to Quiz.", "Pause Quiz."),
        ("Raise Quiz and lower shoes.", "Scale up SHOES."),
    ],
)
def test_of_two_that_contradict_each_other_the_less_urgent_is_dropped(one: str, other: str) -> None:
    first, second = advice(one), advice(other, priority="medium")
    for given_ in ((first, second), (second, first)):
        found = checked(*given_)
        assert found.recommendations == (first,)
        assert outcomes(found) == [("recommendation_conflict", "dropped")]
        assert found.objections[0].action == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Raise the budget of Shoes.", "Cut the spend of Quiz."),
        ("Raise the budget of Quiz.", "Pause Quiz Always On."),
        ("Cut the spend of Shoes.", "Pause Shoes."),
        ("Move £310.00 from Shoes to Quiz.", "Raise Quiz."),
        ("Replace a creative of Shoes.", "Pause Shoes."),
    ],
)
def test_other_subjects_and_the_same_direction_are_no_conflict(one: str, other: str) -> None:
    assert checked(advice(one), advice(other)).objections == ()


def test_a_verb_within_a_name_moves_nothing() -> None:
    names = ["Home Movers", "Cut Flowers"]
    assert directions("Raise the bids for Home Movers and lower those of Cut Flowers.", names) == {
        "Home Movers": "up",
        "Cut Flowers": "down",
    }


def test_the_same_advice_twice_is_shown_once() -> None:
    found = checked(advice(), advice(reason="Shoes cost £310.00."))
    assert found.recommendations == (advice(),)
    assert outcomes(found) == [("recommendation_repeated", "dropped")]


@pytest.mark.parametrize("severity", ["high", "critical"])
def test_a_grave_diagnosis_with_only_low_priorities_is_warned_of(severity: Any) -> None:
    found = checked(advice(priority="low"), diagnosis=Diagnosis(summary="", severity=severity))
    assert found.recommendations == (advice(priority="low"),)
    assert outcomes(found) == [("severity_mismatch", "kept")]


def test_one_urgent_advice_is_enough_for_a_grave_diagnosis() -> None:
    assert checked(advice("Pause Quiz.", priority="low"), advice()).objections == ()


@pytest.mark.parametrize("severity", ["none", "low"])
def test_a_high_priority_for_a_low_diagnosis_is_lowered_with_a_warning(severity: Any) -> None:
    given_ = advice(), advice("Pause Quiz.", priority="medium")
    found = checked(*given_, diagnosis=Diagnosis(summary="", severity=severity))
    assert [(each.action, each.priority) for each in found.recommendations] == [
        ("Pause Quiz.", "medium"),
        ("Cut the spend of Shoes by £310.00.", "low"),
    ]
    assert outcomes(found) == [("severity_mismatch", "lowered")]


def test_the_warnings_are_codes_each_once_and_every_objection_keeps_its_words() -> None:
    found = checked(advice("Optimize."), advice("Improve."), advice(reason=""))
    assert found.warnings == ("recommendation_vague", "recommendation_incomplete")
    assert len(found.objections) == 3
    assert all(each.text for each in found.objections)


actions = st.sampled_from(
    [
        "",
        "Optimize performance.",
        "Optimise Shoes.",
        "Raise Shoes.",
        "Pause Shoes.",
        "Cut £310.00.",
        "Gain 15 %.",
        "Pause Quiz.",
    ]
)
any_advice = st.builds(
    Recommendation,
    priority=st.sampled_from([None, "high", "medium", "low"]),
    action=actions,
    reason=st.sampled_from(["", "Shoes are down."]),
)


@given(given_=st.lists(any_advice, max_size=6), severity=st.sampled_from(SEVERITIES))
def test_nothing_is_dropped_or_changed_without_an_objection(given_: list[Recommendation], severity: Any) -> None:
    found = checked(*given_, diagnosis=Diagnosis(summary="", severity=severity))
    dropped = [each for each in found.objections if each.outcome == "dropped"]
    assert len(found.recommendations) + len(dropped) == len(given_)
    assert all(each.action and each.reason and each.priority for each in found.recommendations)
    again = validate(found.recommendations, Diagnosis(summary="", severity=severity), [FINDING])
    assert again.recommendations == found.recommendations
