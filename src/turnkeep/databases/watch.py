"""Ends what one thread asks of a database, whoever is silent: SQLite by its clock, any other by cutting its line."""

import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Engine

PROGRESS_STEPS = 1_000
"""Of SQLite's machine between two looks at the clock: far under a millisecond."""


class Watch:
    """Cuts off the connection that it was given to hold when `seconds` are over, and `grace_seconds` later for servers,
    which end a query themselves. `cut` is what else ends it, called from another thread."""

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
        """The driver's connection."""
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
    """Both ends see the end of the stream; the driver that owns the descriptor closes it."""
    with socket.socket(fileno=os.dup(descriptor)) as line:
        line.shutdown(socket.SHUT_RDWR)
