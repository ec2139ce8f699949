"""Large values in a folder, with the methods of the S3 store. A key is a path under it, in lower case, because some
file systems ignore case."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from turnkeep_local.home import write_atomically

OBJECT_DAYS = 32  # the lifecycle rule of `Objects` in template.yaml
_KEY = re.compile(r"[a-z0-9]+(/[a-z0-9][a-z0-9.]*)*")


class FolderObjects:
    """Objects as files: whole or absent, even after a crash. Raises ValueError for a malformed key."""

    def __init__(self, folder: Path):
        self._folder = folder

    def put(self, key: str, body: bytes | IO[bytes]) -> None:
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, body if isinstance(body, bytes) else body.read())

    def link(self, key: str, seconds: int) -> str:
        """Return a route of the server, see workers.py. A guessed name gives only data that is encrypted."""
        return f"/{key}"

    def get(self, key: str) -> bytes:
        """Return the object; raise KeyError if there is none."""
        try:
            return self._file(key).read_bytes()
        except FileNotFoundError as error:
            raise KeyError(key) from error

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the keys under `prefix`, which ends with a slash; including half-written files."""
        yield from sorted(prefix + file.name for file in self._file(prefix.rstrip("/")).glob("*"))

    def left_in(self, prefix: str) -> list[str]:
        """Return the keys in every folder under `prefix`."""
        return [key for folder in self.names(prefix) for key in self.names(f"{folder}/")]

    def delete(self, keys: list[str]) -> None:
        for key in keys:
            file = self._file(key)
            file.unlink(missing_ok=True)
            with suppress(OSError):  # the folder has other objects
                file.parent.rmdir()

    def sweep(self, now: float) -> int:
        """Remove files older than OBJECT_DAYS at `now` (epoch seconds), even half-written ones; return their number."""
        limit = now - OBJECT_DAYS * 86_400
        old = [file for file in self._folder.rglob("*") if file.is_file() and file.stat().st_mtime < limit]
        for file in old:
            file.unlink(missing_ok=True)
        return len(old)

    def _file(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not a valid object key")
        return self._folder / key
