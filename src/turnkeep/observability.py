"""Logs, metrics and the correlation id. Log lines are lower-case event sentences with fields and hold no message text:
a tenant or thread appears as a salted hash, an exception as its class and place, because its text may quote a user.
A field may not have the name of an attribute of LogRecord (`thread`, `name`, `module` ...): logging raises KeyError."""

import hmac
import traceback
from contextvars import ContextVar

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

NAMESPACE = "Turnkeep"

logger = Logger(service="turnkeep")
_correlation_id: ContextVar[str] = ContextVar("correlation_id", default="")


def correlate(correlation_id: str) -> None:
    """From here on, every log line of this request carries the id; concurrent requests keep their own."""
    _correlation_id.set(correlation_id)
    logger.thread_safe_clear_keys()
    logger.thread_safe_append_keys(correlation_id=correlation_id)


def annotate(**fields: str) -> None:
    """Adds fields to every later log line of this request, also to those of tasks that it starts."""
    logger.thread_safe_append_keys(**fields)


def correlation_id() -> str:
    return _correlation_id.get()


def count(name: str, value: float = 1, *, unit: MetricUnit = MetricUnit.Count) -> None:
    """One metric as one EMF line, so that nothing has to be flushed when a request ends or dies."""
    dimensions = {"service": "turnkeep"}
    with single_metric(name, unit, value, namespace=NAMESPACE, default_dimensions=dimensions):
        pass


def fingerprint(salt: str, *parts: str) -> str:
    """Twelve hex digits that tell tenants, users and threads apart in logs without naming them."""
    return hmac.digest(salt.encode(), "\0".join(parts).encode(), "sha256").hex()[:12]


def place(error: BaseException) -> str:
    """Where an exception was raised, as `file.py:line in function`; never what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "unknown"
    last = frames[-1]
    return f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno} in {last.name}"
