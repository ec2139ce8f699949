"""The turns of threads: LOAD, COMMIT, and reading.

LOAD: one Query reads the newest checkpoint and the window of turns, which are neighbours. A process that stored the
last turn can read before HEAD arrives. Written items never change, so an early or eventually consistent read is right;
what it lacks is read consistently, as is a checkpoint that may have a saver's task writes, which nothing names.

COMMIT writes link and checkpoint under unreachable keys, then one conditional update of HEAD (own seq, own lease) makes
them the thread. It recognises its link if only the answer was lost. If its outcome is unknown, the lease changes its
owner, so a write still on its way comes too late."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from types import MappingProxyType
from typing import TypeAlias

from turnkeep import errors
from turnkeep.records import JSON, Principal, Turn
from turnkeep.store import keys
from turnkeep.store.attributes import Item
from turnkeep.store.head import Head, is_erased, is_of_life, key_digest, read_head, run_id_of
from turnkeep.store.heads import Heads
from turnkeep.store.items import Refused
from turnkeep.store.keys import HEAD, checkpoint_key
from turnkeep.store.leases import MINE, OWNER_BYTES
from turnkeep.store.links import Chain, Link, turn_of
from turnkeep.store.plans import PACK_LINKS, Loaded, Plan, Planner
from turnkeep.store.task_writes import Space, TaskWrites
from turnkeep.store.vault import Vault

NO_CHECKPOINT = "00000000-0000-6000-8000-000000000000"  # before the first turn, where LangGraph has a checkpoint

Found: TypeAlias = Mapping[str, Item]  # by sort key
MISSING: Found = MappingProxyType({})


class TurnLog:
    def __init__(self, heads: Heads, chain: Chain, vault: Vault, *, pack_links: int = PACK_LINKS):
        self._heads = heads
        self._items = heads.items
        self.chain = chain
        self._vault = vault
        self.task_writes = TaskWrites(heads)
        self.planner = Planner(heads, vault, pack_links)
        self._known: dict[int, tuple[Head, int | None]] = {}  # HEAD and window of threads that this process has read
        self._lock = Lock()

    def run_id(self, principal: Principal, thread_id: str, key: str) -> str:
        """Return the id of the run that this key makes, or made, on this thread. Raises InvalidId."""
        pk = keys.partition(principal, thread_id)
        return run_id_of(pk, key_digest(pk, key))

    def look_ahead(self, principal: Principal, thread_id: str) -> Found:
        """Return what LOAD would read, if this process knows the thread. Runs next to BEGIN, which reports errors."""
        with suppress(errors.InvalidId, errors.StoreUnavailable):
            pk = keys.partition(principal, thread_id)
            head, window = self._known.get(hash(pk), (None, None))
            if head and head.checkpoint_name:
                return self._window(replace(head, pk=pk), window, consistent=_may_have_writes(head))
        return MISSING

    def load(
        self,
        head: Head,
        window: int | None,
        base: str | int | None = None,
        *,
        ahead: Found = MISSING,
        gone: type[errors.TurnkeepError] = errors.Superseded,
    ) -> Loaded:
        """Return the newest `window` turns (None: all) and their checkpoint; reads only those missing in `ahead`.
        `base`, a checkpoint id or turn number, returns the state then; 0 is before the first turn. Raises NotFound if
        it is unknown, StateCorrupt, Superseded if the thread moved since `head` was read, `gone` if it was deleted."""
        if base in (0, NO_CHECKPOINT):
            return Loaded(is_branch=head.last is not None)
        with self._heads.reading(head, gone):
            if isinstance(base, int) and base != head.n:
                base = self.chain.turn(head, base).item["cp"]
            if isinstance(base, str) and base not in (head.checkpoint, head.checkpoint_name):
                packs = self._items.below(head.pk, keys.PACKS) if head.tail and window is None else ()
                return self._older(head, window, base, {item["SK"]: item for item in packs})
            self._remember(head, window)
            if head.checkpoint_name is None:
                return Loaded()
            sk, found = checkpoint_key(head.checkpoint_name), ahead
            for consistent in (_may_have_writes(head), True):
                if sk not in found or head.last not in found:
                    found = self._window(head, window, consistent=consistent)
            at = Loaded(head.n, head.last, is_whole=window is None)
            return self._loaded(head, found, sk, at, _low(head.n, window))

    def _remember(self, head: Head, window: int | None) -> None:
        """Remember nothing that a user wrote, names included: the next user may be another one."""
        known, at = replace(head, pk="", title=None, metadata=None, pending=None), hash(head.pk)
        with self._lock:
            self._known.pop(at, None)
            self._known[at] = known, window
            if len(self._known) > 1000:  # threads
                del self._known[next(iter(self._known))]

    def _window(self, head: Head, window: int | None, *, consistent: bool) -> Found:
        low, high = checkpoint_key(str(head.checkpoint_name)), head.tail or keys.EVERY_TURN
        ranges = [(low, high)]
        if window is not None:
            high = keys.turn_ceiling(head.gen, _low(head.n, window))
            ranges = [(low, HEAD), (keys.TURNS, high)] if head.tail else [(low, high)]
        found: dict[str, Item] = {}
        for each in ranges:
            found |= self._items.between_by_key(head.pk, *each, consistent=consistent)
        return found

    def history(self, head: Head, window: int | None, before: str | None = None) -> Iterator[Loaded]:
        """Yield the state after each step older than `before`, newest first, also of branches. Raises StateCorrupt."""
        found, seen = dict[str, Item](), set[str]()
        with self._heads.reading(head):
            for item in self.chain.every(head, found):
                checkpoint_id = keys.id_in(item["cp"])
                if checkpoint_id not in seen and (before is None or checkpoint_id < before):
                    seen.add(checkpoint_id)
                    with suppress(errors.NotFound):  # not kept
                        yield self._older(head, window, item["cp"], found)

    def checkpoint_of(self, head: Head, run_id: str | None) -> str:
        """Return the id of the checkpoint that this run stored, whatever changed the state since. Raises NotFound."""
        for item in self.chain.every(head, {}):
            if "edit" not in item and run_id_of(head.pk, item["k"]) == run_id:
                return str(item["cp"])
        raise errors.NotFound("The thread has no such run.")

    def commit(self, plan: Plan) -> Turn | None:
        """Write the plan. Return None, or the stored turn of this key. Raises Superseded, StoreUnavailable if the turn
        is not stored, Unsettled if that is unknown."""
        self._items.write_many(puts=plan.puts)
        changes = ", ".join(f"#{name[1:]} = {name}" for name in plan.changes if name not in (":seq", ":owner"))
        try:
            return self._commit_head(plan, f"SET {changes} REMOVE #lease, #pend")
        except errors.StoreUnavailable as error:  # of the commit, or after one that may have succeeded
            raise errors.Unsettled(retry_after=error.retry_after) from error

    def _commit_head(self, plan: Plan, change: str) -> Turn | None:
        values = {**plan.changes, ":born": plan.incarnation}
        try:
            item = self._items.update(plan.pk, HEAD, change, values, condition=f"{MINE} AND born = :born")
        except Refused as refused:
            return self._outcome(plan, self.refused_head(plan, refused.item))
        self._heads.freed(item)
        if known := self._known.get(hash(plan.pk)):
            self._remember(read_head(item), known[1])
        return None

    def settle(self, plan: Plan) -> Plan | Turn | None:
        """Settle a commit of unknown outcome: None if it succeeded, the stored turn if another try of its key did, else
        the plan under a new lease owner, so a late write fails. Raises Superseded, StoreUnavailable."""
        owner = self._heads.random_bytes(OWNER_BYTES)
        values = {":new": owner, ":born": plan.incarnation} | {name: plan.changes[name] for name in (":seq", ":owner")}
        try:
            self._items.update(plan.pk, HEAD, "SET #lease.#o = :new", values, condition=f"{MINE} AND born = :born")
        except Refused as refused:
            head = self.refused_head(plan, refused.item)
            if head.lease is None or head.lease.owner != owner:
                return self._outcome(plan, head)
        return replace(plan, changes={**plan.changes, ":owner": owner})

    def refused_head(self, plan: Plan, item: Item | None) -> Head:
        """Return HEAD after a refused commit. If the thread was erased, delete the items and raise Superseded."""
        if item is not None and not is_erased(item, plan.incarnation):
            self._heads.freed(item)
            return self._heads.trusted(item)
        with suppress(errors.StoreUnavailable):  # then the sweep after late writers deletes them
            if objects := [put["object"] for put in plan.puts if "object" in put]:
                self._heads.blobs.delete(objects)
            aside = keys.message_key(plan.incarnation)
            self._items.write_many(deletes=[(plan.pk, sk) for sk in (aside, *(put["SK"] for put in plan.puts))])
        raise errors.Superseded

    def _outcome(self, plan: Plan, head: Head) -> Turn | None:
        """Settle a refused commit: if HEAD leads to its link, it succeeded. Return the turn if it is not the newest."""
        if head.last == plan.sk:
            return None
        with self._heads.reading(head, errors.Superseded):
            item, number = self.chain.reached(head, plan.sk), head.turn_of_key(plan.key)
            if item is None and number is not None:
                item = self.chain.turn(head, number).item
            if item is None or item["b"] != plan.puts[0]["b"]:  # the key has served another message in the meantime
                raise errors.Superseded
            link = self.chain.open(item)
            return None if "edit" in item else turn_of(link, self.chain.details(link))

    def newest(
        self, principal: Principal, thread_id: str, *, limit: int, before: int | None = None, details: bool = False
    ) -> list[Turn]:
        """Return the newest `limit` turns (numbered under `before`), oldest first, with details only on request."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            links = [self.chain.open(item) for item in self.chain.newest(head, limit, before) if "edit" not in item]
            turns = [turn_of(link, self.chain.details(link) if details else {}) for link in links]
            return self._vault.restore(head, turns)

    def read(self, principal: Principal, thread_id: str, number: int) -> Turn:
        """Return one turn with its details. Raises NotFound."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            link = self.chain.turn(head, number)
            return self._vault.restore(head, [turn_of(link, self.chain.details(link))])[0]

    def edits(self, head: Head) -> Iterator[tuple[Link, JSON | None]]:
        """Yield steps that are not turns, newest first, also of branches, each with its checkpoint if kept."""
        with self._heads.reading(head):
            for item in self.chain.every(head, {}):
                if "edit" in item:
                    kept = self._items.get(head.pk, checkpoint_key(item["cp"]))
                    yield self.chain.open(item), kept and self.load(head, 0, item["cp"]).checkpoint

    def abandoned(self, principal: Principal, thread_id: str) -> list[Turn]:
        """Return the turns of abandoned branches with their details, newest first: kept as long as the thread is."""
        head = self._heads.read(principal, thread_id)
        with self._heads.reading(head):
            links = [self.chain.open(item) for item in self.chain.left(head) if "edit" not in item]
            return self._vault.restore(head, [turn_of(link, self.chain.details(link)) for link in links])

    def _older(self, head: Head, window: int | None, wanted: str, found: Found) -> Loaded:
        """Return the state at a checkpoint, by id or name; reads what `found` lacks. Raises NotFound, StateCorrupt."""
        sk = checkpoint_key(wanted)
        near = self._items.between_by_key(head.pk, sk, f"{sk}#~")
        names = [each for each in near if not keys.is_write(each) and is_of_life(near[each], head)]
        if len(names) > 1:  # two writers stored one id; HEAD leads to one of them at most
            reached = {checkpoint_key(link["cp"]) for link in self.chain.every(head, {})}
            names = [each for each in names if each in reached]
        if not names:
            raise errors.NotFound("The thread has no such checkpoint.")
        link = near[names[-1]]["link"]
        at = Loaded(keys.number_of(link), link, is_branch=True, is_whole=window is None)
        return self._loaded(head, {**found, **near}, names[-1], at, _low(at.number, window))

    def _loaded(self, head: Head, found: Found, sk: str, at: Loaded, low: int) -> Loaded:
        packs = self.chain.packs_in(found) if at.is_whole else {}
        walked = self.chain.walk(head.pk, at.last, low, dict(found), packs)
        if sk not in found or found[sk]["link"] != (walked[-1] if walked else {}).get("of", at.last):
            raise errors.StateCorrupt
        checkpoint = self._heads.unpacked(found[sk], found[sk]["link"])
        links = tuple(packs[item["tip"]] if "tip" in item else self.chain.open(item) for item in walked)
        writes = [item for each, item in found.items() if each != keys.checkpoint_of(each) == sk]
        spaces = self._spaces(head, keys.id_in(sk.removeprefix(keys.CHECKPOINTS)), checkpoint, writes)
        written = self.task_writes.writes_in(writes)
        return replace(at, checkpoint=checkpoint, links=links, writes=written, spaces=spaces)

    def _spaces(self, head: Head, root: str, checkpoint: JSON, writes: list[Item]) -> tuple[Space, ...]:
        """Return the sub-graphs that a saver wrote: lasting ones, and those whose tasks ask a question."""
        named: dict[str, str] = checkpoint.get("spaces", {})
        asking = {name for item in writes for name in item.get("ns", ())}
        found = [self.task_writes.newest(head, name, root, named.get(name)) for name in sorted({*named, *asking})]
        return tuple(each for each in found if each)


def _low(number: int, window: int | None) -> int:
    return 0 if window is None else max(0, number - window + 1)


def _may_have_writes(head: Head) -> bool:
    """Return whether a saver may have stored task writes after the newest checkpoint: it asks a question, or no turn
    made it."""
    return head.interrupted or not str(head.checkpoint_name).endswith(f"#{keys.writer_of(str(head.last))}")
