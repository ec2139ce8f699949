"""AWS's published limits, held by the translated template: with every parameter at its longest, in a stack whose name
is. No emulator asks; AWS refuses such a deployment half way through. And what each stage promises."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from template_stack import EVERYTHING, Stack, stack, translated

LONGEST_STACK = "x" * 128
LONGEST_NAMES = {"Table": 255, "Objects": 63, "AccessLog": 512}
POLICY_ARN = len("arn:aws:iam::123456789012:policy/") + 128
STATEMENT_BYTES = 20_480
"""Of Lambda's resource policies, for one function or alias."""


def longest(name: str, parameter: dict[str, Any]) -> str:
    if name in ("SubnetIds", "SecurityGroupIds"):  # what Lambda takes
        return ",".join({"SubnetIds": ["subnet-0123456789abcdef0"] * 16}.get(name, ["sg-0123456789abcdef0"] * 5))
    if "MaxLength" not in parameter:
        return EVERYTHING.get(name, str(parameter["Default"]))
    start = EVERYTHING.get(name, "") or ("/" if "/" in parameter.get("AllowedPattern", "") else "")
    return start[: parameter["MaxLength"]].ljust(parameter["MaxLength"], "x")


@pytest.fixture(scope="module")
def found() -> Stack:
    given = translated()["Parameters"]
    return stack(**{name: longest(name, each) for name, each in given.items()} | {"AWS::StackName": LONGEST_STACK})


def written(text: str) -> str:
    """With the longest of what only AWS knows in the place of each name."""
    text = re.sub(r"<(\w+Policy)>", "p" * POLICY_ARN, text)
    return re.sub(r"<(\w+)>", lambda name: "n" * LONGEST_NAMES.get(name[1], 64), text)


LENGTHS = [
    ("AWS::Lambda::Function", "Description", 256),
    ("AWS::Lambda::Version", "Description", 256),
    ("AWS::Lambda::LayerVersion", "Description", 256),
    ("AWS::Lambda::LayerVersion", "LayerName", 140),
    ("AWS::IAM::ManagedPolicy", "Description", 1000),
    ("AWS::CloudWatch::Alarm", "AlarmDescription", 1024),
    ("AWS::CloudWatch::Alarm", "Namespace", 255),
    ("AWS::CloudWatch::Dashboard", "DashboardName", 255),
    ("AWS::Logs::LogGroup", "LogGroupName", 512),
    ("AWS::Logs::MetricFilter", "FilterPattern", 1024),
]


@pytest.mark.parametrize(("kind", "name", "most"), LENGTHS)
def test_texts_are_within_the_limits_of_aws(found: Stack, kind: str, name: str, most: int) -> None:
    lengths = {
        each: len(written(properties[name])) for each, properties in found.of(kind).items() if name in properties
    }
    assert lengths
    assert {each: length for each, length in lengths.items() if length > most} == {}


def test_the_environment_of_a_function_is_at_most_4_kb(found: Stack) -> None:
    for name, function in found.of("AWS::Lambda::Function").items():
        variables = function["Environment"]["Variables"]
        assert sum(len(key) + len(written(str(value))) for key, value in variables.items()) <= 4096, name
        assert len(function["Layers"]) <= 5, name


def test_time_and_memory_are_within_lambdas_limits(found: Stack) -> None:
    for parameter, most in (("StreamSeconds", 900), ("MemorySize", 10_240)):
        assert float(found._template["Parameters"][parameter]["MaxValue"]) == most
    for function in found.of("AWS::Lambda::Function").values():
        assert 1 <= float(function["Timeout"]) <= 900
        assert 128 <= float(function["MemorySize"]) <= 10_240


def bare(document: Any) -> int:
    """IAM does not count white space."""
    return len(re.sub(r"\s", "", written(json.dumps(document)))) - 64


def test_policies_are_within_the_limits_of_iam(found: Stack) -> None:
    for name, policy in found.of("AWS::IAM::ManagedPolicy").items():
        assert bare(policy["PolicyDocument"]) <= 6144, name
    for name, role in found.of("AWS::IAM::Role").items():
        assert len(role.get("ManagedPolicyArns", [])) <= 10, name
        assert sum(bare(policy["PolicyDocument"]) for policy in role.get("Policies", [])) <= 10_240, name
        assert bare(role["AssumeRolePolicyDocument"]) <= 2048, name


@pytest.mark.parametrize("auth", ["keys", "jwt", "AWS_IAM"])
def test_permissions_are_within_lambdas_limit(auth: str) -> None:
    """Here with the longest names that stacks of ours may have."""
    sizes: dict[str, int] = {}
    for name, permission in stack(Auth=auth).of("AWS::Lambda::Permission").items():
        target = permission["FunctionName"]
        statement = {
            "Sid": f"turnkeep-staging-{name}-AbCdEfGhIjKl"[:100],
            "Effect": "Allow",
            "Principal": {"Service": permission["Principal"]},
            "Action": permission["Action"],
            "Resource": f"arn:aws:lambda:ap-southeast-2:123456789012:function:turnkeep-staging-{target}-AbCdEfGhIjKl",
            "Condition": {"ArnLike": {"AWS:SourceArn": permission["SourceArn"]}},
        }
        sizes[target] = sizes.get(target, 0) + len(json.dumps(statement, separators=(",", ":"))) + 1
    assert len(sizes) == 4
    assert {target: size for target, size in sizes.items() if size > STATEMENT_BYTES} == {}


def test_a_canary_rolls_back_on_our_alarms() -> None:
    groups = stack(**EVERYTHING).of("AWS::CodeDeploy::DeploymentGroup")
    assert len(groups) == 2
    for group in groups.values():
        (alarm,) = group["AlarmConfiguration"]["Alarms"]
        assert re.fullmatch(r"<Watching.Outputs.(ApiFailures|StreamFailures)>", alarm["Name"])
        assert group["ServiceRoleArn"] == "<CanaryRole.Arn>"
    assert stack().of("AWS::CodeDeploy::DeploymentGroup") == {}


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
