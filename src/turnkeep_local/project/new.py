"""`turnkeep new`: a folder with an agent that runs, has tests and deploys. Its files are in `starter`."""

import re
from pathlib import Path

from turnkeep_local import LocalError

STARTER = Path(__file__).with_name("starter")
PLACEHOLDER = "NAME"
_HIDDEN = {"env": ".env", "gitignore": ".gitignore"}
"""Renamed, because a .gitignore among the sources would apply there."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


def make_project(name: str, parent: Path) -> Path:
    """Return the new folder; raise LocalError. `name` becomes the name of the stack, which restricts its letters."""
    if not _NAME.fullmatch(name):
        raise LocalError(f"{name!r} is no name for a stack. Use a to z, 0 to 9 and -, a letter first, at most 40.")
    folder = parent / name
    try:
        folder.mkdir()
    except FileExistsError:
        raise LocalError(f"{folder} is there already. Take another name.") from None
    for file in sorted(each for each in STARTER.iterdir() if each.is_file()):
        target = folder / _HIDDEN.get(file.name, file.name)
        text = file.read_text()
        target.write_text(text if file.suffix == ".py" else text.replace(PLACEHOLDER, name))
    return folder
