"""A user's own manual in place of the bundled one. It is copied, and a symbolic link is switched to the copy
atomically: a crash leaves the old manual or the new one."""

import argparse
import os
import secrets
import shutil
from pathlib import Path

from turnkeep.kit.pages import File, read_files
from turnkeep_agents.database.manual import load_manual
from turnkeep_local import LocalError
from turnkeep_local.home import Home, open_home, write_atomically


def load(options: argparse.Namespace) -> None:
    home = open_home(os.environ)
    print(f"{keep_manual(home, options.folder)} in {place_in(home)}. The server uses them from its next start.")


def place_in(home: Home) -> Path:
    return home.path / "manual"


def keep_manual(home: Home, folder: Path) -> str:
    """Check a folder of pages, copy it to where the server looks, and return a summary. Raise CorpusError."""
    sections, files = load_manual(folder), read_files(folder)
    former = place_in(home).resolve() if place_in(home).is_symlink() else None
    _turn_to(home, _copied(home, files))
    if former is not None and former.parent == home.path:
        shutil.rmtree(former, ignore_errors=True)
    return f"{len(sections)} sections of {len(files)} pages"


def _copied(home: Home, files: list[File]) -> Path:
    place = home.path / f"manual-{secrets.token_hex(8)}"
    place.mkdir(mode=0o700)
    for file in files:
        page = place / file.name
        page.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(page, file.text.encode())
    return place


def _turn_to(home: Home, place: Path) -> None:
    link = home.path / f"{place.name}.link"
    link.symlink_to(place.name)
    try:
        link.replace(place_in(home))
    except OSError as error:
        link.unlink()
        shutil.rmtree(place)
        raise LocalError(f"{place_in(home)} cannot be replaced ({error.strerror}); move it away") from error
