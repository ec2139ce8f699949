"""What DynamoDB charges, by AWS's published rules, from the sizes of items. Items are in the wire's JSON.

One thing is not published: whether a transaction doubles its index writes too. Here it does not, which favours whoever
uses transactions.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

WireItem: TypeAlias = Mapping[str, Mapping[str, Any]]

WRITE_UNIT = 1024
READ_UNIT = 4096
TRANSACTION = 2


@dataclass(frozen=True)
class Index:
    """A global secondary index: its own keys, and what its entries hold (None: every attribute)."""

    keys: tuple[str, ...]
    projected: frozenset[str] | None

    def entry(self, item: WireItem | None) -> WireItem | None:
        """The item as it stands in this index; None where it lacks a key of the index."""
        if item is None or any(key not in item for key in self.keys):
            return None
        if self.projected is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected}


@dataclass(frozen=True)
class Schema:
    """The keys and indexes of one table."""

    keys: tuple[str, ...]
    indexes: tuple[Index, ...] = ()


def read_schema(description: Mapping[str, Any]) -> Schema:
    """From DescribeTable's answer."""
    keys = _key_names(description)
    indexes = []
    for index in description.get("GlobalSecondaryIndexes", []):
        own, projection = _key_names(index), index["Projection"]
        some = frozenset({*keys, *own, *projection.get("NonKeyAttributes", [])})
        indexes.append(Index(own, None if projection["ProjectionType"] == "ALL" else some))
    return Schema(keys, tuple(indexes))


def _key_names(description: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(part["AttributeName"] for part in description["KeySchema"])


def item_bytes(item: WireItem | None) -> int:
    """UTF-8 bytes of the attribute names and the size of their values; 0 for no item."""
    return sum(len(name.encode()) + value_bytes(value) for name, value in (item or {}).items())


def value_bytes(value: Mapping[str, Any]) -> int:
    ((tag, content),) = value.items()
    match tag:
        case "M":
            return 3 + sum(1 + len(name.encode()) + value_bytes(each) for name, each in content.items())
        case "L":
            return 3 + sum(1 + value_bytes(each) for each in content)
        case "SS" | "NS" | "BS":
            return sum(_SCALAR_BYTES[tag[0]](each) for each in content)
    return _SCALAR_BYTES[tag](content)


def _number_bytes(number: str) -> int:
    """One byte for each two significant digits, and one."""
    digits = number.lower().partition("e")[0].lstrip("-").replace(".", "").strip("0")
    return -(-len(digits) // 2) + 1 + (1 if number.startswith("-") else 0)


_SCALAR_BYTES: Mapping[str, Callable[[Any], int]] = {
    "S": lambda text: len(text.encode()),
    "N": _number_bytes,
    "B": lambda encoded: len(base64.b64decode(encoded)),
    "BOOL": lambda _: 1,
    "NULL": lambda _: 1,
}


def write_units(before: WireItem | None, after: WireItem | None) -> int:
    """A write costs the larger of what stood there and what stands there now; one that finds nothing costs 1."""
    return max(1, _units(max(item_bytes(before), item_bytes(after)), WRITE_UNIT))


def index_units(index: Index, before: WireItem | None, after: WireItem | None) -> int:
    """An entry put or deleted is a write, one whose key changes is two, one that stays as it was is none."""
    old, new = index.entry(before), index.entry(after)
    if old == new:
        return 0
    if old is None or new is None:
        return write_units(old, new)
    if any(old[key] != new[key] for key in index.keys):
        return write_units(old, None) + write_units(None, new)
    return write_units(old, new)


def item_units(schema: Schema, before: WireItem | None, after: WireItem | None, *, factor: int = 1) -> int:
    """One item written, with all of its index entries."""
    return factor * write_units(before, after) + sum(index_units(index, before, after) for index in schema.indexes)


def read_units(size: int, *, consistent: bool, factor: int = 1) -> float:
    """Of one item, or of all that one Query went through; nothing found costs as much as the smallest item."""
    return max(1, _units(size, READ_UNIT)) * factor * (1 if consistent else 0.5)


def query_units(items: Iterable[WireItem], *, consistent: bool) -> float:
    """A Query or Scan adds up what it went through, filtered or not, and rounds once."""
    return read_units(sum(map(item_bytes, items)), consistent=consistent)


def _units(size: int, unit: int) -> int:
    return -(-size // unit)


@dataclass(frozen=True)
class Cost:
    """What one turn, or one call, cost."""

    requests: int
    wcu: float
    rcu: float


@dataclass(frozen=True)
class Budget:
    """What a turn may cost at most."""

    requests: int
    wcu: float
    rcu: float

    def misses(self, name: str, cost: Cost) -> Sequence[str]:
        """A sentence for each limit that `cost` is over."""
        limits = (("requests", self.requests, cost.requests), ("WCU", self.wcu, cost.wcu), ("RCU", self.rcu, cost.rcu))
        return [f"{name}: {spent:g} {unit}, allowed {most:g}" for unit, most, spent in limits if spent > most]


PROSE = Budget(requests=4, wcu=16, rcu=8)
WHATEVER = Budget(requests=4, wcu=20, rcu=12)
WINDOWLESS = Budget(requests=4, wcu=46, rcu=100)
"""Of a graph that keeps the keys of a turn in its state and reads its whole history, up to 1,000 turns. Every 32nd turn
writes a pack."""
LISTING = Budget(requests=5, wcu=16, rcu=9)
"""Of an agent that asks which documents there are, with real text: a request more for that."""
READING = Budget(requests=6, wcu=16, rcu=13)
"""The same with one document of 40,000 characters, which is read whole in every turn that searches."""
