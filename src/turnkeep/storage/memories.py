"""What one principal remembers across threads: values under namespace and key, each sealed to its place.

    STORE#<digest of user>   ITEM#<labels>//<key>   the value, and when it was made, changed and ends
                             PART#<mark>#<n>        what is too large for an item

One conditional update makes a value. What is large is written before it, under a mark of its own: of two writers the
last one's value stands, and nobody reads half of either.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from turnkeep.errors import AgentFault, InvalidRequest, StateCorrupt, StoreUnavailable
from turnkeep.records import Principal
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import INLINE_BYTES
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import (
    MEMORY_ITEMS,
    MEMORY_PARTITIONS,
    memory_item,
    memory_of,
    memory_parts,
    memory_prefix,
    place_of,
    user_key,
)
from turnkeep.storage.sealing import Sealer

MEMORY_LAYOUT = 1
MOST_READ_BYTES = 32 * 1024 * 1024
"""Limit of one search, as stored: about 8,000 RCU and two seconds."""
MOST_OPENED_BYTES = 64 * 1024 * 1024
"""Limit of one search, unpacked: values compress up to a thousandfold."""
_ITEM_BYTES = 200
"""Of an item without its value."""
_MARK_BYTES = 8
_ROUNDS = 4
_ALIVE = "(attribute_not_exists(expires) OR expires > :now)"
_TOO_MUCH = (
    "This namespace has over 32 MB stored, or over 64 MB unpacked: more than one search reads. Search a narrower "
    "namespace, or ask for fewer memories without filter and query."
)
_NOT_JSON = "A memory holds what JSON has, whole numbers of at most 64 bits, and at most 64 MB of it."
_UNREADABLE = "A memory cannot be read back whole. Put it anew, or delete it."


@dataclass(frozen=True)
class Memory:
    """Times in epoch milliseconds. `life`: for how long it lives from when it was put or refreshed, None for ever.
    `vectors`: float32 of length 1 in the order of bytes of this machine, by the path of the field they are of.
    `size`: bytes of value and vectors, unpacked."""

    namespace: tuple[str, ...]
    key: str
    value: Any
    created: int
    updated: int
    expires: int | None = None
    life: int | None = None
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    size: int = 0


class Memories:
    """Of a principal, or of a partition by its key. `clock` gives epoch seconds, `mint` random bytes. `began`: epoch
    milliseconds when the run began that writes, so that an erasure asked for later takes what the run still puts;
    without it, when it is put."""

    def __init__(
        self,
        items: Items,
        sealer: Sealer,
        principal: Principal | str,
        *,
        clock: Callable[[], float],
        mint: Callable[[int], bytes],
        began: int | None = None,
    ):
        self._items = items
        self._sealer = sealer
        self._pk = principal if isinstance(principal, str) else memory_of(user_key(principal))
        self._clock = clock
        self._mint = mint
        self._began = began

    def get(self, places: Iterable[tuple[tuple[str, ...], str]]) -> dict[tuple[tuple[str, ...], str], Memory]:
        """Those that live, 100 a request. Raises StateCorrupt, StoreUnavailable."""
        sks = dict.fromkeys(memory_item(*place) for place in places)
        found = map(self._opened, self._items.get_many((self._pk, sk) for sk in sks))
        return {(memory.namespace, memory.key): memory for memory in found if memory}

    def below(
        self,
        namespace: tuple[str, ...],
        *,
        lost: list[str],
        page: int | None = None,
        is_bounded: bool = True,
    ) -> Iterator[Memory]:
        """All that live in a namespace and below it, in the order of namespace and key, read in pages of `page` items.
        `lost` takes the keys of those that cannot be read. Raises InvalidRequest past what one search may read."""
        opened = 0
        for item in self._stored(namespace, page, is_bounded=is_bounded):
            try:
                memory = self._opened(item)
            except StateCorrupt:
                lost.append(item["SK"])
                continue
            if memory:
                opened += memory.size
                if is_bounded and opened > MOST_OPENED_BYTES:
                    raise InvalidRequest(_TOO_MUCH)
                yield memory

    def namespaces(self, namespace: tuple[str, ...]) -> set[tuple[str, ...]]:
        """Those in and below it in which something lives. Reads as `below` does, and opens nothing."""
        return {place_of(item["SK"])[0] for item in self._stored(namespace) if self._lives(item)}

    def put(
        self, namespace: tuple[str, ...], key: str, value: Any, *, life: int | None, vectors: Mapping[str, bytes]
    ) -> None:
        """`life` in milliseconds. Raises InvalidRequest, StoreUnavailable."""
        sk, now = memory_item(namespace, key), self._now()
        facts: Item = {"v": MEMORY_LAYOUT, "updated": now, "began": self._began or now, **_ends(now, life)}
        facts = self._laid(self._sealed({"value": value, "vectors": dict(vectors)}, sk), facts)
        for _ in range(_ROUNDS):
            try:
                return self._point(sk, facts, _ALIVE, {":now": now})
            except Refused as refused:  # one that has expired does not pass on when it was made
                self._drop_expired(sk, refused.item or {}, now)
        raise StoreUnavailable(retry_after=1)

    def reseal(self, item: Item) -> bool:
        """Seals an item of the partition anew where an older secret sealed it; whether it did. Raises StateCorrupt."""
        for _ in range(_ROUNDS):
            sealed = self._joined(item)
            if self._sealer.is_current(sealed):
                return False
            names = ("v", "updated", "began", "expires", "life")
            facts = {name: item.get(name) for name in names} | {"#ttl": item.get("ttl")}
            facts = self._laid(self._sealed(self._sealer.open(sealed, self._pk, item["SK"]), item["SK"]), facts)
            same = "updated = :updated AND began = :began" + (" AND expires = :expires" if "expires" in item else "")
            try:
                self._point(item["SK"], facts, same, {":now": item["created"]})
            except Refused as refused:  # it was put anew, lives longer or is gone
                self._drop_parts(facts)
                if not refused.item:
                    return False
                item = refused.item
            else:
                return True
        raise StoreUnavailable(retry_after=1)

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        sk, stands = memory_item(namespace, key), Item()
        for _ in range(_ROUNDS):
            values = {":part": stands.get("part", "")}
            try:
                self._items.delete(self._pk, sk, condition="attribute_not_exists(part) OR part = :part", values=values)
            except Refused as refused:
                stands = refused.item or {}
                continue
            return self._drop_parts(stands)
        raise StoreUnavailable(retry_after=1)

    def refresh(self, memory: Memory) -> None:
        """It lives as long again from now on; nothing where it is gone or was put anew with another life."""
        if memory.life is None:
            return
        now, sk = self._now(), memory_item(memory.namespace, memory.key)
        ends = _ends(now, memory.life)
        with suppress(Refused):
            values = {":life": memory.life, ":now": now, ":expires": ends["expires"], ":ttl": ends["#ttl"]}
            is_same = "life = :life AND expires > :now"
            item = self._items.update(self._pk, sk, "SET expires = :expires, #ttl = :ttl", values, condition=is_same)
            for part in self._items.below(self._pk, memory_parts(item["part"])) if "part" in item else ():
                ttl = {":ttl": ends["#ttl"]}
                self._items.update(self._pk, part["SK"], "SET #ttl = :ttl", ttl, condition="attribute_exists(PK)")

    def _stored(self, namespace: tuple[str, ...], page: int | None = None, is_bounded: bool = True) -> Iterator[Item]:
        size = 0
        for item in self._items.below(self._pk, memory_prefix(namespace), page=page):
            size += _ITEM_BYTES + (item["size"] if "part" in item else len(item["data"]))
            if is_bounded and size > MOST_READ_BYTES:
                raise InvalidRequest(_TOO_MUCH)
            yield item

    def _laid(self, sealed: bytes, facts: Item) -> Item:
        """The facts with where the value lies: in the item, or in parts that nothing leads to yet."""
        if len(sealed) <= INLINE_BYTES:
            return {**facts, "#data": sealed, "part": None, "#size": None}
        mark = self._mint(_MARK_BYTES).hex()
        self._items.write_many(self._parts(mark, sealed, facts))
        return {**facts, "#data": None, "part": mark, "#size": len(sealed)}

    def _point(self, sk: str, facts: Item, condition: str, values: Item) -> None:
        """Raises Refused."""
        named = {name: value for name, value in facts.items() if value is not None}
        sets = [f"{name} = :{name.strip('#')}" for name in named] + ["created = if_not_exists(created, :now)"]
        expression = f"SET {', '.join(sets)} REMOVE {', '.join(facts.keys() - named.keys())}"
        values = {f":{name.strip('#')}": value for name, value in named.items()} | values
        before = self._items.update(self._pk, sk, expression, values, condition=condition, returns="ALL_OLD")
        if before.get("part") != facts["part"]:  # a request that was sent twice finds its own
            self._drop_parts(before)

    def _drop_expired(self, sk: str, stands: Item, now: int) -> None:
        with suppress(Refused):
            self._items.delete(self._pk, sk, condition="expires <= :now", values={":now": now})
            self._drop_parts(stands)

    def _parts(self, mark: str, sealed: bytes, facts: Item) -> Iterator[Item]:
        ttl = {"ttl": facts["#ttl"]} if facts["#ttl"] else {}
        for n, start in enumerate(range(0, len(sealed), INLINE_BYTES)):
            part = {"PK": self._pk, "SK": f"{memory_parts(mark)}{n:04d}", "v": MEMORY_LAYOUT, "began": facts["began"]}
            yield part | ttl | {"data": sealed[start : start + INLINE_BYTES]}

    def _drop_parts(self, item: Item) -> None:
        if mark := item.get("part"):
            parts = self._items.below(self._pk, memory_parts(mark))
            self._items.write_many(deletes=[(self._pk, part["SK"]) for part in parts])

    def _opened(self, item: Item) -> Memory | None:
        """None for one that has expired. One whose parts are gone was put anew meanwhile."""
        stands: Item | None = item
        for _ in range(_ROUNDS):
            if stands is None or not self._lives(stands):
                return None
            try:
                return self._read(stands)
            except StateCorrupt:
                before, stands = stands, self._items.get(self._pk, item["SK"])
                if stands == before:
                    break
        raise StateCorrupt(_UNREADABLE)

    def _read(self, item: Item) -> Memory:
        if item.get("v") != MEMORY_LAYOUT:
            raise StateCorrupt
        content, size = self._sealer.open_sized(self._joined(item), self._pk, item["SK"])
        times: Item = {name: item.get(name) for name in ("created", "updated", "expires", "life")}
        return Memory(*place_of(item["SK"]), content["value"], vectors=content["vectors"], size=size, **times)

    def _joined(self, item: Item) -> bytes:
        parts = self._items.below(self._pk, memory_parts(item["part"])) if "part" in item else [item]
        return b"".join(part["data"] for part in parts)

    def _sealed(self, content: Item, sk: str) -> bytes:
        try:
            return self._sealer.seal(content, self._pk, sk)
        except AgentFault as error:
            raise InvalidRequest(_NOT_JSON) from error

    def _lives(self, item: Item) -> bool:
        return "expires" not in item or bool(item["expires"] > self._now())

    def _now(self) -> int:
        return int(self._clock() * 1000)


def _ends(now: int, life: int | None) -> Item:
    """DynamoDB's own time to live, in epoch seconds, is a net: readers go by `expires`."""
    if life is None:
        return {"expires": None, "life": None, "#ttl": None}
    return {"expires": now + life, "life": life, "#ttl": (now + life) // 1000 + 1}


def reseal(items: Items, sealer: Sealer) -> int:
    """Seals anew what older secrets sealed, before one of them is dropped; gives how many. Reads the whole table."""
    count = 0
    for item in items.scan(MEMORY_PARTITIONS, MEMORY_ITEMS):
        memories = Memories(items, sealer, item["PK"], clock=time.time, mint=secrets.token_bytes)
        with suppress(StateCorrupt):  # nobody could read it any more
            count += memories.reseal(item)
    return count
