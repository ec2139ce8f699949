"""What a search of a user's threads gives, and its cursor: how the next search goes on where this one stopped."""

import re

from turnkeep.errors import InvalidRequest
from turnkeep.records import Thread
from turnkeep.storage.items import Item
from turnkeep.storage.keys import HEAD, thread_of

_CURSOR = re.compile(r"(\d{1,5})\.(\d{1,15})\.([A-Za-z0-9_-]{1,64})", re.ASCII)


class Found(list[Thread]):
    """Threads. `cursor` is None where the search came to the end of all; `unreadable` are those that it passed over."""

    cursor: str | None = None
    unreadable: int = 0


def cursor_at(entry: Item, skip: int) -> str:
    """After this entry of the index, with so many matches still to be left out. It names no user: whoever sends it gets
    on in their own threads."""
    return f"{skip}.{entry['la']}.{thread_of(entry['PK'])}"


def place_of(cursor: str, user: str) -> tuple[int, Item]:
    """How many matches are still to be left out, and the entry of the user's index to go on after; raises
    InvalidRequest."""
    parts = _CURSOR.fullmatch(cursor)
    if parts is None:
        raise InvalidRequest("cursor: send what X-Pagination-Next said, as it was.")
    skip, active, thread_id = parts.groups()
    return int(skip), {"u": user, "la": int(active), "PK": f"{user}#{thread_id}", "SK": HEAD}
