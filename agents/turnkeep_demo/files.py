"""Samples as SQLite files, built once and stored among this user's temporary files."""

import errno
import hashlib
import os
import secrets
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

KEPT_FILES = 8

_building = threading.Lock()


def temporary_folder(agent: str) -> Path:
    """Return the folder of this user's files of an agent."""
    return Path(tempfile.gettempdir()) / f"turnkeep-{agent}-{os.getuid()}"


def built_once(name: str, build: Callable[[], bytes], folder: Path) -> Path:
    """Return a file of `folder`, built if missing; raises OSError. Another process may build it at the same time: each
    file is written atomically. Only the newest few are kept, so a path does not stay valid."""
    file = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.sqlite"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.lstat().st_uid != os.getuid():  # anyone may create such a folder, with other figures in it
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with _building:
        if not file.exists():
            draft = file.with_name(f"{file.stem}.{secrets.token_hex(8)}.tmp")
            draft.write_bytes(build())
            draft.replace(file)
            _tidy(folder, file)
    return file


def _tidy(folder: Path, newest: Path) -> None:
    ages = {path: age for path in folder.iterdir() if path != newest and (age := _modified(path)) is not None}
    for path in sorted(ages, key=lambda path: -ages[path])[KEPT_FILES - 1 :]:
        path.unlink(missing_ok=True)


def _modified(path: Path) -> float | None:
    """Return None if another process has removed the file."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None
