"""Alarms, dashboard and runbook speak of the same things as the code, and the template's own resources."""

import ast
import json
import re
from collections.abc import Iterator
from operator import ge, gt, lt
from typing import Any, get_args

import pytest
from template_stack import EVERYTHING, ROOT, Stack, allows, stack

from turnkeep.observability.metrics import NAMESPACE, Metric

RUNBOOK = (ROOT / "docs/runbook.md").read_text()
OBSERVABILITY = (ROOT / "docs/observability.md").read_text()
METRICS = set(get_args(Metric))
MAX_FREE_ALARMS, MAX_FREE_DASHBOARD_METRICS = 10, 50
DAY_SECONDS = 86_400
AWS_METRICS = {
    "AWS/ApiGateway": {"Count", "4XXError", "5XXError"},
    "AWS/DynamoDB": {
        *("ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"),
        *("ReadThrottleEvents", "WriteThrottleEvents"),
    },
    "AWS/Lambda": {"ConcurrentExecutions", "Duration", "Errors", "Throttles"},
    "AWS/SQS": {"ApproximateNumberOfMessagesVisible"},
}
OURS = {"FunctionName": "AWS::Lambda::Function", "QueueName": "AWS::SQS::Queue", "TableName": "AWS::DynamoDB::Table"}
"""Dimensions of AWS's metrics, each with the type of what it names."""


def alarms(**parameters: str) -> dict[str, dict[str, Any]]:
    return stack(**parameters).of("AWS::CloudWatch::Alarm")


def dimensions(alarm: dict[str, Any]) -> dict[str, str]:
    return {dimension["Name"]: dimension["Value"] for dimension in alarm.get("Dimensions", [])}


INIT_ERRORS = (f"{NAMESPACE}/turnkeep-test", "InitErrors")
"""Counted out of lines that have no fields, hence without a dimension."""


def made_by_filters(found: Stack) -> set[str]:
    """Metrics that are counted out of a log, with the dimension that all of ours have."""
    filters = found.of("AWS::Logs::MetricFilter").values()
    made = [transformation for one in filters for transformation in one["MetricTransformations"]]
    ours = [one for one in made if (one["MetricNamespace"], one["MetricName"]) != INIT_ERRORS]
    assert len(made) == len(ours) + 3
    assert all(one["Dimensions"] == [{"Key": "service", "Value": "$.service"}] for one in ours)
    return {one["MetricName"] for one in ours if one["MetricNamespace"] == NAMESPACE} | {INIT_ERRORS[1]}


def exists(found: Stack, namespace: str, metric: str, given: dict[str, str]) -> bool:
    """Whether the code writes this metric, or AWS does for a resource of this stack."""
    if (namespace, metric) == INIT_ERRORS:
        return given == {}
    if namespace == NAMESPACE:
        return metric in METRICS | made_by_filters(found) and given == {"service": "turnkeep-test"}
    return metric in AWS_METRICS[namespace] and all(names_ours(found, *pair) for pair in given.items())


def names_ours(found: Stack, dimension: str, value: str) -> bool:
    if dimension == "ApiName":
        return value == found.of("AWS::ApiGateway::RestApi")["Api"]["Body"]["info"]["title"]
    if dimension == "Stage":
        return value == found.of("AWS::ApiGateway::Stage")["Apiv1Stage"]["StageName"]
    if dimension == "GlobalSecondaryIndexName":
        indexes = found.of("AWS::DynamoDB::Table")["Table"]["GlobalSecondaryIndexes"]
        return value in {index["IndexName"] for index in indexes}
    logical, _, attribute = value.strip("<>").partition(".")
    return found.resources[logical]["Type"] == OURS[dimension] and attribute in ("", "QueueName")


# Alarms


def test_every_alarm_reads_a_metric_that_exists() -> None:
    found = stack(**EVERYTHING)
    assert len(alarms(**EVERYTHING)) == 23
    for name, alarm in alarms(**EVERYTHING).items():
        assert exists(found, alarm["Namespace"], alarm["MetricName"], dimensions(alarm)), name


def test_every_function_writes_its_metrics_where_the_alarms_look() -> None:
    for name, function in stack().of("AWS::Lambda::Function").items():
        assert function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == "turnkeep-test", name


ONE = ("Errors", "StateCorrupt", "ApproximateNumberOfMessagesVisible", "CleanupUnreadable", "ForgedKey")
RINGS = {"5XXError": (0.011, 0.01), "Persisted": (0, 1), "OldestExpiredAge": (7201, 7200)}
RINGS |= dict.fromkeys([*ONE, "ReadThrottleEvents", "WriteThrottleEvents"], (1, 0))
COMPARED = {"GreaterThanThreshold": gt, "GreaterThanOrEqualToThreshold": ge, "LessThanThreshold": lt}


