"""`turnkeep new`: a folder with an agent that runs, has tests and deploys. Its files are in `starter`."""

import argparse
import re
from pathlib import Path

from turnkeep_local import LocalError

STARTER = Path(__file__).with_name("starter")
PLACEHOLDER = "NAME"
_HIDDEN = {"env": ".env", "gitignore": ".gitignore"}
"""Renamed, because a .gitignore among the sources would apply there."""


def new(options: argparse.Namespace) -> None:
    folder = make_project(options.name, Path.cwd())
    print(f"Created {folder.name}/. Next: cd {folder.name} && turnkeep dev")


def make_project(name: str, parent: Path) -> Path:
    """Return the new folder; raise LocalError. `name` becomes the name of the stack, which restricts its letters."""
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", name):
        raise LocalError(f"{name!r} is not a valid name. Use a-z, 0-9 and -, at most 40, beginning with a letter.")
    folder = parent / name
    try:
        folder.mkdir()
    except FileExistsError:
        raise LocalError(f"{folder} already exists. Choose another name.") from None
    for file in sorted(each for each in STARTER.iterdir() if each.is_file()):
        target = folder / _HIDDEN.get(file.name, file.name)
        text = file.read_text()
        target.write_text(text if file.suffix == ".py" else text.replace(PLACEHOLDER, name))
    return folder
