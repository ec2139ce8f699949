"""The store against a plain model of what it promises, step by step, with an injected clock.

A rule does one thing to the store and to the model and compares the two answers; after every step all that a reader can
see is compared. Writers stop, come back late and lose acknowledgements at every stage of a turn and of a deletion, and
every conditional write that was ever sent may arrive once more at any later step.
"""

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from desk import noise, plain_turn
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from memory_items import MemoryItems

from turnkeep.errors import (
    Conflict,
    IdempotencyKeyReused,
    NotFound,
    StoreUnavailable,
    Superseded,
    ThreadBusy,
    ThreadExists,
    TurnInProgress,
    Unsettled,
)
from turnkeep.records import Principal, Turn
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import HEAD, hour, objects_of, partition, thread_of
from turnkeep.storage.links import Segment
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table
from turnkeep.storage.threads import TOMBSTONE_MS

BASE = 1_800_000_000
HOUR = 3600
LEASE = 30
IDS = ("one", "two")
OFTEN_ONE = st.sampled_from(("one", "one", "one", "two"))
KEYS = ("a", "b", "c")
LONG = noise(2_560)
ROWS = noise(14_000)
MESSAGES = {"short": "short", "other": "other", "long": LONG}
JUMPS = (10, 31, 10 * 60, 16 * 60, 2 * HOUR, 20 * HOUR, 24 * HOUR - 5, 25 * HOUR, 72 * HOUR)
BRINK = -5  # five seconds before the thread expires
PAUSES = (0, 0, 0, BRINK, BRINK, 10, *JUMPS[:-1])
WINDOW = 2
LATE_AT_ONCE = 24


