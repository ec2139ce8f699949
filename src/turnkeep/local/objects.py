"""Large values in a folder, with the methods of the S3 store. A file is named by the digest of its key, so keys of any
length and alphabet are safe, on file systems that ignore case too."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from turnkeep.local.home import write_atomically

OBJECT_DAYS = 32  # the lifecycle rule of `Objects` in template.yaml


class FolderObjects:
    """Objects as files: whole or absent, whatever dies in between."""

    def __init__(self, folder: Path):
        self._folder = folder

    def put(self, key: str, body: bytes) -> None:
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, body)

    def get(self, key: str) -> bytes:
        """Raises KeyError where nothing lies."""
        try:
            return self._file(key).read_bytes()
        except FileNotFoundError as error:
            raise KeyError(key) from error

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._file(key).unlink(missing_ok=True)

    def sweep(self, now: float) -> int:
        """Removes what is older than OBJECT_DAYS at `now` (epoch seconds), half-written files too; says how many."""
        limit = now - OBJECT_DAYS * 86_400
        old = [file for file in self._folder.glob("*/*") if file.stat().st_mtime < limit]
        for file in old:
            file.unlink(missing_ok=True)
        return len(old)

    def _file(self, key: str) -> Path:
        name = sha256(key.encode()).hexdigest()
        return self._folder / name[:2] / name[2:]