def test_the_main_alarms_ring_in_time() -> None:
    """At the first value, not at the second."""
    assert {alarm["MetricName"] for alarm in alarms().values()} == RINGS.keys()
    for alarm in alarms().values():
        rings = COMPARED[alarm["ComparisonOperator"]]
        found = [rings(value, float(alarm["Threshold"])) for value in RINGS[alarm["MetricName"]]]
        assert found == [True, False], alarm
        assert alarm["AlarmActions"] == alarm["OKActions"] == ["<AlarmTopic>"]


def test_only_a_missing_cleanup_alarms_on_silence() -> None:
    treated = {name: alarm["TreatMissingData"] for name, alarm in alarms(**EVERYTHING).items()}
    assert treated.pop("CleanupLate") == "breaching"
    assert {treated.pop(name) for name in ("CleanupFailed", "DocumentsFailed", "RunsGivenUp")} == {"ignore"}
    assert set(treated.values()) == {"notBreaching"}
    assert alarms()["CleanupLate"]["Period"] > 2 * 3600
    assert alarms()["TurnNotKept"]["Statistic"] == "Minimum", "a Sum or an Average would drown one turn"


def test_alarms_are_valid_for_aws() -> None:
    for name, alarm in alarms(**EVERYTHING).items():
        assert ("Statistic" in alarm) != ("ExtendedStatistic" in alarm), name
        assert alarm["Period"] % 60 == 0, name
        assert alarm["Period"] * alarm["EvaluationPeriods"] <= DAY_SECONDS, name
        assert alarm.get("DatapointsToAlarm", 1) <= alarm["EvaluationPeriods"], name


def test_the_main_alarms_cost_nothing() -> None:
    """Ten alarms of one metric each are free; metric math would count by the metric."""
    assert len(alarms()) == MAX_FREE_ALARMS
    assert [name for name, alarm in alarms(**EVERYTHING).items() if "Metrics" in alarm] == []
    (setting,) = stack().of("AWS::ApiGateway::Stage")["Apiv1Stage"]["MethodSettings"]
    assert not setting["MetricsEnabled"], "metrics by route are billed"


def test_alarms_can_be_left_out_and_leave_nothing_behind() -> None:
    silent = stack(Alarms="none", AlarmEmail="ops@example.org", DailyCostAlarm="5")
    kinds = {resource["Type"] for resource in silent.resources.values()}
    assert not [kind for kind in kinds if kind.startswith("AWS::SNS::") or kind == "AWS::CloudWatch::Alarm"]


def test_a_mail_and_an_alarm_for_the_cost_of_a_day_need_their_parameters() -> None:
    assert "DailyCost" not in alarms(Alarms="all")
    assert alarms(DailyCostAlarm="5")["DailyCost"]["Threshold"] == "5"
    assert stack().of("AWS::SNS::Subscription") == {}
    (subscription,) = stack(AlarmEmail="ops@example.org").of("AWS::SNS::Subscription").values()
    assert subscription == {"TopicArn": "<AlarmTopic>", "Protocol": "email", "Endpoint": "ops@example.org"}


@pytest.mark.parametrize(
    ("account", "alarm", "secure", "may"),
    [
        ("123456789012", "turnkeep-test-Watching-1A2B-StateCorrupt-3C", "true", True),
        ("123456789012", "turnkeep-test-Watching-1A2B-StateCorrupt-3C", "false", False),
        ("123456789012", "another-StateCorrupt-1A2B", "true", False),
        ("210987654321", "turnkeep-test-Watching-1A2B-StateCorrupt-3C", "true", False),
    ],
)
def test_only_our_alarms_write_to_the_topic(account: str, alarm: str, secure: str, may: bool) -> None:
    document = stack().of("AWS::SNS::TopicPolicy")["AlarmTopicPolicy"]["PolicyDocument"]
    context = {
        "aws:SourceAccount": [account],
        "aws:SourceArn": [f"arn:aws:cloudwatch:eu-west-1:{account}:alarm:{alarm}"],
        "aws:SecureTransport": [secure],
    }
    assert allows(document["Statement"], "sns:Publish", "<AlarmTopic>", context) is may
    (allowed,) = [statement for statement in document["Statement"] if statement["Effect"] == "Allow"]
    assert allowed["Principal"] == {"Service": "cloudwatch.amazonaws.com"}


