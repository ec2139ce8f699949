"""Documents as a retriever holds them, and their JSONL file. A file with a bad line is refused whole."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from turnkeep.records import JSON
from turnkeep.settings import UnusableFile


@dataclass(frozen=True)
class Document:
    """A retrievable piece of text; `score` is set by the search that found it, more is better."""

    id: str
    title: str
    text: str
    url: str | None = None
    metadata: JSON = field(default_factory=dict)
    score: float | None = None


class CorpusError(UnusableFile):
    """A corpus file cannot be used; the message names file, line and remedy."""


def load_documents(path: Path, read: Callable[[JSON], Document] | None = None) -> list[Document]:
    """The documents of a JSONL file, one object a line; `read` maps other fields and raises ValueError on bad ones."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    documents = list(_parse(path, text.split("\n"), read or read_document))
    if not documents:
        raise CorpusError(f"{path}: holds no documents; write one JSON object a line")
    return documents


def read_document(row: JSON) -> Document:
    """A document out of `id` (or `_id`), `title`, `text` and optionally `url`; other fields become metadata."""
    rest = dict(row)
    id_ = _text(rest, "_id" if "_id" in row else "id")
    title, text = _text(rest, "title", may_be_empty=True), _text(rest, "text", may_be_empty=True)
    url = _text(rest, "url") if rest.get("url") is not None else None
    if not (title.strip() or text.strip()):
        raise ValueError('"title" and "text" are both empty; give one of them')
    rest.pop("url", None)
    return Document(id_, title, text, url, rest)


def _parse(path: Path, lines: Iterable[str], read: Callable[[JSON], Document]) -> Iterator[Document]:
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            document = read(_parse_object(line))
        except ValueError as error:
            raise CorpusError(f"{path}:{number}: {error}") from error
        if document.id in seen:
            raise CorpusError(f'{path}:{number}: id "{document.id}" is also on line {seen[document.id]}; remove one')
        seen[document.id] = number
        yield document


def _parse_object(line: str) -> JSON:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON at column {error.colno} ({error.msg}); write one object a line") from error
    except RecursionError as error:
        raise ValueError("nested too deeply; write a flat object") from error
    if not isinstance(row, dict):
        raise ValueError(f"a JSON {type(row).__name__}, not an object; write one object a line")
    return row


def _text(row: JSON, name: str, *, may_be_empty: bool = False) -> str:
    value = row.pop(name, "" if may_be_empty else None)
    if not isinstance(value, str) or not (may_be_empty or value.strip()):
        raise ValueError(f'"{name}" must be a {"" if may_be_empty else "non-empty "}string; correct or add it')
    return value
