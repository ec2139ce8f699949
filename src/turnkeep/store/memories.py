"""Memory of one principal across threads: values under namespace and key, each signed for its place.

    STORE#<digest of user>   ITEM#<labels>//<key>   the value, its times, its end

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
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items, Refused

MEMORY_LAYOUT = 1
MOST_READ_BYTES = 32 * 1024 * 1024  # of one search, as stored: about 8,000 RCU and two seconds
MOST_OPENED_BYTES = 64 * 1024 * 1024  # of one search, unpacked: values compress up to a thousandfold
MOST_VALUE_BYTES = 390 * 1024  # packed, with vectors: with its keys and times an item stays below DynamoDB's 400 KB
LATEST_PACKET_SECONDS = 24 * 3600  # an ended item stays that long, so that late packets are recognised
_TOO_MUCH = (
    "This namespace has over 32 MB stored, or over 64 MB unpacked: more than one search reads. Search a narrower "
    "namespace, or ask for fewer memories without filter and query."
)
_NOT_JSON = "The value must be JSON of at most 64 MB, with integers of at most 64 bits."
_TOO_LARGE = (
    "A value has at most 390 KB, compressed and with its vectors. Store it under several keys, or store a link to it."
)
_UNREADABLE = "A memory is damaged. Store it again, or delete it."


@dataclass(frozen=True)
class Memory:
    """Times are epoch milliseconds. `life`: time to live from the last put or refresh, None: unlimited. `vectors`:
    float32 of length 1 in this machine's byte order, by the path of their field. `size`: bytes of value and vectors,
    unpacked."""

    namespace: tuple[str, ...]
    key: str
    value: Any
    created: int
    updated: int
    expires: int | None = None
    life: int | None = None
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    size: int = 0


@dataclass(eq=False)
class Memories:
    """Memory of a principal. `began`: start of the run, epoch ms. A later erasure deletes what the run stored."""

    items: Items
    codec: Codec
    principal: Principal
    _: KW_ONLY
    clock: Callable[[], float]
    began: int | None = None

    def __post_init__(self) -> None:
        self._pk = keys.memory_of(keys.user_key(self.principal))

    def get(self, places: Iterable[tuple[tuple[str, ...], str]]) -> dict[tuple[tuple[str, ...], str], Memory]:
        """Return the living memories, read 100 a request. Raises StateCorrupt, StoreUnavailable."""
        sks = dict.fromkeys(keys.memory_item(*place) for place in places)
        found = map(self._opened, self.items.get_many((self._pk, sk) for sk in sks))
        return {(memory.namespace, memory.key): memory for memory in found if memory}

    def below(
        self, namespace: tuple[str, ...], *, unreadable: list[str], page: int | None = None, is_bounded: bool = True
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
        if len(packed) > MOST_VALUE_BYTES:
            raise InvalidRequest(_TOO_LARGE)
        self._replace(sk, packed, _ends(self._now(), life))

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete a value. Raises InvalidRequest, StoreUnavailable."""
        self._replace(keys.memory_item(namespace, key), b"", {"expires": 0, "ttl": _ttl(self._now())})

    def refresh(self, memory: Memory) -> None:
        """Restart the life of a memory, unless it is gone or was replaced."""
        if memory.life is None:
            return
        now, sk = self._now(), keys.memory_item(memory.namespace, memory.key)
        ends = _ends(now, memory.life)
        values = {":expires": ends["expires"], ":ttl": ends["ttl"], ":updated": memory.updated, ":now": now}
        is_earlier = "updated = :updated AND expires > :now AND expires < :expires"
        with suppress(Refused):
            self.items.update(self._pk, sk, "SET expires = :expires, #ttl = :ttl", values, condition=is_earlier)

    def _replace(self, sk: str, packed: bytes, ends: Item) -> None:
        """Put the signed value, or a tombstone, over the state read now. A refusal means that a later write won, so it
        is never retried."""
        seen, now = self.items.get(self._pk, sk) or Item(), self._now()
        replaces = seen.get("updated", 0)
        created = seen["created"] if seen and self._is_live(seen) else now
        item: Item = {"PK": self._pk, "SK": sk, "v": MEMORY_LAYOUT, "began": self.began or now, "created": created}
        item |= {"updated": max(now, replaces + 1), "data": packed, **ends}
        is_same = "attribute_not_exists(PK) OR updated = :seen"
        with suppress(Refused):
            self.items.put(item, condition=is_same, values={":seen": replaces})

    def _stored(self, namespace: tuple[str, ...], page: int | None = None, is_bounded: bool = True) -> Iterator[Item]:
        size = 0
        for item in self.items.below(self._pk, keys.memory_prefix(namespace), page=page):
            size += 200 + len(item["data"])  # about what an item has beside its value
            if is_bounded and size > MOST_READ_BYTES:
                raise InvalidRequest(_TOO_MUCH)
            yield item

    def _opened(self, item: Item) -> Memory | None:
        """Return None for an expired one. Raise StateCorrupt."""
        if not self._is_live(item):
            return None
        if item.get("v") != MEMORY_LAYOUT:
            raise StateCorrupt(_UNREADABLE)
        try:
            content, size = self.codec.unpack_sized(item["data"], self._pk, item["SK"])
        except StateCorrupt as error:
            raise StateCorrupt(_UNREADABLE) from error
        facts: Item = {name: item.get(name) for name in ("created", "updated", "expires", "life")}
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
