"""Lists or searches the threads of a user. A search that stops early returns a cursor to continue from."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from turnkeep.errors import InvalidRequest, StateCorrupt
from turnkeep.records import JSON, Principal, Status, Thread
from turnkeep.storage.attributes import Item
from turnkeep.storage.heads import Heads
from turnkeep.storage.keys import HEAD, thread_of, user_key
from turnkeep.storage.persons import threads_of
from turnkeep.storage.threads import Threads

LIST_PAGE = 50
SEARCHED_THREADS = 1000
_CURSOR = re.compile(r"(\d{1,5})\.(\d{1,15})\.([A-Za-z0-9_-]{1,64})", re.ASCII)


class Found(list[Thread]):
    """Threads. `cursor` is None at the end of the list; `unreadable` counts the threads that were skipped."""

    cursor: str | None = None
    unreadable: int = 0


class Listing:
    def __init__(self, heads: Heads, threads: Threads):
        self._heads = heads
        self._threads = threads

    def search(
        self,
        principal: Principal,
        *,
        metadata: JSON | None = None,
        status: Status | None = None,
        agent: str | None = None,
        limit: int = 10,
        offset: int = 0,
        cursor: str | None = None,
    ) -> Found:
        """Return matching threads, newest activity first, of SEARCHED_THREADS at most; a turn may appear late. A
        `cursor` continues an earlier answer, including its `offset`. Raises InvalidRequest for any other cursor."""
        user = user_key(principal)
        skip, after = _place_of(cursor, user) if cursor else (offset, None)
        rest = threads_of(self._heads.items, user, newest_first=True, after=after, page=SEARCHED_THREADS)
        found = Found()
        seen = self._threads_of(islice(rest, SEARCHED_THREADS), skip + limit, found)

        def fits(thread: Thread) -> bool:
            is_wanted = status in (None, thread.status) and agent in (None, thread.agent)
            return is_wanted and contains(thread.metadata, metadata or {})

        for looked, (entry, thread) in enumerate(seen, start=1):
            if thread and fits(thread):
                if skip:
                    skip -= 1
                else:
                    found.append(thread)
            if len(found) == limit or looked == SEARCHED_THREADS:
                found.cursor = _cursor_at(entry, skip)
                break
        return found

    def _threads_of(self, entries: Iterator[Item], first: int, found: Found) -> Iterator[tuple[Item, Thread | None]]:
        """Yield entries with their threads, None if gone or unreadable, page by page; the first page has `first`."""
        size = min(first, LIST_PAGE)
        while page := list(islice(entries, size)):
            heads = {item["PK"]: item for item in self._heads.items.get_many((entry["PK"], HEAD) for entry in page)}
            for entry in page:
                yield entry, self._listed(heads.get(entry["PK"]), found)
            size = LIST_PAGE

    def _listed(self, item: Item | None, found: Found) -> Thread | None:
        """Return a living thread as lists show it; an unreadable one is only counted."""
        try:
            head = self._heads.living(item)
            return self._threads.view(head, with_message=False) if head else None
        except StateCorrupt:
            found.unreadable += 1
            return None

    def all(self, principal: Principal, found: Found) -> Iterator[Thread]:
        """Yield each living thread once, longest quiet first, so none is missed; count unreadable ones in `found`."""
        entries, seen = threads_of(self._heads.items, user_key(principal)), set[str]()
        for entry, thread in self._threads_of(entries, LIST_PAGE, found):
            if thread and entry["PK"] not in seen:
                seen.add(entry["PK"])
                yield thread


def contains(value: Any, wanted: Any) -> bool:
    """Return whether a JSON value contains `wanted`: objects by their keys, at any depth, anything else whole."""
    if not isinstance(value, dict) or not isinstance(wanted, dict):
        return bool(value == wanted)
    return all(name in value and contains(value[name], each) for name, each in wanted.items())


def _cursor_at(entry: Item, skip: int) -> str:
    """Return the cursor after this entry with the matches left to skip. It names no user, so it grants no access."""
    return f"{skip}.{entry['la']}.{thread_of(entry['PK'])}"


def _place_of(cursor: str, user: str) -> tuple[int, Item]:
    """Return the number of matches to skip and the index entry to continue after. Raises InvalidRequest."""
    parts = _CURSOR.fullmatch(cursor)
    if parts is None:
        raise InvalidRequest("cursor: send what X-Pagination-Next said, as it was.")
    skip, active, thread_id = parts.groups()
    return int(skip), {"u": user, "la": int(active), "PK": f"{user}#{thread_id}", "SK": HEAD}