def test_refused_callers_are_counted_out_of_the_access_log() -> None:
    counted = stack().of("AWS::Logs::MetricFilter")["TooManyRequests"]
    assert counted["LogGroupName"] == "<AccessLog>"
    line = json.loads(stack().of("AWS::ApiGateway::Stage")["Apiv1Stage"]["AccessLogSetting"]["Format"])
    field, value = re.fullmatch(r'{ \$\.(\w+) = "(\d+)" }', counted["FilterPattern"]).groups()  # type: ignore[union-attr]
    assert (line[field], value) == ("$context.status", "429")


# The dashboard


def widgets() -> list[dict[str, Any]]:
    body = json.loads(stack().of("AWS::CloudWatch::Dashboard")["Dashboard"]["DashboardBody"])
    found: list[dict[str, Any]] = body["widgets"]
    return found


def metrics_of(widget: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Each line of a widget, with the dots that repeat the line before filled in."""
    before: list[str] = []
    for line in widget["properties"].get("metrics", []):
        words = [word for word in line if isinstance(word, str)]
        before = [before[at] if word == "." else word for at, word in enumerate(words)]
        yield before[0], before[1], dict(zip(before[2::2], before[3::2], strict=True))


def test_the_dashboard_shows_existing_metrics_within_the_free_tier() -> None:
    shown = [metric for widget in widgets() for metric in metrics_of(widget)]
    assert [metric for metric in shown if not exists(stack(), *metric)] == []
    assert 40 <= len(shown) <= MAX_FREE_DASHBOARD_METRICS


def test_the_dashboard_shows_all_counters_and_alarms() -> None:
    shown = {name for widget in widgets() for _, name, _ in metrics_of(widget)}
    assert METRICS | made_by_filters(stack()) <= shown
    assert {alarm["MetricName"] for alarm in alarms(**EVERYTHING).values()} <= shown


def test_the_queries_of_the_dashboard_read_our_logs() -> None:
    queries = [widget["properties"]["query"] for widget in widgets() if widget["type"] == "log"]
    assert len(queries) == 2
    read = [name for query in queries for name in re.findall(r"SOURCE '<(\w+)>'", query)]
    assert set(read) <= stack().of("AWS::Logs::LogGroup").keys()
    assert sorted(read) == ["AccessLog", "ApiLog", "AuthorizerLog", "StreamLog"]


# The runbook


def headings() -> dict[str, str]:
    """The alarms that the runbook has, each with the anchor of its heading."""
    section = RUNBOOK.partition("\n## Alarms\n")[2].partition("\n## ")[0]
    return {
        name: re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))
        for heading in re.findall(r"^### (.+)$", section, re.MULTILINE)
        for name in heading.split(", ")
    }


def test_every_alarm_links_to_its_section_of_the_runbook() -> None:
    assert headings().keys() == alarms(**EVERYTHING).keys()
    for name, alarm in alarms(**EVERYTHING).items():
        assert alarm["AlarmDescription"].endswith(f" docs/runbook.md#{headings()[name]}"), name


def test_every_name_in_the_runbook_exists() -> None:
    """A metric, an alarm, a parameter or a resource."""
    known = METRICS | made_by_filters(stack()) | set().union(*AWS_METRICS.values())
    known |= stack(**EVERYTHING).resources.keys() | stack().parameters.keys()
    named = set(re.findall(r"`([A-Z0-9][A-Za-z0-9]*[a-z][A-Z]\w*|[45]XXError)`", RUNBOOK))
    assert len(named) > 15
    assert named <= known


def queries() -> list[str]:
    """The unnamed blocks: CloudWatch Logs Insights."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", RUNBOOK, re.MULTILINE | re.DOTALL)
    return [text for language, text in blocks if not language]


def modules() -> Iterator[ast.Module]:
    for folder in ("src", "agents/turnkeep_agents", "functions"):
        for path in (ROOT / folder).rglob("*.py"):
            yield ast.parse(path.read_text())


def messages() -> set[str]:
    return {
        call.args[0].value
        for module in modules()
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("logger.")
        if call.args and isinstance(call.args[0], ast.Constant)
    }


def test_the_runbook_queries_existing_log_lines() -> None:
    asked = [
        text
        for query in queries()
        for found in re.findall(r"message (?:=|in) (\[[^]]*\]|\"[^\"]*\")", query)
        for text in re.findall(r'"([^"]+)"', found)
    ]
    assert len(asked) > 10
    assert set(asked) <= messages()


def test_every_log_line_is_described() -> None:
    rows = "".join(re.findall(r"^\|([^|]+)\|", OBSERVABILITY, re.MULTILINE))
    assert len(messages()) > 25
    assert messages() <= set(re.findall(r"`([^`]+)`", rows))
