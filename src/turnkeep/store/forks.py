"""Copies a thread up to one of its turns. Items are written under unreachable keys, then one conditional update of HEAD
commits all of them or none. Documents are not copied; of the checkpoints only the newest is, or all."""

from collections.abc import Callable
from dataclasses import dataclass

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, is_of_life
from turnkeep.store.heads import Heads
from turnkeep.store.items import batched
from turnkeep.store.links import DETAILS_ITEM_BYTES, Chain, signed_context
from turnkeep.store.plans import Begun
from turnkeep.store.vault import Vault


@dataclass
class Fork:
    """Copies `source` into the thread that `begun` has leased. `interrupted`: the newest copied turn is a question."""

    heads: Heads
    vault: Vault
    source: Head
    begun: Begun
    interrupted: bool = False

    def __post_init__(self) -> None:
        self._chain, self._ttl = Chain(self.heads), keys.item_ttl(self.begun.head.created)
        self._new, self._names = dict[str, str](), dict[str, str]()

    def copy(self, number: int, renew: Callable[[], object], *, whole: bool = False) -> tuple[Item, ...]:
        """Write turns 1 to `number` except the newest link. Return that link, then the items that its commit writes.
        With `whole` copy all checkpoints. Raises NotFound, StateCorrupt, Superseded, StoreUnavailable."""
        source = self.source
        last = source.last if number == source.n else self._chain.newest(source, 1, number + 1)[-1]["SK"]
        links = self._chain.walk(source.pk, last, 0, {})
        puts, last = [], ""
        for position, item in enumerate(links, start=1):
            puts.append(self._link(item, position, last))
            last = self._new[item["SK"]] = puts[-1][0]["SK"]
        newest = puts.pop()
        checkpoint, *more = self._checkpoints(links[-1], whole=whole)
        puts += [[item] for item in more]
        for some in batched(puts, 500):  # links and checkpoints
            self.heads.items.write_many(puts=[item for items in some for item in items])
            renew()
        placeholders = self.vault.items_of(self.begun.head, last, self.vault.values(source))
        return (*newest, checkpoint, *placeholders)

    def _link(self, old: Item, position: int, prev: str) -> list[Item]:
        pk, sk = self.begun.head.pk, keys.turn_key(self.begun.head.gen, old["n"], position, self.begun.owner)
        kept: Item = {name: old[name] for name in ("n", "k", "b", "edit", "aside") if name in old}
        kept["cp"] = self._names.setdefault(old["cp"], f"{keys.id_in(old['cp'])}#{keys.writer_of(sk)}-copy")
        kept |= {"of": self._new[old["of"]]} if "of" in old else {}
        new = keys.new_item(pk, sk, self._ttl, **kept, **({"prev": prev} if prev else {}))
        link = self._chain.open(old)
        self.interrupted = link.payload.get("turn", {}).get("status") == "interrupted"
        items = [new | self.heads.packed(link.payload, pk, sk, *signed_context(new))]
        if "aside" in old:
            details, aside = self._chain.details(link), keys.details_key(sk)
            value = self.heads.packed(details, pk, aside, inline_bytes=DETAILS_ITEM_BYTES)
            items.append(keys.new_item(pk, aside, self._ttl, **value))
        return items

    def _checkpoints(self, tip: Item, *, whole: bool) -> list[Item]:
        """Return the newest checkpoint, then what a saver wrote next to it, with `whole` also all older ones."""
        sk = keys.checkpoint_key(tip["cp"])
        ends = (keys.CHECKPOINTS, keys.HEAD) if whole else (sk, f"{sk}#~")
        found = self.heads.items.between_by_key(self.source.pk, *ends)
        if sk not in found:
            raise NotFound("The state after this turn is no longer stored; fork at a newer turn.")
        if found[sk]["link"] != tip.get("of", tip["SK"]):
            raise StateCorrupt
        kept = {name for name, each in found.items() if each.get("link") in self._new}
        copies = [self._copied(each) for name, each in found.items() if name != sk and keys.checkpoint_of(name) in kept]
        if copies or "spaces" in self.heads.unpacked(found[sk], *_signed_link(found[sk])):
            spaces = self.heads.items.below(self.source.pk, keys.SPACES)
            copies += [self._copied(each) for each in spaces if is_of_life(each, self.source)]
        return [self._copied(found[sk]), *copies]

    def _copied(self, old: Item) -> Item:
        new: Item = {name: old[name] for name in ("ns", "name", "root") if name in old}
        new |= {"link": self._new[old["link"]]} if "link" in old else {}
        new |= {"born": self.begun.head.incarnation} if "born" in old else {}
        new = keys.new_item(self.begun.head.pk, self._key(old["SK"]), self._ttl, **new)
        value = self.heads.unpacked(old, *_signed_link(old))
        return new | self.heads.packed(value, new["PK"], new["SK"], *_signed_link(new))

    def _key(self, old: str) -> str:
        """Return the key of a checkpoint, or of a write after one, in the copy, which it names as its writer."""
        place = keys.checkpoint_of(old)
        if name := self._names.get(place.removeprefix(keys.CHECKPOINTS)):
            new = keys.checkpoint_key(name)
        else:
            new = keys.checkpoint_name(keys.without_writer(place), self.begun.owner.hex())
        return new + old.removeprefix(place)


def _signed_link(item: Item) -> list[str]:
    return [item["link"]] if "link" in item else []
