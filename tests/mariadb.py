"""A real MariaDB for tests, ended with them: that of the machine, else Debian's package, unpacked in the cache.

python tests/mariadb.py     fetches the package where there is none, without root: part of `make check`
"""

import fcntl
import getpass
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
from pymysql.constants import CLIENT

from turnkeep_local import LocalError
from turnkeep_local.processes import free_port, spawn, wait_until_listening

PACKAGE = "mariadb-server-core"
LIBRARIES = re.compile(r"Depends: (lib(?!c6|gcc|stdc)\S+)")
"""What the server is linked with, save what every machine has."""
MISSING = (
    "MariaDB is missing. Run `.venv/bin/python tests/mariadb.py`, or put mariadbd on the PATH"
    " (apt-get install mariadb-server-core, brew install mariadb)."
)
NAMES = ("mariadbd", "mysqld")
SMALL = "--innodb-log-file-size=4M --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=0"
SMALL += " --innodb-doublewrite=0 --performance-schema=OFF --skip-log-bin --character-set-server=utf8mb4"


@dataclass(frozen=True)
class Programs:
    """`share` holds the messages and the tables of the system."""

    server: Path
    share: Path
    libraries: tuple[Path, ...] = ()

    @property
    def environ(self) -> dict[str, str]:
        own = {"LD_LIBRARY_PATH": ":".join(map(str, self.libraries))} if self.libraries else {}
        return {**os.environ, **own}


@dataclass(frozen=True)
class Server:
    """Listens on 127.0.0.1; root has no password. `kill` ends it as a power cut does."""

    port: int
    kill: Callable[[], None]

    def url(self, database: str = "", *, user: str = "root", password: str = "") -> str:
        """As SQLAlchemy reads it."""
        login = f"{user}:{password}" if password else user
        return f"mysql+pymysql://{login}@127.0.0.1:{self.port}/{database}?charset=utf8mb4"

    def run(self, *statements: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """As root, one after another; the rows of the last."""
        with closing(self.connect(database)) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def connect(self, database: str | None = None, *, user: str = "root", password: str = "") -> Any:
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=user,
            password=password,
            database=database,
            autocommit=True,
            charset="utf8mb4",
            client_flag=CLIENT.MULTI_STATEMENTS,
        )


def find() -> Programs | None:
    """Return the programs of this machine, else those in the cache, else None."""
    return _of_this_machine() or _cached()


@contextmanager
def mariadb(programs: Programs) -> Iterator[Server]:
    """A server with no databases of anybody; takes half a second."""
    with tempfile.TemporaryDirectory(prefix="turnkeep-mariadb-") as name:
        folder = Path(name)
        _make_system_tables(programs, folder / "data")
        port = free_port()
        command = [*_command(programs, folder / "data"), f"--port={port}", "--bind-address=127.0.0.1"]
        command += [f"--socket={folder}/socket", "--skip-name-resolve", "--max-connections=40"]
        log = folder / "log"
        child = spawn(command, log=log, environ=programs.environ)
        try:
            wait_until_listening(port, child, log=log, name="mariadbd", seconds=120)
            yield Server(port, child.kill)
        finally:
            child.kill()
            child.wait()


def _command(programs: Programs, data: Path) -> list[str]:
    places = [f"--datadir={data}", f"--lc-messages-dir={programs.share}"]
    places += [f"--character-sets-dir={programs.share}/charsets"]
    return [str(programs.server), "--no-defaults", *places, f"--user={getpass.getuser()}", *SMALL.split()]


def _make_system_tables(programs: Programs, data: Path) -> None:
    data.mkdir()
    scripts = [_named(programs.share / f"{{0}}_{part}.sql") for part in ("system_tables", "system_tables_data")]
    head = "create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\nset @current_hostname='localhost';\n"
    told = subprocess.run(
        [*_command(programs, data), "--bootstrap", "--skip-grant-tables"],
        input=head + "".join(script.read_text() for script in scripts),
        env=programs.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        raise LocalError(f"mariadbd could not make its system tables:\n{told.stderr[-1000:]}")


def _named(script: Path) -> Path:
    """Newer servers call their scripts after themselves."""
    names = (script.with_name(script.name.format(name)) for name in ("mysql", "mariadb"))
    return next(path for path in names if path.is_file())


def _of_this_machine() -> Programs | None:
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin", "/usr/libexec"])
    servers = (shutil.which(name, path=path) for name in NAMES)
    return next((found for server in servers if server and (found := _programs(Path(server)))), None)


def _programs(server: Path, libraries: Sequence[Path] = ()) -> Programs | None:
    """None for MySQL's own server, whose scripts are others."""
    roots = (server.parent.parent, server.resolve().parent.parent)
    shares = [root / "share" / name for root in roots for name in ("mysql", "mariadb")]
    fitting = (share for share in shares if any(share.glob("*_system_tables_data.sql")))
    share = next(fitting, None)
    return Programs(server, share, tuple(libraries)) if share else None


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "turnkeep" / "mariadb"


def _cached() -> Programs | None:
    root = _cache()
    server = root / "usr" / "sbin" / "mariadbd"
    libraries = sorted({path.parent for path in root.rglob("lib*.so.*")})
    return _programs(server, libraries) if server.is_file() else None


def fetch() -> Programs | None:
    """Unpack Debian's package in the cache; return None without Debian's tools. Raises LocalError."""
    if not all(map(shutil.which, ("apt-get", "apt-cache", "dpkg"))):
        return None
    print("Fetching MariaDB once (9 MB, Debian's package) ...", file=sys.stderr, flush=True)
    root = _cache()
    root.parent.mkdir(parents=True, exist_ok=True)
    with root.with_name(f"{root.name}.lock").open("w") as lock, tempfile.TemporaryDirectory(dir=root.parent) as draft:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            _unpack(_download(Path(draft)), Path(draft) / "root")
            (Path(draft) / "root").rename(root)
    return _cached()


def _download(folder: Path) -> list[Path]:
    """By apt with lists of its own, so that neither root nor an earlier update is needed."""
    (folder / "state" / "lists" / "partial").mkdir(parents=True)
    (folder / "cache" / "archives" / "partial").mkdir(parents=True)
    own = [f"-oDir::State={folder}/state", "-oDir::State::status=/var/lib/dpkg/status", f"-oDir::Cache={folder}/cache"]
    _told(["apt-get", "-qq", *own, "update"], folder)
    libraries = LIBRARIES.findall(_told(["apt-cache", *own, "depends", PACKAGE], folder))
    _told(["apt-get", "-qq", *own, "download", PACKAGE, *libraries], folder)
    return sorted(folder.glob("*.deb"))


def _unpack(packages: Sequence[Path], root: Path) -> None:
    for package in packages:
        _told(["dpkg", "-x", str(package), str(root)], root.parent)


def _told(command: Sequence[str], folder: Path) -> str:
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if told.returncode:
        raise LocalError(f"{command[0]} could not fetch MariaDB: {told.stderr.strip()[-500:]}")
    return told.stdout


if __name__ == "__main__":
    try:
        sys.exit(0 if find() or fetch() else MISSING)
    except LocalError as error:
        sys.exit(str(error))
