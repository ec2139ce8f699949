"""What each stage promises, with and without other parameters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from template_stack import EVERYTHING, Stack, stack, translated

PROMISED = {
    "trial": (False, 10, {14}, "PassThrough"),
    "dev": (False, 0, {3}, "PassThrough"),
    "prod": (True, 22, {90}, "Active"),
}
"""Deletion protection, alarms, days of logs, traces."""
THEIRS = {"Stage", "Alarms", "DeletionProtection", "LogDays", "Tracing"}
OTHERS = {name: value for name, value in EVERYTHING.items() if name not in THEIRS and "::" not in name}


def promises(found: Stack) -> tuple[Any, ...]:
    table, logs = found.of("AWS::DynamoDB::Table")["Table"], found.of("AWS::Logs::LogGroup").values()
    (traces,) = {each["TracingConfig"]["Mode"] for each in found.of("AWS::Lambda::Function").values()}
    alarms = found.of("AWS::CloudWatch::Alarm").keys() - {"DailyCost"}
    return table["DeletionProtectionEnabled"], len(alarms), {each["RetentionInDays"] for each in logs}, traces


@given(st.sampled_from(sorted(PROMISED)), st.sets(st.sampled_from(sorted(OTHERS.keys() - {"Canary"}))))
def test_other_parameters_change_no_promise_of_a_stage(stage: str, names: set[str]) -> None:
    found = Stack(translated(), {"Stage": stage} | {name: OTHERS[name] for name in names})
    assert promises(found) == PROMISED[stage]


@pytest.mark.parametrize("stage", PROMISED)
def test_an_output_lists_the_promises(stage: str) -> None:
    found = Stack(translated(), {"Stage": stage})
    protected, alarms, (days,), traces = PROMISED[stage]
    listed = found._resolved(found._template["Outputs"]["Promises"]["Value"])
    kind = {10: "main", 0: "none", 22: "all"}[alarms]
    own = f"DeletionProtection={str(protected).lower()} Alarms={kind} LogDays={days} Tracing={traces}"
    assert listed == f"Stage={stage} {own}"


@pytest.mark.parametrize("stage", PROMISED)
def test_a_given_parameter_wins_over_its_stage(stage: str) -> None:
    yes = stack(Stage=stage, DeletionProtection="true", Alarms="all", LogDays="30", Tracing="Active")
    no = stack(Stage=stage, DeletionProtection="false", Alarms="none", LogDays="1", Tracing="PassThrough")
    assert promises(yes) == (True, 22, {"30"}, "Active")
    assert promises(no) == (False, 0, {"1"}, "PassThrough")


@pytest.mark.parametrize("stage", PROMISED)
def test_a_canary_has_all_alarms_unless_a_rule_refuses_it(stage: str) -> None:
    assert promises(stack(Stage=stage, Canary="Canary10Percent5Minutes"))[1] == 22
    (assertion,) = stack()._template["Rules"]["CanaryIsWatched"]["Assertions"]
    assert assertion["Assert"] == {"Fn::Contains": [["auto", "all"], {"Ref": "Alarms"}]}
