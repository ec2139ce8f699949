"""The promises of a stage, deployed by `sam deploy --config-env`, with and without parameters on the command line."""

from collections.abc import Iterator
from typing import Any

import pytest
from stack import Aws, Stack, emulated_aws

pytestmark = [pytest.mark.slow]

PROD = {"protected": True, "alarms": 22, "days": {90}, "traces": {"Active"}}
DEV = {"protected": False, "alarms": 0, "days": {3}, "traces": {"PassThrough"}}
LISTED = "Stage=prod DeletionProtection=true Alarms=all LogDays=90 Tracing=Active"


@pytest.fixture(scope="module")
def aws(built: None) -> Iterator[Aws]:
    with emulated_aws() as aws:
        yield aws


def deploy(aws: Aws, stage: str, name: str, *given: str) -> Stack:
    more = ["--parameter-overrides", *given] if given else []
    aws.sam("deploy", "--config-env", stage, "--stack-name", name, "--no-confirm-changeset", *more)
    return Stack(aws, name)


def promises(stack: Stack) -> dict[str, Any]:
    """What the account has of one stack. The emulator's stacks have short names, so none begins with another's."""
    clients = {name: stack.aws.client(name) for name in ("dynamodb", "cloudwatch", "logs", "lambda")}
    table = clients["dynamodb"].describe_table(TableName=stack.outputs["TableName"])["Table"]
    alarms = clients["cloudwatch"].describe_alarms(AlarmNamePrefix=f"{stack.name}-", MaxRecords=100)["MetricAlarms"]
    groups = clients["logs"].describe_log_groups(logGroupNamePrefix=f"/turnkeep/{stack.name}/")["logGroups"]
    functions = [stack.function(f"{name}Function") for name in ("Api", "Stream", "Worker")]
    traces = {
        clients["lambda"].get_function_configuration(FunctionName=each)["TracingConfig"]["Mode"] for each in functions
    }
    days = {group["retentionInDays"] for group in groups}
    return {"protected": table["DeletionProtectionEnabled"], "alarms": len(alarms), "days": days, "traces": traces}


def test_parameters_on_the_command_line_change_no_promise_of_a_stage(aws: Aws) -> None:
    plain, given = deploy(aws, "prod", "plain"), deploy(aws, "prod", "given", "AlarmEmail=ops@example.com")
    assert promises(plain) == promises(given) == PROD
    assert plain.outputs["Promises"] == given.outputs["Promises"] == LISTED
    assert promises(deploy(aws, "dev", "develop", "Model=demo")) == DEV

    again = deploy(aws, "prod", "given", "Canary=None", "Alarms=main")
    assert promises(again) == PROD | {"alarms": 10}
