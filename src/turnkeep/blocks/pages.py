"""Pages of a manual in a folder: Markdown and text, all checked before use. A link that leaves it is rejected."""

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turnkeep.blocks.documents import CorpusError, read_text

SUFFIXES = (".md", ".markdown", ".txt")
MOST_PAGES = 2_000
LARGEST_PAGE_BYTES = 1_000_000
LARGEST_MANUAL_BYTES = 50_000_000

_UNNAMED = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class File:
    """`id` is the path in the folder without its suffix, in characters that citations allow. `name` is the path."""

    id: str
    name: str
    text: str

    @property
    def is_markdown(self) -> bool:
        return not self.name.lower().endswith(".txt")


def read_files(folder: Path) -> list[File]:
    """Return all pages in the order of their paths; raises CorpusError with location and remedy."""
    if not folder.is_dir():
        raise CorpusError(f"{folder}: is no folder; name one that holds Markdown or text files")
    paths = sorted(_pages_in(folder))
    if not paths:
        raise CorpusError(f"{folder}: holds no pages; put files that end in {', '.join(SUFFIXES)} there")
    if len(paths) > MOST_PAGES:
        raise CorpusError(f"{folder}: holds {len(paths)} pages, {MOST_PAGES} at most; split the manual")
    files: dict[str, File] = {}
    read_bytes = 0
    for path in paths:
        file = _read(folder, path)
        read_bytes += len(file.text)
        if read_bytes > LARGEST_MANUAL_BYTES:
            raise CorpusError(f"{folder}: is larger than {LARGEST_MANUAL_BYTES:,} bytes; split the manual")
        if file.id in files:
            raise CorpusError(f'{path}: has the name "{file.id}", as {files[file.id].name} has; rename one')
        files[file.id] = file
    return list(files.values())


def slug(text: str) -> str:
    """Return lower-case letters, digits and hyphens; the result may be empty for a text in another script."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _UNNAMED.sub("-", plain.lower()).strip("-")


def _pages_in(folder: Path) -> Iterator[Path]:
    """Yield the pages, without hidden files and folders; linked folders are not entered."""
    for root, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if not name.startswith(".")]
        yield from (Path(root, name) for name in names if name.lower().endswith(SUFFIXES) and name[0] != ".")


def _read(folder: Path, path: Path) -> File:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise CorpusError(f"{path}: leads out of the folder; copy the file into it")
    text = read_text(path, LARGEST_PAGE_BYTES)
    name = path.relative_to(folder).as_posix()
    return File(_id_of(path, name), name, text)


def _id_of(path: Path, name: str) -> str:
    parts = [slug(part) for part in Path(name).with_suffix("").parts]
    if not all(parts):
        raise CorpusError(f"{path}: needs a name with Latin letters or digits, which citations are made of; rename it")
    return "/".join(parts)
