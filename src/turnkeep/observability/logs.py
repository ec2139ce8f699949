"""Log lines: an event with fields. Tenants and threads are salted hashes, exceptions a class and a place. logging
raises KeyError for fields named like attributes of LogRecord (`thread`, `name`)."""

import hmac
import json
import logging
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from aws_lambda_powertools.logging import Logger

SERVICE = os.environ.get("POWERTOOLS_SERVICE_NAME") or "turnkeep"  # distinguishes stacks in logs and metrics

_LEFT_OUT = {"_aws", "taskName"}  # CloudWatch would read `_aws` as metrics


def _as_line(fields: Mapping[str, Any]) -> str:
    """Return ASCII, so that no character can end a line or fail to be written."""
    written = {name: value for name, value in fields.items() if name not in _LEFT_OUT}
    return json.dumps(written, default=str, separators=(",", ":"))


logger = Logger(service="turnkeep", json_serializer=_as_line, utc=True, use_rfc3339=True)
logger.append_keys(service=SERVICE)
_plain = logging.getLogger("turnkeep")
_plain.propagate = False  # Lambda's handler on the root logger would repeat every line

_cold_starts = iter(() if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "provisioned-concurrency" else (True,))


def correlate(correlation_id: str, **fields: str) -> None:
    """Start the log fields of a request. The first request of a sandbox has `cold_start`."""
    logger.thread_safe_clear_keys()
    annotate(correlation_id=correlation_id, **fields)
    if next(_cold_starts, False):
        annotate(cold_start=True)


def annotate(**fields: str | int) -> None:
    """Add fields to the later log lines of this request and of tasks that it starts."""
    logger.thread_safe_append_keys(**fields)


def annotations() -> dict[str, Any]:
    return dict(logger.thread_safe_get_current_keys())


def correlation_id() -> str:
    return str(annotations().get("correlation_id", ""))


def fingerprint(salt: str, *parts: str) -> str:
    """Return twelve hex digits that identify a tenant, user or thread in logs without naming it."""
    return hmac.digest(salt.encode(), "\0".join(parts).encode(), "sha256").hex()[:12]


def place(error: BaseException) -> str:
    """Return where an exception was raised, as `file.py:line in function`."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "unknown"
    last = frames[-1]
    return f"{PurePath(last.filename).name}:{last.lineno} in {last.name}"


def guard_output() -> None:
    """Reduce the log lines and warnings of libraries to class and place, because their text may quote users."""
    logging.root.handlers[:] = [_Libraries(logging.WARNING)]
    logging.raiseExceptions = False
    warnings.showwarning = _on_warning
    threading.excepthook = _on_uncaught
    sys.unraisablehook = _on_uncaught


class _Libraries(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        more = {"error": type(error).__name__, "place": place(error)} if error else {}
        at = f"{record.filename}:{record.lineno} in {record.funcName}"
        _plain.log(record.levelno, "library logged", extra={"library": record.name, "at": at, **more})


def _on_warning(message: object, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
    logger.warning("library warned", kind=category.__name__, place=f"{PurePath(filename).name}:{lineno}")


def _on_uncaught(args: "threading.ExceptHookArgs | sys.UnraisableHookArgs") -> None:
    where = place(args.exc_value) if args.exc_value else "unknown"
    logger.error("uncaught exception", error=args.exc_type.__name__, place=where)
