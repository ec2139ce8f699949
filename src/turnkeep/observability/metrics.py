"""Metrics as EMF lines, written immediately: a frozen or killed sandbox flushes nothing. `service` is the only
dimension; other fields are for log queries."""

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.functions import is_metrics_disabled
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from turnkeep import errors
from turnkeep.observability.logs import SERVICE, annotations, logger, place

NAMESPACE = "Turnkeep"

_Turn = Literal["TurnLatency", "FirstToken", "Persisted", "Replayed", "StreamLeft", "ThreadBusy", "Superseded"]
_Usage = Literal["ModelCalls", "TokensIn", "TokensOut", "CostUSD", "BudgetRefused", "CeilingReached", "UsageNotSettled"]
_Fault = Literal["StateCorrupt", "ModelFault", "AgentFault", "StoreUnavailable", "InternalError", "ForgedKey"]
_Stored = Literal["MemoryNotWritten", "PlaceholdersMade", "PlaceholdersLost", "DocumentReady", "DocumentFailed"]
_Cleanup = Literal["CleanupDeleted", "CleanupUnreadable", "OldestExpiredAge"]
Metric: TypeAlias = Literal[_Turn, _Usage, _Fault, _Stored, _Cleanup]

UNITS: Mapping[Metric, MetricUnit] = {
    "TurnLatency": MetricUnit.Milliseconds,
    "FirstToken": MetricUnit.Milliseconds,
    "CostUSD": MetricUnit.NoUnit,
    "OldestExpiredAge": MetricUnit.Seconds,
}
_OF_ERRORS: Mapping[type, Metric] = {
    errors.ThreadBusy: "ThreadBusy",
    errors.TurnInProgress: "ThreadBusy",
    errors.Superseded: "Superseded",
    errors.StateCorrupt: "StateCorrupt",
    errors.DeploymentCeiling: "CeilingReached",
    errors.OverLimit: "BudgetRefused",
    errors.ModelFault: "ModelFault",
    errors.AgentFault: "AgentFault",
    errors.AgentUnavailable: "AgentFault",
    errors.StoreUnavailable: "StoreUnavailable",
    errors.InternalError: "InternalError",
}


def count(name: Metric, **fields: str) -> None:
    measure({name: 1}, **fields)


def measure(values: Mapping[Metric, float], **fields: str) -> None:
    """Write related values as one line. A failed write is ignored."""
    if is_metrics_disabled():
        return
    line = AmazonCloudWatchEMFProvider(
        namespace=NAMESPACE, default_dimensions={"service": SERVICE}, metadata_set={**annotations(), **fields}
    )
    for name, value in values.items():
        line.add_metric(name, UNITS.get(name, MetricUnit.Count), value)
    with suppress(OSError, ValueError):
        sys.stdout.write(json.dumps(line.serialize_metric_set()) + "\n")  # one call, because threads share the output
        sys.stdout.flush()


def note(error: errors.TurnkeepError) -> None:
    """Record an error, once, where it becomes a response or ends a background run."""
    metric = next((_OF_ERRORS[kind] for kind in type(error).__mro__ if kind in _OF_ERRORS), None)
    if metric:
        count(metric, code=error.code)
    if isinstance(error, errors.StateCorrupt):
        logger.error("stored thread unreadable", place=place(error))
    elif error.status >= 500:
        logger.warning("request failed", code=error.code, detail=error.detail)
