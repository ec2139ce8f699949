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

from turnkeep.observability.logs import SERVICE, annotations

NAMESPACE = "Turnkeep"

Metric: TypeAlias = Literal[
    "TurnLatency",
    "FirstToken",
    "ModelCalls",
    "TokensIn",
    "TokensOut",
    "CostUSD",
    "Persisted",
    "Replayed",
    "ThreadBusy",
    "Superseded",
    "StateCorrupt",
    "ModelFault",
    "AgentFault",
    "StoreUnavailable",
    "BudgetRefused",
    "CeilingReached",
    "UsageNotSettled",
    "InternalError",
    "ForgedKey",
    "MemoryNotWritten",
    "PlaceholdersMade",
    "PlaceholdersLost",
    "StreamLeft",
    "DocumentReady",
    "DocumentFailed",
    "CleanupDeleted",
    "CleanupUnreadable",
    "OldestExpiredAge",
]

_UNITS: Mapping[Metric, MetricUnit] = {
    "TurnLatency": MetricUnit.Milliseconds,
    "FirstToken": MetricUnit.Milliseconds,
    "CostUSD": MetricUnit.NoUnit,
    "OldestExpiredAge": MetricUnit.Seconds,
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
        line.add_metric(name, unit_of(name), value)
    with suppress(OSError, ValueError):
        sys.stdout.write(json.dumps(line.serialize_metric_set()) + "\n")  # one call, because threads share the output
        sys.stdout.flush()


def unit_of(name: Metric) -> MetricUnit:
    return _UNITS.get(name, MetricUnit.Count)
