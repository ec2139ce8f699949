"""Documents of a retriever, and the files that they are loaded from. One invalid line rejects the whole file."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from turnkeep.records import JSON
from turnkeep.settings import UnusableFile
from turnkeep.texts import is_web_address, printable, printable_in

LONGEST_LINE = 1_000_000


@dataclass(frozen=True)
class Document:
    """A retrievable piece of text. The search that found it sets `score`; higher is better."""

    id: str
    title: str
    text: str
    url: str | None = None
    metadata: JSON = field(default_factory=dict)
    score: float | None = None


class CorpusError(UnusableFile):
    """A corpus file cannot be used. The message contains file, line and remedy."""


def read_text(path: Path, largest_bytes: int = 200_000_000) -> str:
    """Return the text of a file, UTF-8 or UTF-16 with a byte order mark, with "\\n" as line ends. Raise CorpusError."""
    try:
        with path.open("rb") as stream:
            body = stream.read(largest_bytes + 1)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    if len(body) > largest_bytes:
        raise CorpusError(f"{path}: is larger than {largest_bytes:,} bytes; split it")
    try:
        text = body.decode("utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise CorpusError(f"{path}:{line}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise CorpusError(f"{path}:{line}: contains a zero byte; save the file as text")
    return printable(text.replace("\r\n", "\n").replace("\r", "\n"))


def load_documents(path: Path, read: Callable[[JSON], Document] | None = None) -> list[Document]:
    """Load a JSONL file, one object per line; `read` maps other fields and raises ValueError for invalid ones."""
    documents: dict[str, tuple[int, Document]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            document = (read or read_document)(_parse_object(line))
        except ValueError as error:
            raise CorpusError(f"{path}:{number}: {error}") from error
        if document.id in documents:
            first, _ = documents[document.id]
            raise CorpusError(f'{path}:{number}: id "{document.id}" is also on line {first}; remove one')
        documents[document.id] = number, document
    if not documents:
        raise CorpusError(f"{path}: contains no documents; write one JSON object per line")
    return [document for _, document in documents.values()]


def read_document(row: JSON) -> Document:
    """Build a document from `id` (or `_id`), `title`, `text` and optionally `url`; other fields become metadata."""
    rest = dict(row)
    id_ = _text(rest, "_id" if "_id" in row else "id")
    title, text = _text(rest, "title", may_be_empty=True), _text(rest, "text", may_be_empty=True)
    if not (title.strip() or text.strip()):
        raise ValueError('"title" and "text" are both empty; give one of them')
    rest.pop("url", None)
    return Document(id_, title, text, read_address(row), rest)


def read_address(row: JSON) -> str | None:
    """Return the `url` of a row, None without one; raises ValueError unless it is a web address."""
    url = row.get("url") or ""
    if not isinstance(url, str) or (url.strip() and not is_web_address(url.strip())):
        raise ValueError('"url" must begin with http:// or https:// and contain no spaces; correct it or leave it out')
    return url.strip() or None


def _parse_object(line: str) -> JSON:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE:,} characters; split the text")
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"invalid JSON at column {error.colno} ({error.msg}); write one object per line") from error
    except RecursionError as error:
        raise ValueError("nested too deeply; write a flat object") from error
    if not isinstance(row, dict):
        raise ValueError(f"a JSON {type(row).__name__}, not an object; write one object per line")
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("contains half of a surrogate pair, such as \\ud800; write whole characters") from error
    return {name: printable_in(value) for name, value in row.items()}


def _text(row: JSON, name: str, *, may_be_empty: bool = False) -> str:
    value = row.pop(name, "" if may_be_empty else None)
    if not isinstance(value, str) or not (may_be_empty or value.strip()):
        raise ValueError(f'"{name}" must be a {"" if may_be_empty else "non-empty "}string; correct or add it')
    return value
