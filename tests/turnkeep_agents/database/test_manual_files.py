"""A folder of pages becomes documents, or is refused with place and remedy."""

from pathlib import Path

import pytest

from turnkeep.kit import pages
from turnkeep.kit.documents import CorpusError
from turnkeep.kit.pages import LONGEST_SECTION
from turnkeep_agents.database.manual import load_manual, open_manual

PAGE = """# Valves
How valves are kept.
## Open a valve

1. Turn it left.
2. Wait.

### In winter
Warm it first.
## Close a valve
Turn it right.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "pages"
    place.mkdir()
    return place


def test_a_page_is_cut_at_its_headings_and_titled_by_all_above(folder: Path) -> None:
    (folder / "valves.md").write_text(PAGE)

    found = load_manual(folder)

    assert [(one.id, one.title) for one in found] == [
        ("valves#overview", "Valves"),
        ("valves#open-a-valve", "Valves > Open a valve"),
        ("valves#in-winter", "Valves > Open a valve > In winter"),
        ("valves#close-a-valve", "Valves > Close a valve"),
    ]
    assert found[1].text == "1. Turn it left.\n2. Wait."
    assert {one.metadata["page"] for one in found} == {"Valves"}


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Only words.", ["A page"]),
        ("---\ntitle: 'Pumps'\n---\nText.", ["Pumps"]),
        ("# One\n\nText.\n\n# Two\n\nMore.", ["One", "One > Two"]),
        ("# Code\n\n```\n# no heading\n```\n", ["Code"]),
        ("# Empty\n\n## Also empty\n\n## Full\n\nText.", ["Empty > Full"]),
        ("# **Bold** title\r\n\r\nText.\r\n", ["Bold title"]),
        ("#hashtag and #another", ["A page"]),
    ],
)
def test_the_title_is_the_first_heading_or_front_matter_or_the_name(folder: Path, text: str, titles: list[str]) -> None:
    (folder / "a page.md").write_text(text)
    assert [one.title for one in load_manual(folder)] == titles


def test_repeated_and_non_latin_headings_have_their_own_ids(folder: Path) -> None:
    start = "\u0421\u0442\u0430\u0440\u0442"
    (folder / "a.md").write_text(f"# A\n## Notes\nOne.\n## Notes\nTwo.\n## {start}\nThree.")
    named = [(one.id, one.title) for one in load_manual(folder)]
    assert named == [("a#notes", "A > Notes"), ("a#notes-2", "A > Notes"), ("a#section", f"A > {start}")]


def test_sub_folders_are_read_and_hidden_files_left_out(folder: Path) -> None:
    for name in ("Field Work/day.md", ".git/log.md", "notes.txt", ".secret.md", "picture.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("# Heading\n\nText.")
    named = [(one.id, one.title) for one in load_manual(folder)]
    assert named == [("field-work/day#overview", "Heading"), ("notes#overview", "Notes")]


def test_a_long_section_is_cut_between_paragraphs(folder: Path) -> None:
    steps = "\n".join(f"{n}. Step {n}." for n in range(1, 60))
    paragraphs = [f"Paragraph {n}. " + "word " * 150 for n in range(10)]
    (folder / "long.md").write_text("\n\n".join(["# Long", *paragraphs, steps]))
    found = load_manual(folder)
    assert all(len(one.text) <= LONGEST_SECTION for one in found)
    assert [one.id for one in found] == ["long#overview", *(f"long#overview-{n}" for n in range(2, len(found) + 1))]
    assert steps in found[-1].text
    assert sum(one.text.count("Paragraph") for one in found) == 10


def test_an_endless_line_is_cut(folder: Path) -> None:
    (folder / "line.md").write_text("x" * (3 * LONGEST_SECTION + 5))
    assert [len(one.text) for one in load_manual(folder)] == [*[LONGEST_SECTION] * 3, 5]


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ({}, "contains no pages"),
        ({"a.md": b"# Title only\n"}, "hold headings only"),
        ({"a b.md": b"x", "a-b.txt": b"y"}, 'has the same id as a b.md, "a-b"'),
        ({"\u0444.md": b"x"}, "citations need names with Latin letters"),
        ({"big.md": b"x" * (pages.LARGEST_PAGE_BYTES + 1)}, "is larger than 1,000,000 bytes"),
    ],
)
def test_a_bad_page_is_named_with_its_remedy(folder: Path, contents: dict[str, bytes], complaint: str) -> None:
    for name, body in contents.items():
        (folder / name).write_bytes(body)
    with pytest.raises(CorpusError, match=complaint) as raised:
        load_manual(folder)
    assert str(raised.value).startswith(str(folder))


def test_a_too_large_manual_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "LARGEST_MANUAL_BYTES", 7)
    for name in "abc":
        (folder / f"{name}.md").write_text("Text.")
    with pytest.raises(CorpusError, match="is larger than 7 bytes"):
        load_manual(folder)


def test_links_inside_the_folder_are_read_and_links_out_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "a.md").write_text("Inside.")
    (folder / "b.md").symlink_to(folder / "a.md")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret.md").write_text("Outside.")
    (folder / "other").symlink_to(tmp_path / "other")
    assert [one.text for one in load_manual(folder)] == ["Inside.", "Inside."]

    (folder / "c.md").symlink_to(tmp_path / "other" / "secret.md")
    with pytest.raises(CorpusError, match=r"c\.md: links to a file outside the folder"):
        load_manual(folder)


def test_unreadable_pages_and_paths_are_refused(folder: Path) -> None:
    (folder / "gone.md").symlink_to(folder / "nothing.md")
    missing = r"gone\.md: cannot be read \(No such file or directory\)"
    for path, complaint in (
        (folder, missing),
        (folder / "nowhere", "is not a folder"),
        (Path(__file__), "not a folder"),
    ):
        with pytest.raises(CorpusError, match=complaint):
            load_manual(path)


def test_a_folder_keeps_the_vectors_of_its_pages(folder: Path) -> None:
    (folder / "valves.md").write_text(PAGE)
    found = open_manual(folder, dense=True).search("shut the valve", 1)
    assert [one.id for one in found] == ["valves#close-a-valve"]
    assert {path.name for path in folder.iterdir()} == {"valves.md", "vectors.npz"}
    assert len(load_manual(folder)) == 4
