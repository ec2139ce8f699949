"""Whose threads they become: a file that names tenant and user of each, and somebody for the rest."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from turnkeep.records import Principal
from turnkeep.storage.keys import is_storable
from turnkeep_local import LocalError

COLUMNS = ("thread_id", "tenant", "user")
_SHAPES = 'Use CSV with the columns thread_id,tenant,user, or JSON: {"<thread id>": {"tenant": "...", "user": "..."}}'


def read_owners(file: Path) -> dict[str, Principal]:
    """Owners by thread id; raises LocalError, with the line where there is one."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LocalError(f"{file} cannot be read: {error}") from error
    owners: dict[str, Principal] = {}
    for place, thread_id, row in _of_json(file, text) if file.suffix == ".json" else _of_csv(file, text):
        if not isinstance(row, dict) or set(row) != {"tenant", "user"}:
            raise LocalError(f"{place}: not a tenant and a user alone. {_SHAPES}")
        if thread_id in owners:
            raise LocalError(f"{place}: the thread {thread_id} stands there twice.")
        owners[thread_id] = checked(row["tenant"], row["user"], place)
    return owners


def checked(tenant: object, user: object, place: str) -> Principal:
    """Raises LocalError for names that nobody can have."""
    if isinstance(tenant, str) and isinstance(user, str) and is_storable(owner := Principal(tenant, user)):
        return owner
    raise LocalError(f"{place}: tenant and user need a name each, together under 900 bytes.")


def _of_json(file: Path, text: str) -> Iterator[tuple[str, str, object]]:
    try:
        told = json.loads(text)
    except ValueError as error:
        raise LocalError(f"{file}: {error}. {_SHAPES}") from error
    if not isinstance(told, dict):
        raise LocalError(f"{file}: not an object. {_SHAPES}")
    return ((f"{file}, {name}", name, row) for name, row in told.items())


def _of_csv(file: Path, text: str) -> Iterator[tuple[str, str, object]]:
    reader = csv.DictReader(text.splitlines(), restkey="")
    if sorted(reader.fieldnames or ()) != sorted(COLUMNS):
        raise LocalError(f"{file}:1: the columns are {', '.join(reader.fieldnames or ())}. {_SHAPES}")
    return ((f"{file}:{reader.line_num}", row.pop("thread_id"), row) for row in reader)
