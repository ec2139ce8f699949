"""Erasure of one user: threads and their items, memory, exports, usage of past days.

    T#<tenant>#U#<user>  ERASURE    asked: when; until: data created by then is erased; in the expiry index

The mark is written first, so the hourly cleanup finishes an interrupted erasure. It also looks again after the last
earlier writer must have ended, since the user's thread index and a writer may be late. Data begun after the answer
stays. For clock skew the request erases data dated up to CLOCK_ERROR_MS later: all that it finds began before its
answer. A later look, which may find newer data, uses the middle between request and answer."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from turnkeep.records import Principal
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.erasure import Deleted, Eraser
from turnkeep.store.items import Items, Refused, batched

STALLED_MS = 15 * 60_000  # no function runs longer
LAST_LOOK_MS = 60 * 60_000 + STALLED_MS  # cleanup may come up to an hour early
PAGE = 100
LOOKS = 5  # listings that show something new; more wait for the next call
_BURY = "SET expires = :zero, #data = :none REMOVE life, created, #ttl"
_IS_LEFT = "began <= :until AND (attribute_not_exists(expires) OR expires > :zero)"
EXPORT_ID_HEX = 11  # digits of the request time in epoch milliseconds, with which an id begins


@dataclass
class UserErasure(Deleted):
    """Counts of a user's erased data as of `erased_at`, epoch milliseconds. `complete`: nothing older was found."""

    erased_at: int = 0
    complete: bool = False


class UserEraser:
    """Erases users, `at_once` threads in parallel."""

    def __init__(self, eraser: Eraser, *, at_once: int = 8):
        self._items = eraser.items
        self._eraser = eraser
        self._at_once = at_once

    def erase(self, principal: Principal, has_time: Callable[[], bool] = lambda: True) -> UserErasure:
        """Erase the user's data up to now; a running turn is superseded. Another call or cleanup does the rest."""
        user, now = keys.user_key(principal), self._eraser.now()
        xh = keys.expiry_bucket(now, user)
        mark = keys.new_item(user, keys.ERASURE, keys.item_ttl(now), asked=now, xh=xh)
        with suppress(Refused):  # a later request does the same, or the answer to this one was lost
            earlier = "attribute_not_exists(PK) OR asked < :asked"
            self._items.put(mark, condition=earlier, values={":asked": now})
        result = self._erased(user, now, now + keys.CLOCK_ERROR_MS, has_time)
        until = now + min((self._eraser.now() - now) // 2, keys.CLOCK_ERROR_MS)
        self._leave_rest(user, now, until, LAST_LOOK_MS if result.complete else 0)
        return result

    def finish(self, user: str, has_time: Callable[[], bool]) -> UserErasure:
        """Continue a requested erasure, by its partition; the last look ends it."""
        mark = self._items.get(user, keys.ERASURE)
        if mark is None:
            return UserErasure(complete=True)
        asked: int = mark["asked"]
        until: int = mark.get("until", asked)
        result = self._erased(user, asked, until, has_time)
        if result.complete and self._eraser.now() < asked + STALLED_MS:
            self._leave_rest(user, asked, until, LAST_LOOK_MS)
        elif result.complete:
            with suppress(Refused):  # it was requested again
                self._items.delete(user, keys.ERASURE, condition="asked = :asked", values={":asked": asked})
        return result

    def _leave_rest(self, user: str, asked: int, until: int, ms: int) -> None:
        values = {":due": keys.expiry_bucket(asked + ms, user), ":asked": asked, ":until": until}
        with suppress(Refused):  # it was requested again
            self._items.update(user, keys.ERASURE, "SET xh = :due, #until = :until", values, condition="asked = :asked")

    def _erased(self, user: str, asked: int, until: int, has_time: Callable[[], bool]) -> UserErasure:
        result = UserErasure(erased_at=asked)
        # Today's usage stays under its digest until its TTL, or an erasure would reset the budget.
        pk, today = keys.usage_of(user), keys.day(self._eraser.now())
        past = [(pk, item["SK"]) for item in self._items.between(pk, " ", "~") if item["SK"] != today]
        self._items.write_many(deletes=past)
        result.items += len(past)
        latest = f"{until:0{EXPORT_ID_HEX}x}~"
        # A worker whose request is gone deletes what it writes afterwards.
        result.objects += self._eraser.delete_objects(keys.exports_of(user), lambda name: name <= latest)
        for _ in range(LOOKS):
            if result.complete or not has_time():
                break
            result.complete = True
            for deleted in self._eraser.in_parallel(self._left(result, user, until, has_time), self._at_once):
                result.add(deleted)
        return result

    def _left(
        self, result: UserErasure, user: str, until: int, has_time: Callable[[], bool]
    ) -> Iterator[Callable[[], Deleted]]:
        """Yield erasures of threads, and memory of runs begun by `until`. Set `result.complete` if none is left."""
        for entries in batched(threads_of(self._items, user), PAGE):
            for head in self._items.get_many((entry["PK"], keys.HEAD) for entry in entries):
                if _is_erased_by(head, until):
                    result.complete = False
                    if not has_time():
                        return
                    yield partial(self._erase_thread, head, result.erased_at)
        pk = keys.memory_of(user)
        for page in self._items.pages_of(pk, "SK", "began"):
            for sk in [item["SK"] for item in page if item.get("began", 0) <= until]:
                if not has_time():
                    result.complete = False
                    return
                yield partial(self._forget, pk, sk, until)

    def _forget(self, pk: str, sk: str, until: int) -> Deleted:
        """Delete a memory not put since. Until the last look a tombstone keeps out late packets of earlier puts."""
        values: Item = {":until": until}
        with suppress(Refused):
            if self._eraser.now() < until + STALLED_MS:
                values |= {":zero": 0, ":none": b""}
                self._items.update(pk, sk, _BURY, values, condition=_IS_LEFT)
            else:
                self._items.delete(pk, sk, condition="began <= :until", values=values)
            return Deleted(items=1)
        return Deleted()

    def _erase_thread(self, head: Item, asked: int) -> Deleted:
        """Erase this thread, not a later one with its id. An empty HEAD stays until the last look, for late writers."""
        if "gone" in head:
            return self._eraser.finish(head)
        incarnation, now = head.get("born"), self._eraser.now()
        tied, values = ("born = :born", {":born": incarnation}) if incarnation else ("attribute_not_exists(born)", {})
        due = now + LAST_LOOK_MS if now < asked + STALLED_MS else None
        with suppress(Refused):
            return self._eraser.erase(head["PK"], condition=tied, values=values, due=due)[1]
        return Deleted()


def threads_of(items: Items, user: str, **how: Any) -> Iterator[Item]:
    """Yield the user's index entries except those in other users' partitions: the index key `u` is unsigned."""
    entries = items.index(keys.BY_USER, user, **how)
    return (entry for entry in entries if entry["PK"] == f"{user}#{keys.thread_of(entry['PK'])}")


def _is_erased_by(head: Item, until: int) -> bool:
    """Return whether a thread is erased: not one created later, nor a tombstone that is still indexed."""
    created = head.get("created")
    return ("gone" not in head or "u" in head) and (not isinstance(created, int) or created <= until)
