"""The threads of a user, searched or all of them. A search that stops gives a cursor: where the next one goes on."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from turnkeep.errors import InvalidRequest, StateCorrupt
from turnkeep.records import JSON, Principal, Status, Thread
from turnkeep.storage.attributes import Item
from turnkeep.storage.keys import BY_USER, HEAD, partition, thread_of, user_key
from turnkeep.storage.threads import Threads

LIST_PAGE = 50
SEARCHED_THREADS = 1000
_CURSOR = re.compile(r"(\d{1,5})\.(\d{1,15})\.([A-Za-z0-9_-]{1,64})", re.ASCII)


class Found(list[Thread]):
    """Threads. `cursor` is None where the search came to the end of all; `unreadable` are those that it passed over."""

    cursor: str | None = None
    unreadable: int = 0


class Listing(Threads):
    """Threads, and how they are found again."""

    def search_threads(
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
        """The user's threads that match, newest activity first; a turn of this moment may be a moment late. Looks at
        SEARCHED_THREADS at most. With the `cursor` of an earlier answer it goes on where that one stopped, in leaving
        out the first `offset` too. Raises InvalidRequest for any other cursor.
        """
        user = user_key(principal)
        skip, after = _place_of(cursor, user) if cursor else (offset, None)
        rest = self._items.index(BY_USER, "u", user, newest_first=True, after=after, page=SEARCHED_THREADS)
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
        """Each entry with its thread, None for one that is gone or that nobody can read; read by pages as they are
        asked for, the first of them no longer than `first`."""
        size = min(first, LIST_PAGE)
        while page := list(islice(entries, size)):
            heads = {item["PK"]: item for item in self._items.get_many((entry["PK"], HEAD) for entry in page)}
            for entry in page:
                yield entry, self._listed(heads.get(entry["PK"]), found)
            size = LIST_PAGE

    def _listed(self, item: Item | None, found: Found) -> Thread | None:
        """A living thread as lists show it; one that cannot be read spoils no list."""
        try:
            head = self._trusted(item) if item else None
            return self._thread(head, with_message=False) if head and head.is_alive(self._now()) else None
        except StateCorrupt:
            found.unreadable += 1
            return None

    def threads_named(self, principal: Principal, thread_ids: Iterable[str]) -> list[Thread]:
        """Return those that are alive and readable, in no promised order, with one request."""
        items = self._items.get_many((partition(principal, each), HEAD) for each in thread_ids)
        return [thread for item in items if (thread := self._listed(item, Found()))]

    def every_thread(self, principal: Principal, found: Found) -> Iterator[Thread]:
        """All living threads, each once; counts in `found` those that cannot be read. Those longest quiet come first:
        one that moves meanwhile is met again, and none is missed."""
        entries, seen = self._items.index(BY_USER, "u", user_key(principal)), set[str]()
        for entry, thread in self._threads_of(entries, LIST_PAGE, found):
            if thread and entry["PK"] not in seen:
                seen.add(entry["PK"])
                yield thread


def contains(value: Any, wanted: Any) -> bool:
    """Return whether a JSON value has all that is wanted: objects by their keys, at any depth, anything else whole."""
    if not isinstance(value, dict) or not isinstance(wanted, dict):
        return bool(value == wanted)
    return all(name in value and contains(value[name], each) for name, each in wanted.items())


def _cursor_at(entry: Item, skip: int) -> str:
    """After this entry of the index, with so many matches still to be left out. It names no user: whoever sends it gets
    on in their own threads."""
    return f"{skip}.{entry['la']}.{thread_of(entry['PK'])}"


def _place_of(cursor: str, user: str) -> tuple[int, Item]:
    """How many matches are still to be left out, and the entry of the user's index to go on after; raises
    InvalidRequest."""
    parts = _CURSOR.fullmatch(cursor)
    if parts is None:
        raise InvalidRequest("cursor: send what X-Pagination-Next said, as it was.")
    skip, active, thread_id = parts.groups()
    return int(skip), {"u": user, "la": int(active), "PK": f"{user}#{thread_id}", "SK": HEAD}
