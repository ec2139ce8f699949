"""Lists or searches the threads of a user. A search that stops early returns a cursor to continue from."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from turnkeep.errors import InvalidRequest, StateCorrupt
from turnkeep.records import JSON, Principal, Status, Thread
from turnkeep.store.attributes import Item
from turnkeep.store.heads import Heads
from turnkeep.store.keys import HEAD, thread_of, user_key
from turnkeep.store.threads import Threads
from turnkeep.store.users import threads_of

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
        user, skip, after = user_key(principal), offset, None
        if cursor:
            parts = _CURSOR.fullmatch(cursor)
            if parts is None:
                raise InvalidRequest("`cursor` is invalid. Send the value of X-Pagination-Next unchanged.")
            skip = int(parts[1])
            after = {"u": user, "la": int(parts[2]), "PK": f"{user}#{parts[3]}", "SK": HEAD}
        rest = threads_of(self._heads.items, user, newest_first=True, after=after, page=SEARCHED_THREADS)
        found = Found()
        seen = self._threads_of(islice(rest, SEARCHED_THREADS), skip + limit, found)

        def fits(thread: Thread) -> bool:
            is_wanted = status in (None, thread.status) and agent in (None, thread.agent)
            return is_wanted and contains(thread.metadata, metadata or {})

        for count, (entry, thread) in enumerate(seen, start=1):
            if thread and fits(thread):
                if skip:
                    skip -= 1
                else:
                    found.append(thread)
            if len(found) == limit or count == SEARCHED_THREADS:
                # A cursor has the matches left to skip and the last entry. It names no user, so it grants no access.
                found.cursor = f"{skip}.{entry['la']}.{thread_of(entry['PK'])}"
                break
        return found

    def _threads_of(self, entries: Iterator[Item], first: int, found: Found) -> Iterator[tuple[Item, Thread | None]]:
        """Yield entries with their threads, None if gone or unreadable, page by page; the first page has `first`."""
        size = min(first, LIST_PAGE)
        while page := list(islice(entries, size)):
            heads = {item["PK"]: item for item in self._heads.items.get_many((entry["PK"], HEAD) for entry in page)}
            for entry in page:
                thread = None
                try:
                    if head := self._heads.living(heads.get(entry["PK"])):
                        thread = self._threads.view(head, with_message=False)
                except StateCorrupt:
                    found.unreadable += 1
                yield entry, thread
            size = LIST_PAGE

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
