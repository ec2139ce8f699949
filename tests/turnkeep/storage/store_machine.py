"""The store against a plain model of what it promises, step by step, with an injected clock.

A rule does one thing to the store and to the model and compares the two answers; after every step all that a reader can
see is compared. Writers stop, come back late and lose acknowledgements at every stage of a turn.
"""

import itertools
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from desk import plain_turn
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from memory_items import MemoryItems

from turnkeep.errors import (
    Conflict,
    IdempotencyKeyReused,
    InvalidRetryToken,
    NotFound,
    StoreUnavailable,
    Superseded,
    ThreadBusy,
    ThreadExists,
    TurnInProgress,
)
from turnkeep.records import Principal, Turn
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Item, Items
from turnkeep.storage.keys import HEAD, hour, partition
from turnkeep.storage.links import Segment
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table

BASE = 1_800_000_000
HOUR = 3600
LEASE = 30
TOKEN = 15 * 60
IDS = ("one", "two")
OFTEN_ONE = st.sampled_from(("one", "one", "one", "two"))
KEYS = ("a", "b", "c")
LONG = "".join(sha256(str(n).encode()).hexdigest() for n in range(40))
MESSAGES = {"short": "short", "other": "other", "long": LONG}
JUMPS = (10, 31, 10 * 60, 16 * 60, 2 * HOUR, 20 * HOUR, 24 * HOUR - 5, 25 * HOUR, 72 * HOUR)
BRINK = -5  # five seconds before the thread expires
PAUSES = (0, 0, 0, BRINK, BRINK, 10, *JUMPS[:-1])
WINDOW = 2


