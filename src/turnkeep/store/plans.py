"""Plans: everything that COMMIT will write, prepared before any write, so that a plan can be applied again."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from turnkeep.errors import AgentFault
from turnkeep.placeholders import shown
from turnkeep.records import JSON, Turn
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.codec import Codec
from turnkeep.store.head import KEPT_KEYS, KEPT_LEFT_KEYS, TITLE_CHARACTERS, Head, run_id_of, signed_parts
from turnkeep.store.heads import Heads
from turnkeep.store.links import DETAILS_ITEM_BYTES, Link, Segment, payload_of, signed_context
from turnkeep.store.task_writes import Space, TaskWrite
from turnkeep.store.vault import Vault

DETAILS_INLINE_BYTES, DETAILS_INLINE_CHARACTERS = 1024, 4096
PACK_LINKS, PACK_BYTES = 32, 256 * 1024  # larger links gain nothing: packing would write them twice
TOO_LARGE = bytes(PACK_BYTES + 1)


@dataclass(frozen=True)
class Begun:
    """A run's lease. `body` distinguishes requests; `created`: BEGIN created it; `pii`: values of placeholders."""

    head: Head
    key: bytes
    body: bytes
    owner: bytes
    message: str
    created: bool
    pii: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Loaded:
    """The start of a run. The turn follows `number` and `last`: the newest turn, or an older one (`is_branch`).
    `writes` and `spaces`: a saver's task writes after the checkpoint, and the newest checkpoints of sub-graphs.
    `is_whole`: the run has no window; `links` may begin with packs."""

    number: int = 0
    last: str | None = None
    checkpoint: JSON | None = None
    links: tuple[Link, ...] = ()
    is_branch: bool = False
    writes: tuple[TaskWrite, ...] = ()
    spaces: tuple[Space, ...] = ()
    is_whole: bool = False

    @property
    def tail(self) -> tuple[Link, ...]:
        """The links after the newest pack."""
        return self.links[max((at for at, link in enumerate(self.links, 1) if "tip" in link.item), default=0) :]

    @property
    def is_interrupted(self) -> bool:
        return bool(self.links) and self.links[-1].payload.get("turn", {}).get("status") == "interrupted"


@dataclass(frozen=True)
class Saved:
    """The result of a run: its newest checkpoint (plain msgpack types), changes to list channels, new placeholder
    values. `of`: the link stored with this checkpoint before. `name`: the checkpoint's, unless the link gives it."""

    checkpoint_id: str
    checkpoint: JSON
    segments: tuple[Segment, ...]
    pii: Mapping[str, str] = field(default_factory=dict)
    interrupted: bool = False
    of: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Plan:
    """A COMMIT to write, once or again: invisible items, then the values for HEAD. `born` is the incarnation id."""

    pk: str
    sk: str
    key: bytes
    incarnation: bytes
    puts: tuple[Item, ...]
    changes: Item


