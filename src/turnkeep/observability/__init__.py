"""Logs and metrics, as listed in docs/observability.md, without message text, secrets, exception texts and ids."""

from turnkeep.observability.logs import annotate, correlate, correlation_id, fingerprint, guard_output, logger, place
from turnkeep.observability.metrics import count, measure, note

__all__ = ["annotate", "correlate", "correlation_id", "count", "fingerprint", "guard_output", "logger", "measure"]
__all__ += ["note", "place"]
