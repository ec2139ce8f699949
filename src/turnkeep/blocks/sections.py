"""Cuts a page into sections at its headings. A long section is cut between paragraphs, within a list only if the list
alone is too long. A comment `<!-- also: ... -->` adds words that are searched and never shown: for its section, or
above all sections for the page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from turnkeep.blocks.pages import File, slug

LONGEST_SECTION = 4_000  # characters
OPENING = "overview"  # the id of the text before the first heading
UNNAMED = "section"  # the id of a section whose heading has no Latin letter

_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<title>.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_FRONT = re.compile(r"---\n(.*?\n)?---\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_`]+")
_ALSO = re.compile(r"^[ \t]*<!--\s*also:\s*(?P<words>[^\n]*?)\s*-->[ \t]*\n?", re.IGNORECASE | re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Section:
    """`path`: the headings above, page title first. `also`, `page_also`: other words for section and page."""

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
    title = title or _named_after(file)
    found: dict[str, Section] = {}
    page_also = ""
    for headings, whole in rough:
        path = (title, *(heading for at, heading in enumerate(headings) if at or heading != title))
        also, text = _also(whole) if file.is_markdown else ("", whole)
        page_also = page_also if path[1:] else also
        name = (slug(path[-1]) or UNNAMED) if path[1:] else OPENING
        for piece in _pieces(text):
            section = _fresh(Section(f"{file.id}#{name}", path, piece, also, page_also), found)
            found[section.id] = section
    return list(found.values())


def _also(text: str) -> tuple[str, str]:
    """Return the other words that comments of a section list, and the section without them."""
    return " ".join(found["words"] for found in _ALSO.finditer(text)), _ALSO.sub("", text).strip()


def _front(text: str) -> tuple[str, str]:
    front = _FRONT.match(text)
    if not front:
        return "", text
    title = _FRONT_TITLE.search(front[1] or "")
    return title[1] if title else "", text[front.end() :]


def _by_headings(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Return each text with the headings above it, outermost first; empty ones too, since they give the title."""
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


def _named_after(file: File) -> str:
    return file.id.rpartition("/")[2].replace("-", " ").capitalize()


def _pieces(text: str) -> Iterator[str]:
    piece = ""
    for paragraph in _PARAGRAPHS.split(text):
        for part in _lines(paragraph):
            if piece and len(piece) + len(part) > LONGEST_SECTION:
                yield piece
                piece = ""
            piece = f"{piece}\n\n{part}" if piece else part
    if piece.strip():
        yield piece


def _lines(paragraph: str) -> Iterator[str]:
    """Yield the paragraph, cut at line ends, or anywhere if a line alone is too long."""
    while len(paragraph) > LONGEST_SECTION:
        at = max(paragraph.rfind("\n", 0, LONGEST_SECTION), paragraph.rfind(" ", 0, LONGEST_SECTION)) + 1
        at = at or LONGEST_SECTION
        yield paragraph[:at].rstrip()
        paragraph = paragraph[at:]
    yield paragraph


def _fresh(section: Section, known: dict[str, Section]) -> Section:
    """Return the section with a numbered id if its heading occurs again on the page."""
    number, id_ = 2, section.id
    while id_ in known:
        id_ = f"{section.id}-{number}"
        number += 1
    return replace(section, id=id_)
