"""Drivers and dialects of a database that falls silent, under the names silent://, silent+like:// and silent+unfit://."""

import socket
from types import SimpleNamespace
from typing import Any, ClassVar

from sqlalchemy.dialects import registry
from sqlalchemy.engine.default import DefaultDialect


class SilentError(Exception):
    """The error class of the driver below."""


class SilentCursor:
    """`talk` says what the server does at each query: answer, refusal, dead; then silence until the line is cut."""

    arraysize, rowcount, lastrowid = 1, 1, None
    description = (("count", None, None, None, None, None, None),)

    def __init__(self, connection: "SilentConnection", line: socket.socket, talk: list[str]):
        self._connection, self._line, self._talk = connection, line, talk

    def execute(self, statement: str, _: object = ()) -> None:
        SilentDialect.heard.append(statement)
        said = self._talk.pop(0) if self._talk else "silence"
        self._connection.has_failed = said != "answer"
        if said in ("dead", "refusal"):
            raise SilentError(said)
        if said == "silence":
            self._line.recv(1)
            raise SilentError("the line was cut")

    def fetchall(self) -> list[tuple[int]]:
        return [(1,)]

    def fetchone(self) -> None:
        return None

    def close(self) -> None:
        pass


class SilentConnection:
    def __init__(self, talk: list[str]):
        self._talk, self.has_failed = talk, False
        self._ours, self._theirs = socket.socketpair()

    def fileno(self) -> int:
        return self._ours.fileno()

    def cursor(self) -> SilentCursor:
        return SilentCursor(self, self._ours, self._talk)

    def commit(self) -> None:
        pass

    def rollback(self) -> None:
        SilentDialect.rollbacks_after_an_error += self.has_failed

    def close(self) -> None:
        self._ours.close()
        self._theirs.close()


class SilentDialect(DefaultDialect):
    """A driver that waits for its server without a limit of its own, as PostgreSQL's library does."""

    name, driver = "silent", "silent"
    supports_statement_cache = True
    talk: ClassVar[list[str]] = []
    heard: ClassVar[list[str]] = []
    rollbacks_after_an_error: ClassVar[int] = 0

    @classmethod
    def import_dbapi(cls) -> Any:
        return SimpleNamespace(
            Error=SilentError, paramstyle="qmark", connect=lambda *_, **__: SilentConnection(cls.talk)
        )

    def do_ping(self, _: Any) -> bool:
        raise AssertionError("a ping may hang as well")

    def is_disconnect(self, error: Any, _: Any, __: Any) -> bool:
        return isinstance(error, SilentError) and str(error) != "refusal"

    def has_table(self, *_: Any, **__: Any) -> bool:
        return True


class UnfitDialect(SilentDialect):
    driver = "unfit"
    is_async = True


class PostgresLikeDialect(SilentDialect):
    name, driver = "postgresql", "like"
    supports_statement_cache = True


registry.register("silent.like", __name__, "PostgresLikeDialect")
registry.register("silent", __name__, "SilentDialect")
registry.register("silent.unfit", __name__, "UnfitDialect")
