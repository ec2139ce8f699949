"""Metrics as EMF lines, each written in one piece and at once: nothing is left to be flushed when a sandbox is frozen
or killed. `service` is the only dimension; what else is known goes along as fields that a query of the logs sees."""

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
    "CommittedLater",
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
    """One more of what `name` says."""
    measure({name: 1}, **fields)


def measure(values: Mapping[Metric, float], **fields: str) -> None:
    """Values that belong together, as one line. It can fail to be written, but never fails its caller."""
    if is_metrics_disabled():
        return
    line = AmazonCloudWatchEMFProvider(
        namespace=NAMESPACE, default_dimensions={"service": SERVICE}, metadata_set={**annotations(), **fields}
    )
    for name, value in values.items():
        line.add_metric(name, unit_of(name), value)
    _write(json.dumps(line.serialize_metric_set()) + "\n")


def unit_of(name: Metric) -> MetricUnit:
    return _UNITS.get(name, MetricUnit.Count)


def _write(line: str) -> None:
    """One call for the whole line: two would let another thread's line in between."""
    with suppress(OSError, ValueError):
        sys.stdout.write(line)
        sys.stdout.flush()