class MemoryObjects:
    """Large values in a dict."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def put(self, key: str, body: bytes) -> None:
        self.stored[key] = body

    def get(self, key: str) -> bytes:
        return self.stored[key]

    def names(self, prefix: str) -> Iterator[str]:
        return iter([key for key in self.stored if key.startswith(prefix)])

    def delete(self, keys: list[str]) -> None:
        for key in keys:
            self.stored.pop(key, None)


class Lossy(Items):
    """Remembers every conditional write as it was sent. What may befall one: its acknowledgement is lost, and the
    client sends it again (`retried`) or gives up (`unknown`); or it gives up, and it was not done (`held`)."""

    lost = ""
    nth = 1

    def lose(self, lost: str, nth: int = 1) -> None:
        """This befalls the nth conditional write from now that is not refused."""
        self.lost, self.nth = lost, nth

    @cached_property
    def sent(self) -> list[tuple[str, Callable[[], Any]]]:
        """Partition and write of each."""
        return []

    def put(self, item: Item, *, condition: str | None = None, values: Item | None = None) -> None:
        write = partial(super().put, item, condition=condition, values=values)
        self._deliver(item["PK"], write) if condition else write()

    def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
        answer: Item = self._deliver(pk, partial(super().update, pk, sk, expression, values, condition=condition))
        return answer

    def delete(self, pk: str, sk: str, *, condition: str, values: Item) -> None:
        self._deliver(pk, partial(super().delete, pk, sk, condition=condition, values=values))

    def _deliver(self, pk: str, write: Callable[[], Any]) -> Any:
        self.sent.append((pk, write))
        is_next = self.nth == 1
        if is_next and self.lost == "held":
            self.nth = 0
            raise StoreUnavailable
        answer = write()
        self.nth -= 1
        if is_next and self.lost == "unknown":
            raise StoreUnavailable
        return write() if is_next and self.lost == "retried" else answer


class LossyMemory(Lossy, MemoryItems):
    pass


@dataclass(frozen=True)
class Said:
    """A turn as it was promised to a client."""

    key: str
    message: str
    reply: str


@dataclass(frozen=True)
class Step:
    """A committed link: the texts of all messages, the turns so far, and of every link (turn number, elements kept)."""

    checkpoint: str | None = None
    turns: tuple[Said, ...] = ()
    texts: tuple[str, ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    def window(self, turns: int | None) -> tuple[str, ...]:
        low = 0 if turns is None else max(0, len(self.turns) - turns + 1)
        starts = [keep for number, keep in self.links if number >= low]
        return self.texts[min(starts) :] if starts else ()


@dataclass(eq=False)
class Life:
    """A thread from its making to its end; a thread made again under the same id is another life."""

    born: float
    active: float
    at: Step = Step()
    steps: list[Step] = field(default_factory=list)
    holder: "Writer | None" = None
    until: float = 0
    expires: float = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    pending: set[str | None] = field(default_factory=lambda: {None})
    is_doomed: bool = False
    """What may be shown as pending; and whether a claim of its deletion, answered with 503, is still on its way."""


@dataclass(eq=False)
class Writer:
    """Who holds or held a thread, and how far it came. `begun` is None where BEGIN was done but never answered."""

    thread: str
    life: Life
    key: str
    message: str
    begun: Begun | None = None
    plan: Plan | None = None
    turn: Turn | None = None
    step: Step | None = None
    prepared: float = 0
    kept: bool = False

    @property
    def holds(self) -> bool:
        return self.life.holder is self


@dataclass(frozen=True)
class Broken:
    """A way to build a store that breaks a rule: what replaces the real parts."""

    items: type[LossyMemory] = LossyMemory
    table: type[Table] = Table
    cleanup: type[Cleanup] = Cleanup


class StoreMachine(RuleBasedStateMachine):
    broken = Broken()

    def __init__(self) -> None:
        super().__init__()
        self.time = float(BASE)
        self.principal = Principal(f"tenant-{uuid.uuid4().hex}", "user")
        self.stranger = Principal(self.principal.tenant, "other")
        self.lives: dict[str, Life] = {}
        self.graves: dict[str, float] = {}
        self.writers: list[Writer] = []
        self.count = itertools.count()
        self.random = itertools.count(1)
        self.items = self.make_items()
        self.objects = MemoryObjects()
        blobs, sealer = Blobs(self.objects), Sealer(b"machine")
        self.table = self.broken.table(
            self.items, blobs, sealer, clock=lambda: self.time, mint=self.mint, lease_seconds=LEASE
        )
        eraser = Eraser(self.items, blobs, clock=lambda: self.time)
        self.cleanup = self.broken.cleanup(self.items, eraser, clock=lambda: self.time)

    def make_items(self) -> Lossy:
        return self.broken.items()

    def mint(self, size: int) -> bytes:
        return sha256(str(next(self.random)).encode()).digest()[:size]

    @initialize()
    def young_table(self) -> None:
        self.cleanup.begin_at(hour(int(self.time * 1000)))

    # the model's side

    def living(self, thread: str) -> Life | None:
        life = self.lives.get(thread)
        return life if life and life.expires > self.time else None

    def runs_on(self, thread: str) -> bool:
        """Whether a turn that began before the thread expired may still bring it back."""
        life = self.lives.get(thread)
        return bool(life and life.holder and life.until > self.time)

    def born(self, thread: str) -> Life:
        if thread in self.lives:
            self.lives[thread].holder = None
        self.lives[thread] = Life(self.time, self.time, expires=self.expiry(self.time))
        self.graves.pop(thread, None)
        return self.lives[thread]

    def pause(self, seconds: int, thread: str) -> None:
        life = self.living(thread)
        if seconds >= 0:
            self.time += seconds
        elif life:
            self.time = max(self.time, life.expires + seconds)

    def expiry(self, born: float) -> float:
        return min(self.time + 24 * HOUR, born + 30 * 24 * HOUR)

    def refusal(self, thread: str, key: str, message: str, *, create: bool) -> type[Exception] | Said | None:
        """What BEGIN must answer instead of giving the thread."""
        life = self.living(thread)
        if life is None and create:
            return ThreadBusy if self.runs_on(thread) else None
        if life is None:
            return NotFound
        for said in life.at.turns:
            if said.key == key:
                return said if said.message == message else IdempotencyKeyReused
        if life.holder and life.until > self.time:
            if life.holder.key == key:
                return TurnInProgress if life.holder.message == message else IdempotencyKeyReused
            return ThreadBusy
        return None

    # what writers do

    def take(self, thread: str, key: str, message: str, *, create: bool, lost: str) -> Writer | None:
        """BEGIN, compared with the model; gives the writer that holds the thread now."""
        message = MESSAGES[message]
        refusal = self.refusal(thread, key, message, create=create)
        self.items.lose(lost if refusal is None else "")
        answer: Begun | Turn | None
        error: Exception | None = None
        try:
            answer = self.begin(thread, key, message, create=create)
        except (Conflict, NotFound, IdempotencyKeyReused, StoreUnavailable) as raised:
            answer, error = None, raised
        self.items.lose("")
        if isinstance(refusal, Said):
            assert isinstance(answer, Turn), (answer, error)
            assert (answer.message, answer.reply) == (refusal.message, refusal.reply)
            return None
        if refusal is not None:
            assert type(error) is refusal, (refusal, answer, error)
            return None
        life = self.living(thread) or self.born(thread)
        writer = Writer(thread, life, key, message, begun=answer if isinstance(answer, Begun) else None)
        life.holder, life.until = writer, self.time + LEASE
        life.pending = {message} if writer.begun or message != LONG else {message, None}
        if lost == "unknown":
            assert isinstance(error, StoreUnavailable), (answer, error)
            if "lease" not in (self.items.get(partition(self.principal, thread), HEAD) or {}):
                life.holder, life.pending = None, {None}  # made over a dead one, and not yet taken
            return None
        assert writer.begun, (answer, error)
        assert writer.begun.head.n == len(life.at.turns)
        self.writers.append(writer)
        return writer

    def begin(self, thread: str, key: str, message: str, *, create: bool) -> Begun | Turn:
        return self.table.begin(self.principal, thread, key=key, body=message.encode(), message=message, create=create)

    def prepare(self, writer: Writer, *, base: Step | None = None, edits: bool = False) -> None:
        """LOAD and the first half of COMMIT; `base` is an older step to go on from."""
        assert writer.begun
        at = base or writer.life.at
        older = at.checkpoint if base else None
        loaded = self.table.load(writer.begun.head, None, older)
        assert replayed(loaded) == at.texts
        assert replayed(self.table.load(writer.begun.head, WINDOW, older)) == at.window(WINDOW)
        attempt = next(self.count)
        keep = max(0, len(at.texts) - 1) if edits else len(at.texts)
        new = [f"edit {attempt}"] if edits else [writer.message, f"reply {attempt}"]
        number = len(at.turns) + (0 if edits else 1)
        said = () if edits else (Said(writer.key, writer.message, new[-1]),)
        writer.step = Step(
            checkpoint=f"{int(self.time):012d}-{attempt:06d}",
            turns=at.turns + said,
            texts=(*at.texts[:keep], *new),
            links=(*at.links, (number, keep)),
        )
        kinds = ("ai",) if edits else ("human", "ai")
        elements = [{"type": kind, "data": {"content": text}} for kind, text in zip(kinds, new, strict=True)]
        saved = Saved(
            str(writer.step.checkpoint),
            {"lengths": [["", "messages", keep + len(new)]]},
            (Segment("", "messages", keep, elements),),
        )
        turn = None if edits else plain_turn(writer.message, new[-1], self.time, details(writer.message, new[-1]))
        writer.plan, writer.turn = self.table.prepare(writer.begun, loaded, saved, turn)
        writer.prepared = self.time
        assert edits or (writer.turn and writer.turn.number == number)

    def flip(self, writer: Writer, store: Callable[[], Turn | None]) -> None:
        """COMMIT by `store`, compared with the model."""
        assert writer.plan
        assert writer.step
        answer: Turn | None = None
        error: Exception | None = None
        holds = writer.holds
        try:
            answer = store()
        except (Superseded, StoreUnavailable, NotFound) as raised:
            error = raised
        self.items.lose("")
        life = writer.life
        if holds:
            life.at, life.active, life.holder, writer.kept = writer.step, writer.prepared, None, True
            life.pending = {None}
            life.expires = min(writer.prepared + 24 * HOUR, life.born + 30 * 24 * HOUR)
            life.steps.append(writer.step)
            assert error is None or isinstance(error, StoreUnavailable), error
            return
        now = self.lives.get(writer.thread)
        same = (writer.key, writer.message)
        known = [said for said in (now.at.turns if now else ()) if (said.key, said.message) == same]
        if known and isinstance(error, Superseded) and now is not life:
            return  # the key has made its turn in a later thread
        if known:
            assert error is None, error
            assert answer is None or answer.reply == known[0].reply
            assert answer is not None or (now and now.at == writer.step)
        elif writer.kept and now is not life:  # it had come through, and the thread has been deleted since
            assert error is None or isinstance(error, Superseded | NotFound)
            assert answer is None
        elif writer.kept and life.at == writer.step:  # an edit that had come through
            assert error is None
        else:
            assert isinstance(error, Superseded | NotFound), (answer, error)

    @rule(
        thread=OFTEN_ONE,
        key=st.sampled_from(KEYS),
        message=st.sampled_from(sorted(MESSAGES)),
        lost_begin=st.sampled_from(["", "", "retried"]),
        lost_flip=st.sampled_from(["", "", "retried", "unknown", "held"]),
        pause=st.sampled_from(PAUSES),
    )
    def talk(  # noqa: PLR0917
        self, thread: str, key: str, message: str, lost_begin: str, lost_flip: str, pause: int
    ) -> None:
        self.pause(pause, thread)
        writer = self.take(thread, key, message, create=True, lost=lost_begin)
        if writer:
            self.prepare(writer)
            self.apply(writer, lost_flip)

    @rule(
        thread=OFTEN_ONE,
        key=st.sampled_from(KEYS),
        message=st.sampled_from(sorted(MESSAGES)),
        create=st.booleans(),
        lost=st.sampled_from(["", "", "retried", "unknown"]),
        stage=st.integers(0, 2),
        pause=st.sampled_from(PAUSES),
        swept=st.sampled_from([False, False, True]),
    )
    def begin_and_stall(  # noqa: PLR0917
        self,
        thread: str,
        key: str,
        message: str,
        create: bool,
        lost: str,
        stage: int,
        pause: int,
        swept: bool,
    ) -> None:
        self.pause(pause, thread)
        writer = self.take(thread, key, message, create=create, lost=lost)
        if writer:
            self.come_to(writer, stage)
        if swept:
            self.time += 10
            self.sweep()

    def come_to(self, writer: Writer, stage: int) -> None:
        if stage == 0:
            return
        self.prepare(writer)
        assert writer.plan
        if stage > 1:
            self.items.write_many(puts=writer.plan.puts)

    @precondition(lambda self: self.writers)
    @rule(
        which=st.integers(0, 3),
        does=st.sampled_from(["goes on", "goes on", "releases", "renews", "writes"]),
        lost=st.sampled_from(["", "", "retried", "unknown", "held"]),
        pause=st.sampled_from(PAUSES),
    )
    def a_stalled_writer(self, which: int, does: str, lost: str, pause: int) -> None:
        """Wakes up at whatever stage: perhaps in time, perhaps far too late."""
        writer = self.writers[-1 - which % len(self.writers)]
        self.pause(pause, writer.thread)
        match does:
            case "goes on":
                self.go_on(writer, lost)
            case "writes":
                self.items.write_many(puts=writer.plan.puts if writer.plan else ())
            case "releases":
                self.release(writer)
            case "renews":
                self.renew(writer)

    def go_on(self, writer: Writer, lost: str) -> None:
        if writer.plan is None:
            if not writer.holds:
                return self.load_too_late(writer)
            self.prepare(writer)
        return self.apply(writer, lost)

    def load_too_late(self, writer: Writer) -> None:
        assert writer.begun
        try:
            self.table.load(writer.begun.head, None)
        except Superseded:
            assert self.lives.get(writer.thread) is not writer.life

    def apply(self, writer: Writer, lost: str) -> None:
        assert writer.plan
        self.items.lose(lost if writer.holds else "")
        plan = writer.plan
        if writer.holds and lost == "held":
            self.fence(writer)
            return
        self.flip(writer, lambda: self.table.apply(plan))
        if writer.kept and lost == "unknown" and self.lives.get(writer.thread) is writer.life:
            assert self.table.fence(plan) is None

    def fence(self, writer: Writer) -> None:
        """The flip was sent and nothing is known of it: whenever it arrives, it comes too late."""
        assert writer.begun
        assert writer.plan
        assert raises(Unsettled, self.table.apply, writer.plan)
        self.items.lose("retried" if next(self.count) % 2 else "")
        writer.plan = self.table.fence(writer.plan)
        self.items.lose("")
        assert writer.plan
        writer.begun = replace(writer.begun, owner=writer.plan.flip[":owner"])

    def release(self, writer: Writer) -> None:
        assert writer.begun
        self.table.release(writer.begun)
        if writer.holds:
            writer.life.holder = None

    def renew(self, writer: Writer) -> None:
        assert writer.begun
        try:
            self.table.renew(writer.begun)
        except Superseded:
            assert not writer.holds
            return
        assert writer.holds
        writer.life.until = self.time + LEASE

    def edit(self, thread: str) -> None:
        writer = self.take(thread, f"edit{next(self.count)}", "other", create=False, lost="")
        if writer and writer.life.at.links:
            self.prepare(writer, edits=True)
            self.apply(writer, "")

    def go_back_in_time(self, thread: str, back: int, *, flips: bool) -> None:
        life = self.living(thread)
        if life is None or len(life.steps) <= back or life.steps[-1 - back].checkpoint == life.at.checkpoint:
            return
        writer = self.take(thread, f"back{next(self.count)}", "short", create=False, lost="")
        if writer:
            self.prepare(writer, base=life.steps[-1 - back])
            if flips:
                self.apply(writer, "")
            elif writer.plan:
                self.items.write_many(puts=writer.plan.puts)

    # threads as such

    @rule(
        thread=OFTEN_ONE,
        do=st.sampled_from(["create", "change", "delete", "delete", "edit", "go back", "go back", "sweep", "sweep"]),
        if_exists=st.sampled_from(["raise", "do_nothing"]),
        lost=st.sampled_from(["", "retried", "unknown", "held"]),
        back=st.integers(1, 4),
        pause=st.sampled_from(PAUSES),
    )
    def a_client(self, thread: str, do: str, if_exists: str, lost: str, back: int, pause: int) -> None:  # noqa: PLR0917
        self.pause(pause, thread)
        match do:
            case "create":
                self.create(thread, if_exists, lost)
            case "change":
                self.change(thread)
            case "delete":
                self.delete(thread, lost, nth=1 + back % 2)
            case "edit":
                self.edit(thread)
            case "go back":
                self.go_back_in_time(thread, back, flips=not lost)
            case "sweep":
                self.sweep(lost if lost == "retried" else "", nth=back)

    def create(self, thread: str, if_exists: Any, lost: str) -> None:
        life = self.living(thread)
        self.items.lose("" if life or lost != "retried" else lost)
        if life and if_exists == "raise":
            assert raises(ThreadExists, self.table.create_thread, self.principal, thread)
            return
        if life is None and self.runs_on(thread):
            self.items.lose("")
            assert raises(ThreadBusy, self.table.create_thread, self.principal, thread)
            return
        made = self.table.create_thread(self.principal, thread, if_exists=if_exists)
        self.items.lose("")
        assert made.turn_count == len((life or self.born(thread)).at.turns)

    def change(self, thread: str) -> None:
        life, value = self.living(thread), {"mark": next(self.count)}
        if life is None:
            assert raises(NotFound, self.table.update_thread, self.principal, thread, value)
            return
        self.table.update_thread(self.principal, thread, value)
        life.metadata = value

    def delete(self, thread: str, lost: str = "", nth: int = 1) -> None:
        """The first conditional write of a deletion claims the thread, the second takes its HEAD."""
        life = self.living(thread)
        if life is None:
            self.delete_the_rest(thread)
            return
        stays = self.runs_on(thread)
        is_cut_off = lost in ("unknown", "held") and not (nth == 2 and stays)
        self.items.lose(lost, nth)
        assert raises(StoreUnavailable, self.table.delete_thread, self.principal, thread) == is_cut_off
        self.items.lose("")
        if is_cut_off and (lost, nth) == ("held", 1):
            life.is_doomed = True
            return
        self.bury(thread, self.time + (TOMBSTONE_MS / 1000 if stays else 0))
        self.head_says_nothing(thread)
        if not is_cut_off or nth == 2:
            assert self.left_of(thread) <= ({HEAD} if stays or is_cut_off else set())
        elif next(self.count) % 2:
            self.delete_the_rest(thread)

    def delete_the_rest(self, thread: str) -> None:
        """A second deletion finishes one that was cut off."""
        left, head = self.left_of(thread), self.items.get(partition(self.principal, thread), HEAD)
        is_cut_off = head is not None and "gone" in head and left != {HEAD}
        error: Exception | None = None
        try:
            self.table.delete_thread(self.principal, thread)
        except NotFound as raised:
            error = raised
        assert not (is_cut_off and error)
        assert error or is_cut_off or (head and "gone" in head)
        assert self.left_of(thread) <= {HEAD} or not is_cut_off

    def bury(self, thread: str, due: float) -> None:
        """The thread is gone, and nothing is left of it after the first cleanup from `due` on."""
        self.lives.pop(thread).holder = None
        self.graves[thread] = due

    def head_says_nothing(self, thread: str) -> None:
        head = self.items.get(partition(self.principal, thread), HEAD) or {}
        kept = ["PK", "SK", "v", "n", "gen", "seq", "born", "created", "expires", "gone", "due", "xh", "ttl"]
        index = ("u", "la")  # until its last item is gone, or where the answer to its leaving the index was lost
        assert head.keys() <= {*kept, *index}

    def sweep(self, lost: str = "", nth: int = 1) -> None:
        self.readers_see_what_was_promised()
        self.items.lose(lost, nth)
        swept = self.cleanup.sweep()
        self.items.lose("")
        assert swept.finished
        for thread, life in list(self.lives.items()):
            if life.expires <= self.time and not self.runs_on(thread):
                self.bury(thread, self.time)
            else:
                assert HEAD in self.left_of(thread)
        for thread, due in list(self.graves.items()):
            if hour(int(due * 1000)) <= hour(int(self.time * 1000)):
                assert HEAD not in self.left_of(thread)
                del self.graves[thread]

    def left_of(self, thread: str) -> set[str]:
        """Items by their sort keys, and objects by theirs."""
        pk = partition(self.principal, thread)
        found = {item["SK"] for item in self.items.between(pk, " ", "~")}
        return found | {name for name in self.objects.stored if name.startswith(objects_of(pk))}

    # what arrives once more

    @precondition(lambda self: self.items.sent)
    @rule(which=st.integers(0, 15), pause=st.sampled_from(PAUSES))
    def a_late_packet(self, which: int, pause: int) -> None:
        pk, write = self.items.sent[-1 - which % len(self.items.sent)]
        self.pause(pause, thread_of(pk))
        self.arrive_late(pk, write)

    @rule(thread=OFTEN_ONE, turns=st.integers(1, 5))
    def an_id_is_used_again(self, thread: str, turns: int) -> None:
        """And then all that was sent of late arrives again."""
        if self.living(thread):
            self.delete(thread)
        for _ in range(turns):
            writer = self.take(thread, f"again{next(self.count)}", "short", create=True, lost="")
            if writer:
                self.prepare(writer)
                self.apply(writer, "")
        for pk, write in self.items.sent[-LATE_AT_ONCE:]:
            self.arrive_late(pk, write)

    def arrive_late(self, pk: str, write: Callable[[], Any]) -> None:
        before = self.items.get(pk, HEAD)
        if before is None:  # a making that arrives after the deletion makes the thread again: no mark can tell
            return
        with suppress(Refused):
            write()
        after = self.items.get(pk, HEAD)
        if before != after:
            self.see_late(thread_of(pk), before, after or {})

    def see_late(self, thread: str, before: Item, after: Item) -> None:
        """What a late packet may do: take a lease that is free or change its own, finish a deletion, or be the claim of
        one whose client was told that nothing is known of it."""
        life = self.lives.get(thread)
        if "gone" in after or not after:
            assert life is None or life.is_doomed or not (self.living(thread) or self.runs_on(thread))
            if life:
                self.lives.pop(thread).holder = None
            return
        assert life
        unmoved = after.keys() - {"lease", "pend", "seq", "xh"}
        assert all(before.get(name) == after[name] for name in unmoved)
        if after.get("lease") == before.get("lease"):
            return
        if "lease" not in after:  # a BEGIN that came late, and its release after it: both count seq as they did before
            life.holder, life.until = None, 0
            return
        life.until = after["lease"]["t"] / 1000
        if not before.get("lease") or after["lease"]["o"] != before["lease"]["o"]:
            life.holder, life.pending = None, {None, *MESSAGES.values()}
            self.time = max(self.time, life.until + 1)  # nobody holds it

    # what every reader sees

    @invariant()
    def a_moment_passes(self) -> None:
        self.time += 0.125  # exact in binary, as milliseconds too

    @invariant()
    def readers_see_what_was_promised(self) -> None:
        for thread in IDS:
            life = self.living(thread)
            if life is None:
                self.is_unknown(self.principal, thread)
            else:
                self.is_whole(thread, life)

    def is_unknown(self, who: Principal, thread: str) -> None:
        assert raises(NotFound, self.table.read_thread, who, thread)
        assert raises(NotFound, self.table.read_turns, who, thread, limit=1)
        assert raises(NotFound, self.table.read_turn, who, thread, 1)

    def is_whole(self, thread: str, life: Life) -> None:
        told = [(number, said.message, said.reply) for number, said in enumerate(life.at.turns, 1)]
        turns = self.table.read_turns(self.principal, thread, limit=50)
        assert [(turn.number, turn.message, turn.reply) for turn in turns] == told
        shown = self.table.read_thread(self.principal, thread)
        assert (shown.turn_count, shown.metadata) == (len(told), life.metadata)
        assert shown.expires_at == life.expires
        assert (shown.pending and shown.pending.message) in life.pending
        assert (shown.status == "busy") == bool(life.holder and life.until > self.time)
        head = self.table.head(self.principal, thread)
        assert replayed(self.table.load(head, None)) == life.at.texts
        assert replayed(self.table.load(head, WINDOW)) == life.at.window(WINDOW)
        if told:
            middle = (len(told) + 1) // 2
            one = self.table.read_turn(self.principal, thread, middle)
            assert (one.number, one.message, one.reply) == told[middle - 1]
            assert one.details == details(one.message, one.reply)
            page = self.table.read_turns(self.principal, thread, limit=1, before=middle)
            assert [(turn.number, turn.message, turn.reply) for turn in page] == told[: middle - 1][-1:]

    @invariant()
    def a_list_shows_exactly_the_living(self) -> None:
        living = [thread for thread in IDS if self.living(thread)]
        newest = sorted(living, key=lambda thread: self.lives[thread].active, reverse=True)
        assert [thread.thread_id for thread in self.table.search_threads(self.principal)] == newest

    @invariant()
    def a_stranger_sees_nothing(self) -> None:
        self.is_unknown(self.stranger, IDS[0])
        assert self.table.search_threads(self.stranger) == []


def details(message: str, reply: str) -> dict[str, str]:
    """Those of a long message are too large for an item."""
    return {"of": reply, **({"rows": ROWS} if message == LONG else {})}


def replayed(loaded: Loaded) -> tuple[str, ...]:
    """The texts of the messages that a run would start with."""
    start, texts = 0, list[str]()
    for number, link in enumerate(loaded.links):
        for segment in link.segments:
            start = segment.keep if number == 0 else min(start, segment.keep)
            assert isinstance(segment.elements, list)
            texts = texts[: segment.keep - start] + [each["data"]["content"] for each in segment.elements]
    if loaded.checkpoint:
        assert start + len(texts) == loaded.checkpoint["lengths"][0][2]
    return tuple(texts)


def raises(kind: type[Exception], call: Callable[..., Any], *given: Any, **named: Any) -> bool:
    try:
        call(*given, **named)
    except kind as error:
        return type(error) is kind
    return False
