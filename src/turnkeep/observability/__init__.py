"""Logs, metrics and traces: what an operator sees. None of it holds message text, secrets, exception texts or ids other
than salted hashes. docs/observability.md lists it all."""

from turnkeep.observability.logs import annotate, correlate, correlation_id, fingerprint, guard_output, logger, place
from turnkeep.observability.metrics import count, measure

__all__ = [
    "annotate",
    "correlate",
    "correlation_id",
    "count",
    "fingerprint",
    "guard_output",
    "logger",
    "measure",
    "place",
]
