"""Erasure of all that is held for one user: threads with what lies beside them, memory, exports, what was
counted of past days.

    T#<tenant>#U#<user>  ERASURE    asked: what was born until then goes; it stands in the expiry index

That mark is written first. An erasure that was cut off is so finished by the hourly cleanup, which also looks once more
when nobody who began before can be on the way any longer: the index of a user's threads may be a moment behind, and so
may a writer. What the user begins after the erasure began is new, and stays.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass

from turnkeep.records import Principal
from turnkeep.storage import keys
from turnkeep.storage.attributes import Item
from turnkeep.storage.erasure import Erased, Eraser
from turnkeep.storage.items import Items, Refused, batched

STALLED_MS = 15 * 60_000
"""No function runs longer, and no retry token is good for longer."""
LAST_LOOK_MS = 60 * 60_000 + STALLED_MS  # cleanup may come up to an hour early
PAGE = 100
LOOKS = 5
"""How often a listing may show something that the look before had not; then it waits for the next call."""
EXPORT_ID_HEX = 11
"""An export's id begins with when it was asked for, epoch milliseconds in so many hex digits."""


@dataclass
class Receipt:
    """What was erased of one user, as of `erased_at`, epoch milliseconds. `complete`: nothing older was found."""

    erased_at: int
    threads: int = 0
    items: int = 0
    objects: int = 0
    complete: bool = False


class Persons:
    """`clock` gives epoch seconds; `at_once` is how many threads are deleted side by side."""

    def __init__(self, items: Items, eraser: Eraser, *, clock: Callable[[], float], at_once: int = 8):
        self._items = items
        self._eraser = eraser
        self._clock = clock
        self._at_once = at_once

    def erase(self, principal: Principal, has_time: Callable[[], bool] = lambda: True) -> Receipt:
        """Everything that the user had until now, whatever runs on it: a running turn finds itself superseded. What
        there is no time for, another call or the next cleanup erases. Raises StoreUnavailable."""
        user, now = keys.user_key(principal), int(self._clock() * 1000)
        mark = {"PK": user, "SK": keys.ERASURE, "v": keys.LAYOUT, "asked": now, "xh": keys.expiry_bucket(now, user)}
        with suppress(Refused):  # one that was asked for later does the same, or the answer to this one was lost
            self._items.put(
                {**mark, "ttl": keys.item_ttl(now)},
                condition="attribute_not_exists(PK) OR asked < :asked",
                values={":asked": now},
            )
        receipt = self._erased(user, now, has_time)
        if receipt.complete:
            self._wait(user, now)
        return receipt

    def finish(self, user: str, has_time: Callable[[], bool]) -> Receipt:
        """Goes on with an erasure that was asked for, by its partition; the last look ends it."""
        mark = self._items.get(user, keys.ERASURE)
        if mark is None:
            return Receipt(0, complete=True)
        asked = mark["asked"]
        receipt = self._erased(user, asked, has_time)
        if not receipt.complete:
            return receipt
        if int(self._clock() * 1000) < asked + STALLED_MS:
            self._wait(user, asked)
            return receipt
        with suppress(Refused):  # it was asked for again
            self._items.delete(user, keys.ERASURE, condition="asked = :asked", values={":asked": asked})
        return receipt

    def _wait(self, user: str, asked: int) -> None:
        due = keys.expiry_bucket(asked + LAST_LOOK_MS, user)
        with suppress(Refused):
            values = {":due": due, ":asked": asked}
            self._items.update(user, keys.ERASURE, "SET xh = :due", values, condition="asked = :asked")

    def _erased(self, user: str, asked: int, has_time: Callable[[], bool]) -> Receipt:
        receipt = Receipt(asked)
        receipt.items += self._forget_days(user)
        # A worker whose request is gone deletes what it writes afterwards.
        receipt.objects += self._eraser.delete_objects(keys.exports_of(user), lambda name: was_asked_by(name, asked))
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="erasure") as pool:
            for _ in range(LOOKS):
                if not has_time() or receipt.complete:
                    break
                is_clean = self._look(pool, receipt, user, has_time)
                receipt.complete = self._forget_memory(pool, receipt, user, has_time) and is_clean
        return receipt

    def _forget_days(self, user: str) -> int:
        """That of today stays under its digest, and goes by its time to live: else erasure would make a budget anew."""
        pk, today = keys.usage_of(user), keys.day(int(self._clock() * 1000))
        past = [(pk, item["SK"]) for item in self._items.between(pk, " ", "~") if item["SK"] != today]
        self._items.write_many(deletes=past)
        return len(past)

    def _forget_memory(
        self, pool: ThreadPoolExecutor, receipt: Receipt, user: str, has_time: Callable[[], bool]
    ) -> bool:
        """What was put by runs that began until then, each on condition that nobody has put it anew; says whether there
        was time for all."""
        pk = keys.memory_of(user)
        for page in self._items.pages_of(pk, "SK", "began"):
            old = [item["SK"] for item in page if item.get("began", 0) <= receipt.erased_at]
            if old and not has_time():
                return False
            for deleted in [pool.submit(copy_context().run, self._forget, pk, sk, receipt.erased_at) for sk in old]:
                receipt.items += deleted.result()
        return True

    def _forget(self, pk: str, sk: str, asked: int) -> int:
        try:
            self._items.delete(pk, sk, condition="began <= :asked", values={":asked": asked})
        except Refused:
            return 0
        return 1

    def _look(self, pool: ThreadPoolExecutor, receipt: Receipt, user: str, has_time: Callable[[], bool]) -> bool:
        """Erases what the index lists now; says whether that was nothing."""
        is_clean = True
        for entries in batched(self._items.index(keys.BY_USER, "u", user), PAGE):
            heads = self._items.get_many((entry["PK"], keys.HEAD) for entry in entries)
            old = [head for head in heads if _is_left(head) and _was_born_by(head, receipt.erased_at)]
            is_clean = is_clean and not old
            for some in batched(old, self._at_once):
                if not has_time():
                    return False
                for erased in [pool.submit(copy_context().run, self._erase_thread, head, receipt) for head in some]:
                    _add(receipt, erased.result())
        return is_clean

    def _erase_thread(self, head: Item, receipt: Receipt) -> Erased | None:
        """This thread and none that has its id by now; None where somebody was quicker, which the next look settles. A
        HEAD without content stays until the last look, so that what late writers left beside it is found."""
        if "gone" in head:
            return self._eraser.finish(head)
        born, now = head.get("born"), int(self._clock() * 1000)
        tied, values = ("born = :born", {":born": born}) if born else ("attribute_not_exists(born)", {})
        due = now + LAST_LOOK_MS if now < receipt.erased_at + STALLED_MS else None
        try:
            return self._eraser.erase(head["PK"], condition=tied, values=values, due=due)[1]
        except Refused:
            return None


def was_asked_by(export_id: str, asked: int) -> bool:
    """Whether an export is as old as an erasure, or nobody can say how old it is."""
    try:
        return int(export_id[:EXPORT_ID_HEX], 16) <= asked
    except ValueError:
        return True


def _is_left(head: Item) -> bool:
    """Not what only stays to keep late writers out, however long the index goes on to list it."""
    return "gone" not in head or "u" in head


def _was_born_by(head: Item, asked: int) -> bool:
    created = head.get("created")
    return not isinstance(created, int) or created <= asked


def _add(receipt: Receipt, erased: Erased | None) -> None:
    if erased:
        receipt.threads += 1
        receipt.items += erased.items
        receipt.objects += erased.objects
