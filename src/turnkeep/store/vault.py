"""Values of a thread's placeholders: apart from its turns, encrypted, not visible to table readers and models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from turnkeep.errors import StateCorrupt
from turnkeep.observability import logger, measure
from turnkeep.placeholders import PLACEHOLDER, restored
from turnkeep.records import Source, Turn
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, is_of_life
from turnkeep.store.heads import Heads
from turnkeep.store.items import batched
from turnkeep.store.keys import PII, item_ttl, new_item, pii_key
from turnkeep.texts import Change, reworded_in

TAG_BYTES = 4
ITEM_VALUES = 1_000
_ENCRYPTED = b"\x03"  # first byte of a message encrypted with its map; merely signed ones have another

T = TypeVar("T")
_TEXTS = {
    Turn: ("message", "reply", "standalone_query", "sources", "warnings", "details"),
    Source: ("id", "title", "url"),
}


class Vault:
    def __init__(self, heads: Heads):
        self._items = heads.items
        self._codec = heads.codec

    def tag(self, pk: str, kind: str, value: str) -> str:
        """Return the digits of a placeholder: deterministic in this thread, and unguessable."""
        return self._codec.digests(TAG_BYTES, "pii", pk, kind, value)[0].hex()

    def items_of(self, head: Head, source: str, values: Mapping[str, str]) -> Iterator[Item]:
        """Return the items to write for new placeholders. `source` names their turn or document."""
        for part, some in enumerate(batched(values.items(), ITEM_VALUES)):
            sk = pii_key(source, part)
            data = self._codec.encrypt(dict(some), head.pk, sk)
            yield new_item(head.pk, sk, item_ttl(head.created), born=head.incarnation, data=data)

    def values(self, head: Head) -> dict[str, str]:
        """Return the value of every placeholder of the thread, with one Query. Raises StoreUnavailable."""
        found, lost = dict[str, str](), 0
        for item in self._items.below(head.pk, PII):
            try:
                found |= self._codec.decrypt(item["data"], head.pk, item["SK"]) if is_of_life(item, head) else {}
            except StateCorrupt:
                lost += 1
        if lost:  # its placeholders stay in what is read
            logger.error("stored map of placeholders unreadable", maps=lost)
            measure({"PlaceholdersLost": lost})
        return found

    def close(self, message: str, values: Mapping[str, str] | None, pk: str, *place: str) -> bytes:
        """Encrypt a message with its placeholder values; without values (not redacted) it is only signed."""
        if values is None:
            return self._codec.pack(message, pk, *place)
        return _ENCRYPTED + self._codec.encrypt({"text": message, "pii": dict(values)}, pk, *place)

    def open(self, stored: bytes, pk: str, *place: str) -> str:
        """Return the message as its owner wrote it. Raises StateCorrupt."""
        if stored[:1] != _ENCRYPTED:
            return str(self._codec.unpack(stored, pk, *place))
        content = self._codec.decrypt(stored[1:], pk, *place)
        return restored(content["text"], content["pii"])

    def restore(self, head: Head, turns: Sequence[Turn]) -> list[Turn]:
        """Return the turns as their owner reads them. The values are read only if a turn has a placeholder."""
        if not any(turn.private and has_placeholder(turn) for turn in turns):
            return list(turns)
        values = self.values(head)
        return [reworded(turn, lambda text: restored(text, values)) if turn.private else turn for turn in turns]


def has_placeholder(value: Any) -> bool:
    """Return whether a text in a turn or in a value of plain types has a placeholder; its repr contains all texts."""
    return PLACEHOLDER.search(repr(value)) is not None


def reworded(value: T, change: Change) -> T:
    """Return a turn or a source with each of its texts changed, anything else unchanged."""
    if not isinstance(value, Turn | Source):
        return value
    return replace(value, **{name: reworded_in(getattr(value, name), change, reworded) for name in _TEXTS[type(value)]})