class Planner:
    def __init__(self, heads: Heads, vault: Vault, pack_links: int):
        self._heads = heads
        self._vault = vault
        self.pack_links = pack_links

    def plan(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> tuple[Plan, Turn | None]:
        """Return the plan and the numbered turn. Writes objects that are too large for an item."""
        head = begun.head
        number = loaded.number + (1 if turn else 0)
        # a branch uses its seq as generation, so that it shares none with a dead writer: see Chain.newest
        gen = head.seq if loaded.is_branch else head.gen
        run_id = run_id_of(head.pk, begun.key)
        numbered = replace(turn, number=number, thread_id=head.thread_id, run_id=run_id) if turn else None
        sk = keys.turn_key(gen, number, head.seq, begun.owner)
        link = keys.new_item(head.pk, sk, keys.item_ttl(head.created), n=number, k=begun.key)
        link["cp"] = saved.name or keys.checkpoint_name(saved.checkpoint_id, keys.writer_of(sk))
        link["b"] = body_digest(self._heads.codec, head.pk, begun.body)
        link |= {"prev": loaded.last} if loaded.last else {}
        if loaded.is_branch and head.last:
            link["was"] = head.last  # what is left is still found, from where it was left
        link |= {"of": saved.of} if saved.of else {}
        puts = tuple(self._link_items(link, saved, numbered))
        if not saved.of:
            at = keys.checkpoint_key(link["cp"])
            value = self._heads.packed(saved.checkpoint, head.pk, at, sk)
            puts += (keys.new_item(head.pk, at, link["ttl"], link=sk, **value),)
        puts += tuple(self._vault.items_of(head, sk, saved.pii))
        packs, tail = self._packed(head, loaded.tail if loaded.is_whole else ())
        changed = {"n": number, "gen": gen, "last": sk, "cp": link["cp"], **tail}
        return self._plan(begun, puts + packs, changed | self._rest_of_head(begun, loaded, saved, turn)), numbered

    def fork(self, begun: Begun, puts: tuple[Item, ...], more: Item) -> Plan:
        """Return the plan that makes a copy the thread of `begun`. `puts` begin with the copy's newest link; `more` has
        attributes of the other HEAD."""
        tip = puts[0]
        changed = {"n": tip["n"], "gen": begun.head.gen, "last": tip["SK"], "cp": tip["cp"], "keys": []}
        return self._plan(begun, puts, changed | {name: value for name, value in more.items() if value is not None})

    def _plan(self, begun: Begun, puts: tuple[Item, ...], changed: Item) -> Plan:
        """Return the plan that applies `changed` to HEAD, which then leads to `puts`."""
        head, now = begun.head, self._heads.now()
        changed["expires"] = keys.expiry(now, head.created, self._heads.thread_hours, head.life)
        signed = {**changed, "created": head.created, "born": head.incarnation, "life": head.life}
        changed |= {"sig": self._heads.codec.sign(*signed_parts(head.pk, signed)), "la": now, "v": keys.LAYOUT}
        values = {f":{name}": value for name, value in changed.items()} | {":seq": head.seq, ":owner": begun.owner}
        return Plan(head.pk, changed["last"], begun.key, head.incarnation, puts, values)

    def _rest_of_head(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> Item:
        head = begun.head
        kept, left = head.keys[head.n - loaded.number :], [*head.keys[: head.n - loaded.number], *head.left]
        agent = head.agent or (turn.agent if turn else None)
        title = head.title or (_title(begun.message) if turn else None)
        return {
            "keys": list(([begun.key, *kept] if turn else kept)[:KEPT_KEYS]),
            "st": "interrupted" if saved.interrupted else "complete",
            **({"left": left[:KEPT_LEFT_KEYS]} if left else {}),
            **({"agent": agent} if agent else {}),
            **({"title": title} if title else {}),
        }

    def _link_items(self, link: Item, saved: Saved, turn: Turn | None) -> list[Item]:
        payload, pk = payload_of(turn, saved.segments), link["PK"]
        if turn is None:
            return [{**link, "edit": True, **self._link_value(link, payload)}]
        sk = keys.details_key(link["SK"])
        packed = self._heads.codec.pack(turn.details, pk, sk)
        if len(packed) <= DETAILS_INLINE_BYTES and len(str(turn.details)) <= DETAILS_INLINE_CHARACTERS:
            return [{**link, **self._link_value(link, {**payload, "details": turn.details})}]
        value = self._heads.blobs.attributes(pk, sk, packed, inline_bytes=DETAILS_ITEM_BYTES)
        aside = keys.new_item(pk, sk, link["ttl"], **value)
        return [{**link, "aside": True, **self._link_value(link, payload)}, aside]

    def _link_value(self, link: Item, payload: JSON) -> Item:
        return self._heads.packed(payload, link["PK"], link["SK"], *signed_context(link))

    def _packed(self, head: Head, tail: tuple[Link, ...]) -> tuple[tuple[Item, ...], Item]:
        """Return a pack of the oldest links that are small enough together, and HEAD's bound of the links after it. A
        pack repeats committed links, so it is true whoever wrote it. The newest stays: readers begin with it."""
        packs: tuple[Item, ...] = ()
        for start in range(len(tail) - self.pack_links):
            some, rest = tail[start : start + self.pack_links], tail[start + self.pack_links :]
            if sum(len(each.item.get("data", TOO_LARGE)) for each in some) <= PACK_BYTES:
                with suppress(AgentFault):  # expanded they are larger than any value that is read
                    packs, tail = (self._pack(some, keys.item_ttl(head.created)),), rest
                    break
        if not tail or not (packs or head.tail):
            return (), {}
        first = tail[0].item["SK"]
        return packs, {"tail": keys.turn_ceiling(keys.generation_of(first), keys.number_of(first))}

    def _pack(self, links: Sequence[Link], ttl: int) -> Item:
        pk, tip = links[-1].item["PK"], links[-1].item["SK"]
        before = {"prev": links[0].item["prev"]} if "prev" in links[0].item else {}
        item = keys.new_item(pk, keys.pack_key(tip), ttl, tip=tip, **before)
        segments = [part for link in links for part in link.payload["segments"]]
        return item | self._heads.packed({"segments": segments}, pk, item["SK"], *signed_context(item))


def body_digest(codec: Codec, pk: str, body: bytes) -> bytes:
    """Return the stored digest of a request, by which a repetition is recognised."""
    return codec.digests(16, "body", pk, body)[0]


def is_body(codec: Codec, pk: str, body: bytes, digest: bytes) -> bool:
    return codec.is_digest(digest, "body", pk, body)


def _title(message: str) -> str:
    line = " ".join(shown(message).split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[: TITLE_CHARACTERS - 1]}…"
