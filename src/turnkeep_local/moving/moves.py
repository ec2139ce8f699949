"""Moves one thread after the other and counts what became of them. What is told of a thread says what to do."""

import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256

from botocore.exceptions import ClientError
from langgraph.checkpoint.base import CheckpointTuple

from turnkeep.errors import NotFound, StoreUnavailable, Superseded, ThreadBusy, ThreadMoved, TurnkeepError
from turnkeep.records import Principal
from turnkeep.storage.keys import is_well_formed
from turnkeep_local.moving.arrivals import CHECKPOINT, SOURCE, Arrivals
from turnkeep_local.moving.savers import OldTable, OldThread
from turnkeep_local.moving.states import Unreadable, moved

PROGRESS_SECONDS = 2
NAME_CHARACTERS = 100
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, NotImplementedError, EOFError, OSError, zlib.error)
"""What comes of items that their package did not write, or not as a whole."""
_LEFT = {
    "expired": "their TTL has passed",
    "no owner": "name it with --owner, or somebody for the rest with --tenant and --user",
    "taken": "another thread has this id here",
    "gone on": "it changed in the old table, and was gone on with here too: what is here stays",
    "unreadable": "it cannot be read",
    "refused": "it cannot be stored",
    "busy": "another import or a turn is at it: import it again",
}
TRIES = 2


@dataclass
class Tally:
    """How many threads became what; `moved` and `changed`, which were taken anew, hold these turns and messages."""

    threads: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    messages: int = 0

    @property
    def left(self) -> int:
        return sum(self.threads[fate] for fate in _LEFT if fate != "expired")


class Moves:
    """From one table into another. `rest` owns what `owners` does not name; `clock` gives epoch seconds."""

    def __init__(
        self,
        old: OldTable,
        here: Arrivals,
        owners: Mapping[str, Principal],
        rest: Principal | None,
        agent: str,
        *,
        tell: Callable[[str], None],
        dry_run: bool = False,
        clock: Callable[[], float] = time.time,
    ):
        self._old, self._here, self._owners, self._rest, self._agent = old, here, owners, rest, agent
        self._tell, self._dry_run, self._clock = tell, dry_run, clock

    def run(self, progress: Callable[[str], None]) -> Tally:
        """Raises StoreUnavailable, and ClientError for what concerns the table as a whole; what was moved stays."""
        tally, threads = Tally(), self._old.threads()
        begun = told = time.monotonic()
        for number, thread in enumerate(threads, start=1):
            tally.threads[self._fate(thread, tally)] += 1
            if (now := time.monotonic()) > told + PROGRESS_SECONDS or number == len(threads):
                told = now
                progress(f"{number} of {len(threads)} threads, {number / (now - begun):.0f} a second")
        return tally

    def _fate(self, thread: OldThread, tally: Tally) -> str:
        """ "moved", "changed" for one that was taken anew, "here" for one that was moved before, or a word of _LEFT."""
        if thread.ttl <= self._clock():
            return "expired"
        owner, why = self._owners.get(thread.thread_id, self._rest), ""
        try:
            fate = self._moved(thread, owner, tally) if owner else "no owner"
        except Unreadable as error:
            fate, why = "unreadable", f": {error}"
        except StoreUnavailable:
            raise
        except TurnkeepError as error:
            fate, why = "refused", f": {error.detail}"
        if fate in _LEFT:
            self._tell(f"{thread.thread_id}: {_LEFT[fate]}{why}")
        return fate

    def _moved(self, thread: OldThread, owner: Principal, tally: Tally) -> str:
        """Judges a thread once more where another writer came first."""
        for _ in range(TRIES):
            with suppress(NotFound, ThreadBusy, ThreadMoved, Superseded):
                return self._move(thread, owner, tally)
        return "busy"

    def _move(self, thread: OldThread, owner: Principal, tally: Tally) -> str:
        name = thread.thread_id if is_well_formed(thread.thread_id) else _derived(thread.thread_id)
        known = thread.thread_id if len(thread.thread_id.encode()) <= NAME_CHARACTERS else name
        mark = {SOURCE: f"{self._old.place.table}/{known}", CHECKPOINT: thread.newest[""]}
        if self._here.standing(owner, name, mark)[0] == "here":
            return "here"
        with _readable():
            spaces, times = self._spaces(thread), self._old.times(thread.thread_id)
        mark[CHECKPOINT] = spaces[""].checkpoint["id"]
        standing, judged = self._here.standing(owner, name, mark)
        if standing not in ("free", "changed"):
            return standing
        with _readable():
            found = moved(spaces, times, self._agent)
        if not self._dry_run:
            self._here.take_in(owner, name, found, mark, judged)
        if name != thread.thread_id:
            self._tell(f"{thread.thread_id}: its id is no thread id here, so it becomes {name}")
        tally.turns += len(found.turns)
        tally.messages += found.messages
        return "moved" if standing == "free" else standing

    def _spaces(self, thread: OldThread) -> dict[str, CheckpointTuple]:
        """The newest checkpoints by namespace. Of sub-graphs only those that last, or that the thread waits in: a call
        that is over left its own behind."""
        root = self._old.read(thread)
        if root is None:
            raise Unreadable("none of its checkpoints is there as a whole")
        waiting = {task for task, *_ in root.pending_writes or ()}
        spaces = {"": root}
        for namespace, newest in thread.newest.items():
            task = namespace.split("|")[0].rpartition(":")[2]
            is_needed = ":" not in namespace or newest > root.checkpoint["id"] or task in waiting
            if namespace and is_needed and (found := self._old.read(thread, namespace)):
                spaces[namespace] = found
        return spaces


@contextmanager
def _readable() -> Iterator[None]:
    """Raises Unreadable for what other items than those of the package bring about."""
    try:
        yield
    except ClientError as error:
        if error.operation_name != "GetObject":
            raise
        raise Unreadable(f"S3 says {error.response['Error']['Code']}") from error
    except _BROKEN as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def _derived(thread_id: str) -> str:
    """ "ann@example.com" becomes "moved-" and 32 digits, the same ones each time."""
    return f"moved-{sha256(thread_id.encode()).hexdigest()[:32]}"


def summary(tally: Tally, hours: float, *, dry_run: bool) -> str:
    """The table at the end."""
    words = {"moved": "would be moved" if dry_run else "moved", "changed": "taken anew", "here": "here already"}
    rows = [(words.get(fate, fate), str(count), _LEFT.get(fate, "")) for fate, count in tally.threads.items()]
    rows += [("turns", str(tally.turns), ""), ("messages", str(tally.messages), "")]
    width = max(len(name) for name, *_ in rows)
    lines = [f"{name:{width}}  {count:>8}  {why}".rstrip() for name, count, why in rows]
    return "\n".join([*lines, f"They live for {hours:g} hours from now, and as long after each turn."])
