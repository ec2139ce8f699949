"""A thread as a copy of another one up to one of its turns. The new thread is taken as for a turn, all is written where
nobody reaches it, and one conditional update of HEAD makes it the thread: a fork is there whole or not at all.

Documents stay with the thread that they were uploaded to; of the checkpoints only the newest goes along, or all."""

from collections.abc import Callable

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.records import JSON
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.head import Head
from turnkeep.storage.items import Items, batched
from turnkeep.storage.keys import (
    CHECKPOINTS,
    HEAD,
    LAYOUT,
    SPACES,
    checkpoint_key,
    details_key,
    is_write,
    item_ttl,
    turn_key,
)
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
        self._new: dict[str, str] = {}

    def copy(self, number: int, renew: Callable[[], None], *, whole: bool = False) -> tuple[Item, tuple[Item, ...]]:
        """Writes turns 1 to `number` but for the newest link, which it gives, and what is to be written beside it; with
        `whole` all checkpoints of these turns. Raises NotFound, StateCorrupt, Superseded, StoreUnavailable."""
        source, is_whole = self._source, number == self._source.n
        links = (
            self._chain.walk(source.pk, source.last, 0, {})
            if is_whole
            else self._chain.newest(source, number, number + 1)
        )
        puts, last = [], ""
        for position, item in enumerate(links, start=1):
            puts.append(self._link(item, position, last))
            last = self._new[item["SK"]] = puts[-1][0]["SK"]
        tip, *rest = puts.pop()
        tip_checkpoint, *beside = self._checkpoints(links[-1])
        puts += [[item] for item in (beside + self._older(links[-1]) if whole else beside)]
        for some in batched(puts, LINKS_AT_ONCE):
            self._items.write_many(puts=[item for items in some for item in items])
            renew()
        return tip, (*rest, tip_checkpoint, *self._placeholders(last))

    def _link(self, old: Item, position: int, prev: str) -> list[Item]:
        """The link in its new place, and its details."""
        pk, sk = self._begun.head.pk, turn_key(self._begun.head.gen, old["n"], position, self._begun.owner)
        kept: Item = {name: old[name] for name in ("n", "cp", "k", "b", "edit", "aside") if name in old}
        kept |= {"of": self._new[old["of"]]} if "of" in old else {}
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

    def _checkpoints(self, tip: Item) -> list[Item]:
        """The newest checkpoint, then what a saver wrote beside it."""
        sk = checkpoint_key(tip["cp"])
        found = {each["SK"]: each for each in self._items.between(self._source.pk, sk, f"{sk}#~")}
        if sk not in found:
            raise NotFound("What stood after this turn is no longer kept; fork at a newer one.")
        if found[sk]["link"] != tip.get("of", tip["SK"]):
            raise StateCorrupt
        beside = [self._same(each) for each in found.values() if is_write(each["SK"])]
        content = self._opened(found[sk])
        if beside or "spaces" in content:
            beside += [self._same(each) for each in self._items.below(self._source.pk, SPACES)]
        return [self._checkpoint(found[sk], content), *beside]

    def _older(self, tip: Item) -> list[Item]:
        """The other checkpoints of the turns that were copied."""
        found = self._items.between(self._source.pk, CHECKPOINTS, HEAD)
        kept = [each for each in found if each.get("link") in self._new and each["SK"] != checkpoint_key(tip["cp"])]
        names = {each["SK"] for each in kept}
        writes = [each for each in found if is_write(each["SK"]) and each["SK"].partition("#W#")[0] in names]
        return [self._checkpoint(each, self._opened(each)) for each in kept] + [self._same(each) for each in writes]

    def _opened(self, item: Item) -> JSON:
        opened: JSON = self._sealer.open(self._blobs.value(item), item["PK"], item["SK"], item["link"])
        return opened

    def _checkpoint(self, old: Item, content: JSON) -> Item:
        pk, sk, link_sk = self._begun.head.pk, old["SK"], self._new[old["link"]]
        value = self._blobs.attributes(pk, sk, self._sealer.seal(content, pk, sk, link_sk))
        return {"PK": pk, "SK": sk, "v": LAYOUT, "link": link_sk, "ttl": self._ttl, **value}

    def _same(self, old: Item) -> Item:
        """A write, or a sub-graph's checkpoint: sealed to its place alone."""
        pk, sk = self._begun.head.pk, old["SK"]
        opened = self._sealer.open(self._blobs.value(old), old["PK"], sk)
        value = self._blobs.attributes(pk, sk, self._sealer.seal(opened, pk, sk))
        kept: Item = {name: old[name] for name in ("ns", "name", "root") if name in old}
        return {"PK": pk, "SK": sk, "v": LAYOUT, "ttl": self._ttl, **kept, **value}

    def _placeholders(self, link_sk: str) -> list[Item]:
        values = self._vault.values(self._source.pk)
        return list(self._vault.items_of(self._begun.head.pk, link_sk, values, ttl=self._ttl))
