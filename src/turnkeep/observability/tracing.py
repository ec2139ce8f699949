"""Traces for AWS X-Ray, sent by UDP to the daemon that Lambda runs: subsegments of Lambda's segment of a request.
A span that cannot be sent is lost without other effect; docs/decisions/0009 explains why this is no SDK."""

import json
import os
import re
import socket
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from turnkeep.observability.logs import annotations

TRACE_ID = "_X_AMZN_TRACE_ID"  # set by Lambda's runtime before each request
DAEMON = "AWS_XRAY_DAEMON_ADDRESS"

_HEADER = b'{"format": "json", "version": 1}\n'
_ROOT = re.compile(r"1-[0-9a-f]{8}-[0-9a-f]{24}")
_ID = re.compile(r"[0-9a-f]{16}")
_ADDRESS = re.compile(r"(?:udp:)?(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})")  # a name would have to be looked up
_UNNAMEABLE = re.compile(r"[^\w\s.:/%&#=+\\\-@]", re.ASCII)
_LONGEST_NAME = 200


class Daemon:
    """The X-Ray daemon. Sending never waits and never fails."""

    def __init__(self, host: str, port: int):
        self._address = (host, port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def send(self, document: Mapping[str, Any]) -> None:
        packet = _HEADER + json.dumps(document).encode()
        with suppress(OSError):
            self._socket.sendto(packet, self._address)


@dataclass(slots=True)
class Segment:
    """A segment of Lambda or a span of ours: the parent of further spans."""

    trace_id: str
    id: str
    daemon: Daemon
    is_lambdas: bool = True

    def open(self, name: str, **more: Any) -> "Span":
        """Begin a span under this one; `more` are further fields of its document."""
        own = Segment(self.trace_id, os.urandom(8).hex(), self.daemon, is_lambdas=False)
        return Span(own, self, _UNNAMEABLE.sub("_", name)[:_LONGEST_NAME], time.time(), more)


@dataclass(slots=True)
class Span(AbstractContextManager["Span"]):
    """A timed operation. As a context manager it closes itself."""

    segment: Segment
    parent: Segment
    name: str
    start: float
    more: Mapping[str, Any]

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _tb: object) -> None:
        self.close(error)

    def close(self, error: BaseException | None = None, **facts: str | float | bool) -> None:
        """Send the span with the class of an error. A status under 500 or a cancelled run is no fault."""
        if self.parent.is_lambdas:
            facts |= annotations()
        document = {
            "trace_id": self.segment.trace_id,
            "id": self.segment.id,
            "parent_id": self.parent.id,
            "type": "subsegment",
            "name": self.name,
            "start_time": self.start,
            "end_time": time.time(),
            **self.more,
        }
        if error is not None:
            is_fault = isinstance(error, Exception) and getattr(error, "status", 500) >= 500
            document["fault" if is_fault else "error"] = True
            facts["error_type"] = type(error).__name__
        self.segment.daemon.send({**document, "annotations": facts} if facts else document)


_lambdas: ContextVar[Segment | None] = ContextVar("segment", default=None)


def begin_trace(environ: Mapping[str, str] = os.environ) -> None:
    """Trace the request that Lambda names in the environment, unless it is not sampled."""
    _lambdas.set(_segment(environ.get(TRACE_ID, ""), environ.get(DAEMON, "")))


def segment() -> Segment | None:
    """Return Lambda's own segment of this request, None if it is not traced."""
    return _lambdas.get()


def request_to(service: str, operation: str) -> AbstractContextManager[Any]:
    """Return a span for one request to a service of AWS."""
    parent = segment()
    return parent.open(service, namespace="aws", aws={"operation": operation}) if parent else nullcontext()


def _segment(header: str, address: str) -> Segment | None:
    parts = dict(part.strip().split("=", 1) for part in header.split(";") if "=" in part)
    root, parent = parts.get("Root", ""), parts.get("Parent", "")
    found = _ADDRESS.fullmatch(address)
    if parts.get("Sampled") != "1" or not found or not _ROOT.fullmatch(root) or not _ID.fullmatch(parent):
        return None
    return Segment(root, parent, _daemon(found[1], int(found[2])))


@cache
def _daemon(host: str, port: int) -> Daemon:
    return Daemon(host, port)
