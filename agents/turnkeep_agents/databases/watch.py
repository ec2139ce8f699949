"""Ends a thread's query in time, even if the server is silent: SQLite by clock, others by closing the socket."""

import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Engine

PROGRESS_STEPS = 1_000  # SQLite instructions between two looks at the clock: far under a millisecond


class Watch:
    """Cuts off the held connection after `seconds`, servers `grace_seconds` later; another thread calls `cut`."""

    _current = threading.local()

    def __init__(self, engine: Engine, seconds: float, grace_seconds: float):
        self.engine, self._deadline = engine, time.monotonic() + seconds
        self._held: Any = None
        self._is_over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds + grace_seconds, self._cut)
        self.cut: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        type(self)._current.watch = self
        if self.engine.dialect.name != "sqlite":
            self._timer.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._timer.cancel()
        type(self)._current.watch = None

    @classmethod
    def of_this_thread(cls) -> Self | None:
        return getattr(cls._current, "watch", None)

    def hold(self, connection: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.set_progress_handler(lambda: time.monotonic() > self._deadline, PROGRESS_STEPS)
        with self._lock:
            self._held = connection
            is_over = self._is_over
        if is_over:
            self._cut()

    def _cut(self) -> None:
        with self._lock:
            self._is_over = True
            held = self._held
        if self.cut is not None:
            self.cut()
        if not hasattr(held, "fileno"):
            return  # the other drivers limit the wait for their socket themselves
        try:
            _hang_up(held.fileno())
        except (OSError, self.engine.dialect.loaded_dbapi.Error):
            return  # it is closed already


def _hang_up(descriptor: int) -> None:
    """Shut down the stream for both ends; the driver that owns the descriptor closes it."""
    with socket.socket(fileno=os.dup(descriptor)) as line:
        line.shutdown(socket.SHUT_RDWR)
