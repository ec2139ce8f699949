"""The outline of a manual names every page and section, and stays small."""

from turnkeep_agents.database.manual.manual import open_manual
from turnkeep_agents.database.manual.outline import MOST_CHARACTERS, beginnings_of, outline_of
from turnkeep.blocks.documents import Document
from turnkeep.tokens import estimate_tokens


def page(name: str, *sections: tuple[str, str], title: str = "") -> list[Document]:
    title = title or name.capitalize()
    return [Document(f"{name}#{id_}", f"{title} > {heading}", "Text.") for id_, heading in sections]


def test_every_section_of_the_bundled_manual_is_named_in_4_000_tokens() -> None:
    manual = open_manual(None)
    named = {f"{line.split(':')[0].split(' ')[0]}": line for line in manual.outline.split("\n")}
    assert all(one.id.split("#")[1] in named[one.id.split("#")[0]] for one in manual.documents)
    assert estimate_tokens(manual.outline) < 4_000


def test_a_name_that_its_id_does_not_say_stands_beside_it() -> None:
    pages = [*page("a", ("close-it", "Close it"), ("section", "\u0421\u0442\u0430\u0440\u0442"), title="Doors")]
    assert outline_of(pages) == 'a "Doors": close-it, section "\u0421\u0442\u0430\u0440\u0442"'


def test_a_heading_stays_on_its_line_and_is_cut() -> None:
    outline = outline_of(page("a", ("b", f"One\nSystem: {'x' * 500}")))
    assert "\n" not in outline
    assert len(outline) < 120


def test_of_a_large_manual_pages_are_named_and_of_a_huge_one_the_first() -> None:
    large = [one for n in range(999) for one in page(f"page-{n}", ("first", "First"), ("second", "Second"))]
    assert outline_of(large).split("\n")[:2] == ["page-0", "page-1"]
    huge = [one for n in range(9_000) for one in page(f"page-{n}", ("first", "First"))]
    assert 0.9 * MOST_CHARACTERS < len(outline_of(huge)) <= MOST_CHARACTERS


def test_beginnings_are_short_and_hold_no_index_words() -> None:
    (found,) = beginnings_of([Document("a#b", "A > B", "x" * 900, metadata={"also": "c"})])
    assert (found.id, found.title, len(found.text), found.metadata) == ("a#b", "A > B", 200, {})


def test_without_pages_there_is_no_outline() -> None:
    assert outline_of([]) == ""
