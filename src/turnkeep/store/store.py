"""The parts of a table, each with one job, over the same items. docs/concepts.md explains HEAD."""

from collections.abc import Callable
from functools import partial

from turnkeep import errors
from turnkeep.records import Principal, Thread
from turnkeep.store.actions import ActionLog
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.event_log import EventLog
from turnkeep.store.forks import Fork
from turnkeep.store.heads import Heads
from turnkeep.store.items import Items
from turnkeep.store.leases import OWNER_BYTES, BeginRequest, Leases
from turnkeep.store.links import Chain
from turnkeep.store.listing import Listing
from turnkeep.store.plans import PACK_LINKS, Begun
from turnkeep.store.runs import RunQueue
from turnkeep.store.threads import Threads
from turnkeep.store.turn_log import TurnLog
from turnkeep.store.vault import Vault


class Store:
    """All parts of one table. `clock` returns epoch seconds, `random_bytes` n random bytes."""

    def __init__(
        self,
        items: Items,
        blobs: Blobs,
        codec: Codec,
        *,
        clock: Callable[[], float],
        random_bytes: Callable[[int], bytes],
        thread_hours: float = 24,
        lease_seconds: float = 30,
        pack_links: int = PACK_LINKS,
    ):
        self.heads = Heads(items, blobs, codec, clock=clock, random_bytes=random_bytes, thread_hours=thread_hours)
        self.vault = Vault(self.heads)
        chain = Chain(self.heads)
        self.threads = Threads(self.heads, self.vault)
        self.listing = Listing(self.heads, self.threads)
        self.leases = Leases(self.heads, chain, self.vault, lease_seconds=lease_seconds)
        self.turns = TurnLog(self.heads, chain, self.vault, pack_links=pack_links)
        self.queue = RunQueue(self.heads)
        self.actions = ActionLog(self.heads)
        self.events = EventLog(self.heads)

    def fork(
        self, principal: Principal, thread_id: str, to: str, *, turn: int | None = None, whole: bool = False
    ) -> Thread:
        """Copy turns 1 to `turn` (default: all) into the new thread `to`, with `whole` all their checkpoints, else the
        newest. Raises NotFound, ThreadExists if `to` has turns, ThreadBusy, StateCorrupt, StoreUnavailable."""
        source = self.heads.read(principal, thread_id)
        number = source.n if turn is None else turn
        if not 0 <= number <= source.n:
            raise errors.NotFound("The thread has no turn of this number.")
        if source.last is None or turn == 0:
            return self.threads.create(principal, to, agent=source.agent, metadata=self.threads.metadata_of(source))
        key = self.heads.random_bytes(OWNER_BYTES).hex()
        try:
            begun = self.leases.begin(principal, to, BeginRequest(key, b"", None, create=True, after=0))
        except errors.ThreadMoved as error:
            raise errors.ThreadExists from error
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was generated just now
        try:
            copying = Fork(self.heads, self.vault, source=source, begun=begun)
            with self.heads.reading(source):
                puts = copying.copy(number, partial(self.leases.renew, begun), whole=whole)
            more: Item = {"agent": source.agent, "title": source.title}
            more["meta"] = self.threads.packed_metadata(begun.head.pk, self.threads.metadata_of(source))
            more["st"] = "interrupted" if copying.interrupted else "complete"
            self.turns.commit(self.turns.planner.fork(begun, puts, more))
        except errors.TurnkeepError:
            self.leases.release(begun)
            raise
        return self.threads.read(principal, to)
