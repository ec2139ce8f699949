"""What the placeholders of a thread stand for: kept apart from the turns and encrypted to their thread, so that neither
who reads the table nor a model ever sees it. It goes with the thread."""

from collections.abc import Callable, Mapping

from turnkeep.storage.items import Item, Items
from turnkeep.storage.keys import LAYOUT, PII_CEILING, PII_FLOOR, pii_key
from turnkeep.storage.sealing import Sealer

NONCE_BYTES = 12
TAG_BYTES = 4


class Vault:
    """`mint` gives n random bytes."""

    def __init__(self, items: Items, sealer: Sealer, *, mint: Callable[[int], bytes]):
        self._items = items
        self._sealer = sealer
        self._mint = mint

    def tag(self, pk: str, kind: str, value: str) -> str:
        """What makes a placeholder of this thread; the same for the same datum, and to be guessed by nobody."""
        return self._sealer.digests(TAG_BYTES, "pii", pk, kind, value)[0].hex()

    def item(self, pk: str, source: str, values: Mapping[str, str], *, ttl: int) -> Item:
        """What is to be written where placeholders were made; `source` names the turn or document they stand in."""
        sk = pii_key(source)
        return {
            "PK": pk,
            "SK": sk,
            "v": LAYOUT,
            "ttl": ttl,
            "data": self._sealer.encrypt(dict(values), self._mint(NONCE_BYTES), pk, sk),
        }

    def values(self, pk: str) -> dict[str, str]:
        """What every placeholder of the thread stands for: one Query."""
        found: dict[str, str] = {}
        for item in self._items.between(pk, PII_FLOOR, PII_CEILING):
            found |= self._sealer.decrypt(item["data"], pk, item["SK"])
        return found
