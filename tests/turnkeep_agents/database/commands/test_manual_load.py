"""A user's manual is checked, copied, and replaces the old one atomically."""

from pathlib import Path

import pytest

from turnkeep.kit.documents import CorpusError
from turnkeep_agents.database.commands.manual import keep_manual, place_in
from turnkeep_agents.database.manual import load_manual
from turnkeep_local import LocalError
from turnkeep_local.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


def write(folder: Path, **pages: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def test_pages_are_copied_to_where_the_server_looks(home: Home, tmp_path: Path) -> None:
    folder = write(tmp_path / "mine", pumps="# Pumps\n\nText.\n\n## Start\n\nPull.", wells="# Wells\n\nDeep.")
    (folder / "more").mkdir()
    (folder / "more" / "hoses.txt").write_text("Long.")
    (folder / "picture.png").write_bytes(b"\x89")
    assert keep_manual(home, folder) == "4 sections of 3 pages"
    assert load_manual(place_in(home)) == load_manual(folder)
    assert sorted(path.name for path in place_in(home).rglob("*.*")) == ["hoses.txt", "pumps.md", "wells.md"]
    assert (place_in(home) / "pumps.md").stat().st_mode & 0o077 == 0


def test_a_second_manual_replaces_the_first_and_may_be_its_own_copy(home: Home, tmp_path: Path) -> None:
    keep_manual(home, write(tmp_path / "one", pumps="Old."))
    keep_manual(home, write(tmp_path / "two", wells="New."))
    keep_manual(home, place_in(home))
    assert [document.text for document in load_manual(place_in(home))] == ["New."]
    assert len(list(home.path.iterdir())) == 2  # the link, and what it leads to


@pytest.mark.parametrize("bad", ["", "# Title only"])
def test_a_bad_manual_is_refused_and_the_old_one_kept(home: Home, tmp_path: Path, bad: str) -> None:
    keep_manual(home, write(tmp_path / "one", pumps="Old."))
    folder = write(tmp_path / "two", **({"wells": bad} if bad else {}))
    with pytest.raises(CorpusError, match=str(folder)):
        keep_manual(home, folder)
    assert [document.text for document in load_manual(place_in(home))] == ["Old."]


def test_an_existing_folder_is_not_removed(home: Home, tmp_path: Path) -> None:
    write(place_in(home), own="Mine.")
    with pytest.raises(LocalError, match="move it away"):
        keep_manual(home, write(tmp_path / "one", pumps="New."))
    assert [path.name for path in home.path.iterdir()] == ["manual"]
    assert (place_in(home) / "own.md").read_text() == "Mine."
