"""Pages of a manual in a folder, Markdown and text, and their sections. All pages are checked before use; a link that
leaves the folder is rejected. Pages are cut at their headings, and long sections between paragraphs. A comment
`<!-- also: ... -->` adds words that are searched and never shown: for its section; above all sections for the page."""

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from turnkeep.kit.documents import CorpusError, read_text
from turnkeep.kit.excerpts import pieces

SUFFIXES = (".md", ".markdown", ".txt")
LARGEST_PAGE_BYTES = 1_000_000
LARGEST_MANUAL_BYTES = 50_000_000

_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
LONGEST_SECTION = 4_000  # characters
OPENING = "overview"  # the id of the text before the first heading
UNNAMED = "section"  # the id of a section whose heading has no Latin letter

_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<title>.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_FRONT = re.compile(r"---\n(.*?\n)?---\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_`]+")
_ALSO = re.compile(r"^[ \t]*<!--\s*also:\s*(?P<words>[^\n]*?)\s*-->[ \t]*\n?", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class File:
    """`name` is the path in the folder; `id` is the path without its suffix, in characters that citations allow."""

    id: str
    name: str
    text: str

    @property
    def is_markdown(self) -> bool:
        return not self.name.lower().endswith(".txt")


def read_files(folder: Path) -> list[File]:
    if not folder.is_dir():
        raise CorpusError(f"{folder}: is not a folder; name one with Markdown or text files")
    paths = sorted(_pages_in(folder))
    if not paths:
        raise CorpusError(f"{folder}: contains no pages; add files that end in {', '.join(SUFFIXES)}")
    files: dict[str, File] = {}
    read_bytes = 0
    for path in paths:
        file = _read(folder, path)
        read_bytes += len(file.text)
        if read_bytes > LARGEST_MANUAL_BYTES:
            raise CorpusError(f"{folder}: is larger than {LARGEST_MANUAL_BYTES:,} bytes; split the manual")
        if file.id in files:
            raise CorpusError(f'{path}: has the same id as {files[file.id].name}, "{file.id}"; rename one')
        files[file.id] = file
    return list(files.values())


def slug(text: str) -> str:
    """Return lower-case letters, digits and hyphens; empty for a text without Latin letters and digits."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _NOT_IN_SLUG.sub("-", plain.lower()).strip("-")


def _pages_in(folder: Path) -> Iterator[Path]:
    """Yield the pages, without hidden files and folders. Linked folders are not followed."""
    for root, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if not name.startswith(".")]
        yield from (Path(root, name) for name in names if name.lower().endswith(SUFFIXES) and name[0] != ".")


def _read(folder: Path, path: Path) -> File:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise CorpusError(f"{path}: links to a file outside the folder; copy the file into it")
    name = path.relative_to(folder)
    parts = [slug(part) for part in name.with_suffix("").parts]
    if not all(parts):
        raise CorpusError(f"{path}: citations need names with Latin letters or digits; rename it")
    return File("/".join(parts), name.as_posix(), read_text(path, LARGEST_PAGE_BYTES))


@dataclass(frozen=True, slots=True)
class Section:
    """`path`: the headings above, page title first. `also`, `page_also`: extra search words for section and page."""

    id: str
    path: tuple[str, ...]
    text: str
    also: str = ""
    page_also: str = ""


def read_sections(file: File) -> list[Section]:
    title, body = _front(file.text)
    rough = _by_headings(body) if file.is_markdown else [((), body.strip())]
    if not title and rough and rough[0][0]:
        title = rough[0][0][0]
    title = title or file.id.rpartition("/")[2].replace("-", " ").capitalize()
    found: dict[str, Section] = {}
    page_also = ""
    for headings, whole in rough:
        path = (title, *(heading for at, heading in enumerate(headings) if at or heading != title))
        also, text = "", whole
        if file.is_markdown:
            also = " ".join(comment["words"] for comment in _ALSO.finditer(whole))
            text = _ALSO.sub("", whole).strip()
        page_also = page_also if path[1:] else also
        name = (slug(path[-1]) or UNNAMED) if path[1:] else OPENING
        for piece in pieces(text, LONGEST_SECTION):
            id_, number = f"{file.id}#{name}", 2
            while id_ in found:  # the heading occurs again on the page
                id_, number = f"{file.id}#{name}-{number}", number + 1
            found[id_] = Section(id_, path, piece, also, page_also)
    return list(found.values())


def _front(text: str) -> tuple[str, str]:
    front = _FRONT.match(text)
    if not front:
        return "", text
    title = _FRONT_TITLE.search(front[1] or "")
    return title[1] if title else "", text[front.end() :]


def _by_headings(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Return each text with the headings above it, outermost first. Texts may be empty: headings give the title."""
    found: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
    above: list[tuple[int, str]] = []
    is_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line)
        if heading is None:
            found[-1][1].append(line)
            continue
        level = len(heading["marks"])
        above = [*(one for one in above if one[0] < level), (level, _MARKUP.sub("", heading["title"]).strip())]
        found.append((tuple(name for _, name in above if name), []))
    return [(headings, "\n".join(lines).strip()) for headings, lines in found if headings or any(map(str.strip, lines))]