class MemoryObjects:
    """Large values in a dict."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def put(self, key: str, body: bytes) -> None:
        self.stored[key] = body

    def get(self, key: str) -> bytes:
        return self.stored[key]

    def names(self, prefix: str) -> Iterator[list[str]]:
        if found := [key for key in self.stored if key.startswith(prefix)]:
            yield found

    def delete(self, keys: list[str]) -> None:
        for key in keys:
            self.stored.pop(key, None)


class Lossy(Items):
    """The next conditional write is done, but its acknowledgement is lost: the client sends it again, or gives up."""

    lost = ""

    def put(self, item: Item, *, condition: str | None = None, values: Item | None = None) -> None:
        super().put(item, condition=condition, values=values)
        if self.lost == "retried" and condition:
            self.lost = ""
            super().put(item, condition=condition, values=values)

    def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
        answer = super().update(pk, sk, expression, values, condition=condition)
        lost, self.lost = self.lost, ""
        if lost == "retried":
            return super().update(pk, sk, expression, values, condition=condition)
        if lost == "unknown":
            raise StoreUnavailable
        return answer


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
        self.writers: list[Writer] = []
        self.tokens: list[tuple[Writer, str, float]] = []
        self.count = itertools.count()
        self.random = itertools.count(1)
        self.items = self.make_items()
        blobs, sealer = Blobs(MemoryObjects()), Sealer(b"machine")
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
        self.items.lost = lost if refusal is None else ""
        answer: Begun | Turn | None
        error: Exception | None = None
        try:
            answer = self.begin(thread, key, message, create=create)
        except (Conflict, NotFound, IdempotencyKeyReused, StoreUnavailable) as raised:
            answer, error = None, raised
        self.items.lost = ""
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
        if lost == "unknown":
            assert isinstance(error, StoreUnavailable), (answer, error)
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
        turn = None if edits else plain_turn(writer.message, new[-1], self.time, {"of": new[-1]})
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
        self.items.lost = ""
        life = writer.life
        if holds:
            life.at, life.active, life.holder, writer.kept = writer.step, writer.prepared, None, True
            life.expires = min(writer.prepared + 24 * HOUR, life.born + 30 * 24 * HOUR)
            life.steps.append(writer.step)
            assert error is None or isinstance(error, StoreUnavailable), error
            return
        now = self.lives.get(writer.thread)
        same = (writer.key, writer.message)
        known = [said for said in (now.at.turns if now else ()) if (said.key, said.message) == same]
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
        lost_flip=st.sampled_from(["", "", "retried", "unknown"]),
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
        stage=st.integers(0, 3),
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
        if stage > 2:
            self.tokens.append((writer, self.table.retry_token(writer.plan), self.time))

    @precondition(lambda self: self.writers)
    @rule(
        which=st.integers(0, 3),
        does=st.sampled_from(["goes on", "goes on", "releases", "renews", "writes"]),
        lost=st.sampled_from(["", "", "retried", "unknown"]),
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
        self.items.lost = lost if writer.holds else ""
        plan = writer.plan
        self.flip(writer, lambda: self.table.apply(plan))

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

    # a turn that could not be stored

    @precondition(lambda self: self.tokens)
    @rule(
        which=st.integers(0, 3),
        lost=st.sampled_from(["", "retried"]),
        pause=st.sampled_from((0, 0, 10, 31, 14 * 60, 16 * 60)),
        deleted=st.sampled_from([False, False, True]),
    )
    def commit_later(self, which: int, lost: str, pause: int, deleted: bool) -> None:
        writer, token, made = self.tokens[-1 - which % len(self.tokens)]
        self.pause(pause, writer.thread)
        if deleted:
            self.delete(writer.thread)
        if made + TOKEN < self.time:
            assert raises(InvalidRetryToken, self.table.commit_later, self.principal, writer.thread, token)
            return
        if self.living(writer.thread) is None:
            assert raises(NotFound, self.table.commit_later, self.principal, writer.thread, token)
            return
        self.items.lost = lost if writer.holds else ""

        def store() -> Turn | None:
            turn = self.table.commit_later(self.principal, writer.thread, token)
            assert turn.message == writer.message
            return turn

        self.flip(writer, store)

    # threads as such

    @rule(
        thread=OFTEN_ONE,
        do=st.sampled_from(["create", "change", "delete", "delete", "edit", "go back", "go back", "sweep", "sweep"]),
        if_exists=st.sampled_from(["raise", "do_nothing"]),
        lost=st.sampled_from(["", "retried"]),
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
                self.delete(thread)
            case "edit":
                self.edit(thread)
            case "go back":
                self.go_back_in_time(thread, back, flips=not lost)
            case "sweep":
                self.sweep()

    def create(self, thread: str, if_exists: Any, lost: str) -> None:
        life = self.living(thread)
        self.items.lost = "" if life else lost
        if life and if_exists == "raise":
            assert raises(ThreadExists, self.table.create_thread, self.principal, thread)
            return
        if life is None and self.runs_on(thread):
            self.items.lost = ""
            assert raises(ThreadBusy, self.table.create_thread, self.principal, thread)
            return
        made = self.table.create_thread(self.principal, thread, if_exists=if_exists)
        self.items.lost = ""
        assert made.turn_count == len((life or self.born(thread)).at.turns)

    def change(self, thread: str) -> None:
        life, value = self.living(thread), {"mark": next(self.count)}
        if life is None:
            assert raises(NotFound, self.table.update_thread, self.principal, thread, value)
            return
        self.table.update_thread(self.principal, thread, value)
        life.metadata = value

    def delete(self, thread: str) -> None:
        life = self.living(thread)
        if life is None:
            assert raises(NotFound, self.table.delete_thread, self.principal, thread)
            return
        self.table.delete_thread(self.principal, thread)
        life.holder = None
        del self.lives[thread]
        assert self.left_of(thread) <= {HEAD}

    def sweep(self) -> None:
        self.readers_see_what_was_promised()
        swept = self.cleanup.sweep()
        assert swept.finished
        for thread, life in list(self.lives.items()):
            if life.expires <= self.time and not (life.holder and life.until > self.time):
                life.holder = None
                del self.lives[thread]
                assert not self.left_of(thread)
            else:
                assert HEAD in self.left_of(thread)

    def left_of(self, thread: str) -> set[str]:
        pages = self.items.pages_of(partition(self.principal, thread), "SK")
        return {item["SK"] for page in pages for item in page}

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
        assert (shown.status == "busy") == bool(life.holder and life.until > self.time)
        head = self.table.head(self.principal, thread)
        assert replayed(self.table.load(head, None)) == life.at.texts
        assert replayed(self.table.load(head, WINDOW)) == life.at.window(WINDOW)
        if told:
            middle = (len(told) + 1) // 2
            one = self.table.read_turn(self.principal, thread, middle)
            assert (one.number, one.message, one.reply) == told[middle - 1]
            assert one.details == {"of": one.reply}
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
