"""Memory of one principal across threads: values under namespace and key, each signed for its place.

    STORE#<digest of user>   ITEM#<labels>//<key>                           the value, its times, its end
                             PART#<digest of place>#<replaces>-<mark>#<n>   a piece of a value too large for an item

`updated` is the fencing token of a place: it rises with each put and deletion, and a write applies only over the state
that it read. A deletion leaves a tombstone, so a late or repeated packet never undoes a later write."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from turnkeep.errors import AgentFault, InvalidRequest, StateCorrupt
from turnkeep.records import Principal
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import INLINE_BYTES
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items, Refused

MEMORY_LAYOUT = 1
MOST_READ_BYTES = 32 * 1024 * 1024  # of one search, as stored: about 8,000 RCU and two seconds
MOST_OPENED_BYTES = 64 * 1024 * 1024  # of one search, unpacked: values compress up to a thousandfold
LATEST_PACKET_SECONDS = 24 * 3600  # an ended item stays that long, so that late packets are recognised
_ITEM_BYTES = 200  # of an item without its value
_MARK_BYTES = 8
_TOO_MUCH = (
    "This namespace has over 32 MB stored, or over 64 MB unpacked: more than one search reads. Search a narrower "
    "namespace, or ask for fewer memories without filter and query."
)
_NOT_JSON = "The value must be JSON of at most 64 MB, with integers of at most 64 bits."
_UNREADABLE = "A memory is incomplete or damaged. Store it again, or delete it."


@dataclass(frozen=True)
class Memory:
    """Times are epoch milliseconds. `life`: time to live from the last put or refresh, None: unlimited. `vectors`:
    float32 of length 1 in this machine's byte order, by the path of their field. `size`: bytes of value and vectors,
    unpacked. `part`: the name of its parts, None for a value in the item."""

    namespace: tuple[str, ...]
    key: str
    value: Any
    created: int
    updated: int
    expires: int | None = None
    life: int | None = None
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    size: int = 0
    part: str | None = None


@dataclass(eq=False)
class Memories:
    """Memory of a principal. `began`: start of the run, epoch ms. A later erasure deletes what the run stored."""

    items: Items
    codec: Codec
    principal: Principal
    _: KW_ONLY
    clock: Callable[[], float]
    random_bytes: Callable[[int], bytes]
    began: int | None = None
    inline_bytes: int = INLINE_BYTES

    def __post_init__(self) -> None:
        self._pk = keys.memory_of(keys.user_key(self.principal))

    def get(self, places: Iterable[tuple[tuple[str, ...], str]]) -> dict[tuple[tuple[str, ...], str], Memory]:
        """Return the living memories, read 100 a request. Raises StateCorrupt, StoreUnavailable."""
        sks = dict.fromkeys(keys.memory_item(*place) for place in places)
        found = map(self._opened, self.items.get_many((self._pk, sk) for sk in sks))
        return {(memory.namespace, memory.key): memory for memory in found if memory}

    def below(
        self,
        namespace: tuple[str, ...],
        *,
        unreadable: list[str],
        page: int | None = None,
        is_bounded: bool = True,
    ) -> Iterator[Memory]:
        """Yield living items in and below a namespace, by namespace and key, in pages of `page`. `unreadable` collects
        keys of those that cannot be read. Raises InvalidRequest past the limit of one search."""
        opened = 0
        for item in self._stored(namespace, page, is_bounded=is_bounded):
            try:
                memory = self._opened(item)
            except StateCorrupt:
                unreadable.append(item["SK"])
                continue
            if memory:
                opened += memory.size
                if is_bounded and opened > MOST_OPENED_BYTES:
                    raise InvalidRequest(_TOO_MUCH)
                yield memory

    def namespaces(self, namespace: tuple[str, ...]) -> set[tuple[str, ...]]:
        """Return namespaces in and below this one with living items. Reads as `below` does, but opens no values."""
        return {keys.place_of(item["SK"])[0] for item in self._stored(namespace) if self._is_live(item)}

    def put(
        self, namespace: tuple[str, ...], key: str, value: Any, *, life: int | None, vectors: Mapping[str, bytes]
    ) -> None:
        """Store a value; `life` in milliseconds. Raises InvalidRequest, StoreUnavailable."""
        sk = keys.memory_item(namespace, key)
        try:
            packed = self.codec.pack({"value": value, "vectors": dict(vectors)}, self._pk, sk)
        except AgentFault as error:
            raise InvalidRequest(_NOT_JSON) from error
        self._replace(sk, packed, life)

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete a value. Raises InvalidRequest, StoreUnavailable."""
        self._replace(keys.memory_item(namespace, key), None, None)

    def refresh(self, memory: Memory) -> None:
        """Restart the life of a memory, unless it is gone or was replaced. Its parts never expire before it."""
        if memory.life is None:
            return
        now, sk = self._now(), keys.memory_item(memory.namespace, memory.key)
        ends, name = _ends(now, memory.life), memory.part or ""
        ttl = {":ttl": ends["ttl"]}
        for part in self.items.below(self._pk, keys.memory_parts(name)) if name else ():
            is_earlier = "attribute_exists(PK) AND #ttl < :ttl"
            with suppress(Refused):
                self.items.update(self._pk, part["SK"], "SET #ttl = :ttl", ttl, condition=is_earlier)
        values = ttl | {":expires": ends["expires"], ":updated": memory.updated, ":now": now, ":part": name}
        is_same = "updated = :updated AND (attribute_not_exists(part) OR part = :part)"
        is_earlier = "expires > :now AND expires < :expires"
        with suppress(Refused):
            expression = "SET expires = :expires, #ttl = :ttl"
            self.items.update(self._pk, sk, expression, values, condition=f"{is_same} AND {is_earlier}")

    def _replace(self, sk: str, packed: bytes | None, life: int | None) -> None:
        """Put the signed value, or a tombstone for None, over the state read now. A refusal means that a later write
        won, so it is never retried. Deletions and writes of large values sweep parts that no item names."""
        seen, now = self.items.get(self._pk, sk) or Item(), self._now()
        replaces = seen.get("updated", 0)
        created = seen["created"] if seen and self._is_live(seen) else now
        item: Item = {"PK": self._pk, "SK": sk, "v": MEMORY_LAYOUT, "began": self.began or now, "created": created}
        item["updated"] = max(now, replaces + 1)
        if packed is None:
            item |= {"expires": 0, "ttl": _ttl(now), "data": b""}
        else:
            item = self._with_value(packed, item | _ends(now, life), replaces)
        if self._put_over(replaces, item) and (packed is None or "part" in item or "part" in seen):
            self._drop_parts(seen)
            name = item.get("part") or keys.memory_part(sk, replaces, "~")
            self._delete_all(self.items.between(self._pk, *keys.memory_parts_before(name)))

    def _put_over(self, replaces: int, item: Item) -> bool:
        """Put the item over the state with this `updated`. If there is another, drop the item's parts, return False."""
        is_same = "attribute_not_exists(PK) OR updated = :seen"
        try:
            self.items.put(item, condition=is_same, values={":seen": replaces})
        except Refused as refused:
            if "part" in item and (refused.item or {}).get("part") == item["part"]:  # refreshed since
                return True
            self._drop_parts(item)
            return False
        return True

    def _stored(self, namespace: tuple[str, ...], page: int | None = None, is_bounded: bool = True) -> Iterator[Item]:
        size = 0
        for item in self.items.below(self._pk, keys.memory_prefix(namespace), page=page):
            size += _ITEM_BYTES + (item["size"] if "part" in item else len(item["data"]))
            if is_bounded and size > MOST_READ_BYTES:
                raise InvalidRequest(_TOO_MUCH)
            yield item

    def _with_value(self, packed: bytes, item: Item, replaces: int) -> Item:
        """Return the item with its value, or with the name of its parts, written here. `replaces`: `updated` before."""
        if len(packed) <= self.inline_bytes:
            return item | {"data": packed}
        name = keys.memory_part(item["SK"], replaces, self.random_bytes(_MARK_BYTES).hex())
        for n, start in enumerate(range(0, len(packed), self.inline_bytes)):
            part = {key: item[key] for key in item.keys() & {"PK", "v", "began", "ttl"}}
            part |= {"SK": f"{keys.memory_parts(name)}{n:04d}", "data": packed[start : start + self.inline_bytes]}
            with suppress(Refused):  # a packet that is sent twice does not undo a refresh
                self.items.put(part, condition="attribute_not_exists(PK)")
        return item | {"part": name, "size": len(packed)}

    def _drop_parts(self, item: Item) -> None:
        if "part" in item:
            self._delete_all(self.items.below(self._pk, keys.memory_parts(item["part"])))

    def _delete_all(self, parts: Iterable[Item]) -> None:
        self.items.write_many(deletes=[(self._pk, part["SK"]) for part in parts])

    def _opened(self, item: Item) -> Memory | None:
        """Return None for an expired one. One whose parts are gone was replaced meanwhile, so it is read again."""
        if not self._is_live(item):
            return None
        try:
            return self._read(item)
        except StateCorrupt:
            stored = self.items.get(self._pk, item["SK"])
        if stored == item:
            raise StateCorrupt(_UNREADABLE)
        return self._opened(stored) if stored else None

    def _read(self, item: Item) -> Memory:
        if item.get("v") != MEMORY_LAYOUT:
            raise StateCorrupt
        parts = self.items.below(self._pk, keys.memory_parts(item["part"])) if "part" in item else [item]
        content, size = self.codec.unpack_sized(b"".join(part["data"] for part in parts), self._pk, item["SK"])
        facts: Item = {name: item.get(name) for name in ("created", "updated", "expires", "life", "part")}
        return Memory(*keys.place_of(item["SK"]), content["value"], vectors=content["vectors"], size=size, **facts)

    def _is_live(self, item: Item) -> bool:
        return "expires" not in item or bool(item["expires"] > self._now())

    def _now(self) -> int:
        return int(self.clock() * 1000)


def _ends(now: int, life: int | None) -> Item:
    return {} if life is None else {"expires": now + life, "life": life, "ttl": _ttl(now + life)}


def _ttl(end: int) -> int:
    """Return DynamoDB's time to live in epoch seconds. Readers use `expires`."""
    return end // 1000 + 1 + LATEST_PACKET_SECONDS
