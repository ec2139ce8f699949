"""Logs and counts the errors that end a request or a run."""

from collections.abc import Mapping

from turnkeep import errors
from turnkeep.observability import count, logger, place
from turnkeep.observability.metrics import Metric

_METRICS: Mapping[type, Metric] = {
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


def note(error: errors.TurnkeepError) -> None:
    """Record an error, once, where it becomes a response or ends a background run."""
    metric = next((_METRICS[kind] for kind in type(error).__mro__ if kind in _METRICS), None)
    if metric:
        count(metric, code=error.code)
    if isinstance(error, errors.StateCorrupt):
        logger.error("stored thread unreadable", place=place(error))
    elif error.status >= 500:
        logger.warning("request failed", code=error.code, detail=error.detail)
