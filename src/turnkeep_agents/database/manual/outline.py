"""The pages and sections of a manual by name, for a model that chooses among them: what a question shares no word with
can be found there alone. Names are of the manual's author, so they are cut short and stay on one line."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from turnkeep_agents.database.manual.files import slug
from turnkeep.blocks.documents import Document

MOST_CHARACTERS = 12_000  # about 4,000 tokens; the 415 sections of the bundled manual take 8,400
LONGEST_NAME = 80
LONGEST_BEGINNING = 200


def outline_of(documents: Sequence[Document]) -> str:
    """A line for each page, with the ids of its sections unless all of them are too many."""
    pages = [list(sections) for _, sections in groupby(documents, lambda one: page_of(one.id))]
    whole = [f"{_page(sections)}: {', '.join(map(_section, sections))}" for sections in pages]
    if sum(map(len, whole)) + len(whole) <= MOST_CHARACTERS:
        return "\n".join(whole)
    return "\n".join(_fitting(map(_page, pages)))


def beginnings_of(documents: Sequence[Document]) -> list[Document]:
    """Each with no more than how it begins."""
    return [Document(one.id, one.title, one.text[:LONGEST_BEGINNING]) for one in documents]


def page_of(id_: str) -> str:
    return id_.partition("#")[0]


def _page(sections: Sequence[Document]) -> str:
    return _named(page_of(sections[0].id), sections[0].title.partition(" > ")[0])


def _section(document: Document) -> str:
    (_, _, id_), (_, _, heading) = document.id.partition("#"), document.title.rpartition(" > ")
    return id_ if heading == document.title else _named(id_, heading)


def _named(id_: str, title: str) -> str:
    """With the title where the id does not say it, as in another script."""
    shown = " ".join(title.split())[:LONGEST_NAME]
    return id_ if slug(title) == id_.rpartition("/")[2] else f'{id_} "{shown}"'


def _fitting(lines: Iterator[str]) -> Iterator[str]:
    left = MOST_CHARACTERS
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            return
        yield line
