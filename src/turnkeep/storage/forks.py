"""A thread as a copy of another one up to one of its turns. The new thread is taken as for a turn, all is written where
nobody reaches it, and one conditional update of HEAD makes it the thread: a fork is there whole or not at all.

Documents stay with the thread that they were uploaded to, and of the checkpoints only the newest goes along."""

from collections.abc import Callable

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.storage.batches import batched
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.head import Head
from turnkeep.storage.items import Item, Items
from turnkeep.storage.keys import LAYOUT, checkpoint_key, details_key, item_ttl, turn_key
from turnkeep.storage.links import DETAILS_ITEM_BYTES, Chain, Link, seal_context
from turnkeep.storage.plans import Begun
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.vault import Vault

LINKS_AT_ONCE = 500


class Fork:
    """Copies what `source` holds into the thread that is held by `begun`. `interrupted`: the newest turn that was
    copied asked back."""

    interrupted = False

    def __init__(self, items: Items, blobs: Blobs, sealer: Sealer, vault: Vault, *, source: Head, begun: Begun):
        self._items = items
        self._blobs = blobs
        self._sealer = sealer
        self._vault = vault
        self._chain = Chain(items, blobs, sealer)
        self._source = source
        self._begun = begun
        self._ttl = item_ttl(begun.head.created)

    def copy(self, number: int, renew: Callable[[], None]) -> tuple[Item, tuple[Item, ...]]:
        """Writes turns 1 to `number` but for the newest link, which it gives, and what is to be written beside it.
        Raises NotFound, StateCorrupt, Superseded, StoreUnavailable."""
        source, is_whole = self._source, number == self._source.n
        links = (
            self._chain.walk(source.pk, source.last, 0, {})
            if is_whole
            else self._chain.newest(source, number, number + 1)
        )
        puts, last = [], ""
        for position, item in enumerate(links, start=1):
            puts.append(self._link(item, position, last))
            last = puts[-1][0]["SK"]
        tip, *rest = puts.pop()
        for some in batched(puts, LINKS_AT_ONCE):
            self._items.write_many(puts=[item for items in some for item in items])
            renew()
        return tip, (*rest, self._checkpoint(links[-1], last), *self._placeholders(last))

    def _link(self, old: Item, position: int, prev: str) -> list[Item]:
        """The link in its new place, and its details."""
        pk, sk = self._begun.head.pk, turn_key(self._begun.head.gen, old["n"], position, self._begun.owner)
        kept: Item = {name: old[name] for name in ("n", "cp", "k", "b", "edit", "aside") if name in old}
        new: Item = {"PK": pk, "SK": sk, **kept, "v": LAYOUT, "ttl": self._ttl, **({"prev": prev} if prev else {})}
        link = self._chain.open(old)
        self.interrupted = link.payload.get("turn", {}).get("status") == "interrupted"
        sealed = self._sealer.seal(link.payload, *seal_context(new))
        return [{**new, **self._blobs.attributes(pk, sk, sealed)}, *self._details(link, sk)]

    def _details(self, link: Link, turn_sk: str) -> list[Item]:
        if "aside" not in link.item:
            return []
        pk, sk = self._begun.head.pk, details_key(turn_sk)
        sealed = self._sealer.seal(self._chain.details(link), pk, sk)
        value = self._blobs.attributes(pk, sk, sealed, inline_bytes=DETAILS_ITEM_BYTES)
        return [{"PK": pk, "SK": sk, "v": LAYOUT, "ttl": self._ttl, **value}]

    def _checkpoint(self, old: Item, link_sk: str) -> Item:
        pk, sk = self._begun.head.pk, checkpoint_key(old["cp"])
        item = self._items.get(self._source.pk, sk)
        if item is None:
            raise NotFound("What stood after this turn is no longer kept; fork at a newer one.")
        if item["link"] != old["SK"]:
            raise StateCorrupt
        content = self._sealer.open(self._blobs.value(item), self._source.pk, sk, item["link"])
        value = self._blobs.attributes(pk, sk, self._sealer.seal(content, pk, sk, link_sk))
        return {"PK": pk, "SK": sk, "v": LAYOUT, "link": link_sk, "ttl": self._ttl, **value}

    def _placeholders(self, link_sk: str) -> list[Item]:
        values = self._vault.values(self._source.pk)
        return list(self._vault.items_of(self._begun.head.pk, link_sk, values, ttl=self._ttl))
