"""A deployment in the simulation: machines with the project's own objects, and clients that ask them.

The end of each run checks every promise once more when all is quiet, and takes one more turn on each thread.
"""

import logging
import os
import signal
import sys
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from simulation.kernel import BASE, Killed, Lock, Process, Sim, Violation
from simulation.model import Model, number_in
from simulation.network import Client, Network
from simulation.operations.belongings import BelongingOps
from simulation.operations.imports import ImportOps
from simulation.operations.memory import MemoryOps
from simulation.operations.saver import SaverOps, saver_of
from simulation.operations.serving import Serving, ServingOps
from simulation.operations.threads import ThreadOps, shown
from turnkeep import errors
from turnkeep.memory.store import DynamoDBStore
from turnkeep.records import Principal
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.blobs import Blobs, S3Objects
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.items import Items
from turnkeep.storage.keys import objects_of, partition
from turnkeep.storage.memories import Memories
from turnkeep.storage.persons import Persons
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.steps import Steps
from turnkeep.storage.uploads import KeptUploads
from turnkeep.turns.lookup import Lookup

SEALER = Sealer(b"simulation")
WHO, STRANGER = Principal("t", "u"), Principal("t", "v")
MOST_CPU_SECONDS = 10
LEFT_EVERY = 4
"""In which share of the runs the sweeps after expiry are run: they are half of all calls."""
UNHEARD = (errors.StoreUnavailable, Killed, TimeoutError)
"""The client learns nothing: no answer, or one that promises nothing."""


@dataclass
class Op:
    """One operation of a client. `at` seconds, `on` the index of the machine that is asked first."""

    id: int
    kind: str
    at: float
    on: int
    args: dict[str, Any] = field(default_factory=dict)


@dataclass
class Plan:
    """All that determines a run. `family` names the operations; `decisions`, where given, replace what is drawn."""

    seed: int
    family: str
    ops: list[Op]
    offset: float = 0.0
    skews: tuple[float, ...] = (0.0, 0.0)
    hours: float = 24.0
    page: int = 1000
    lag: float = 1.0
    slow: float = 0.25
    faults: dict[int, int] = field(default_factory=dict)
    aim: tuple[str, ...] = ()
    decisions: dict | None = None
    lease: float = 30.0


class Machine:
    """What one process holds: the objects of a deployment over its own client. Large values are small here."""

    def __init__(self, world, process):
        self.world, self.sim, self.process, self.clock = world, world.sim, process, process.clock
        plan, objects, clock = world.plan, S3Objects(process.client, "bucket"), process.clock
        self.chance = {"clock": clock, "mint": world.sim.mint}
        self.items = Items(process.client, "table", sleep=world.sim.sleep)
        self.blobs = Blobs(objects, self.items, clock=clock, inline_bytes=4_000)
        self.kept = {"thread_hours": plan.hours, "lease_seconds": plan.lease, **self.chance}
        self.table = Steps(self.items, self.blobs, SEALER, **self.kept)
        eraser = Eraser(self.items, self.blobs, clock=clock, parallel=world.sim.in_parallel)
        self.cleanup = Cleanup(self.items, eraser, clock=clock)
        self.persons = Persons(self.items, eraser, clock=clock, at_once=2)
        self.uploads = KeptUploads(objects)
        self.attachments = Attachments(self.items, self.uploads, SEALER, threads=self.table, clock=clock)
        self.lookup = Lookup(self.table)
        self.memories = Memories(self.items, SEALER, WHO, inline_bytes=120, **self.chance)
        self.make_lock = partial(Lock, world.sim)

    @cached_property
    def store(self):
        return DynamoDBStore(memories=self.memories)

    @cached_property
    def serving(self):
        return Serving(self, self.world)

    @cached_property
    def saver(self):
        return saver_of(self)

    def child(self, work, name):
        return self.sim.child(work, name, self.process)


class World(ThreadOps, ServingOps, SaverOps, BelongingOps, ImportOps, MemoryOps):
    """The machines, the table, the model, and the operations by name."""

    def __init__(self, plan):
        self.plan, self.counted = plan, {}
        network = Network(plan.seed, plan.faults, plan.aim, plan.slow, plan.decisions)
        self.sim = Sim(plan.seed, network, page=plan.page, lag=plan.lag)
        self.sim.now = plan.offset
        self.sim.table.made = BASE + plan.offset - 3600
        self.threads = sorted({op.args[name] for op in plan.ops for name in ("thread", "to") if name in op.args})
        self.model = Model(self.sim, {partition(WHO, name): name for name in self.threads})
        self.model.spread = max((0.0, *plan.skews)) - min((0.0, *plan.skews))
        self.sim.table.on_head = self.model.on_head
        names = ("writes", "documents", "runs", "effects", "olds", "metadata", "messages", "bodies")
        self.facts = {name: {} for name in names}
        build = lambda process: Machine(self, process)  # noqa: E731
        self.machines = [Process(self.sim, f"m{n}", skew, build, Client) for n, skew in enumerate(plan.skews)]
        self.final = Process(self.sim, "end", 0.0, build, Client)

    # running

    def run(self):
        for op in self.plan.ops:
            self.sim.at(self.plan.offset + op.at, lambda op=op: self.sim.spawn(op.id, f"op{op.id}", self._work(op)))
        self.sim.run()
        if not self.sim.violations:
            self.sim.is_quiet = True
            self.sim.spawn(1_000_000_007, "end", self._guarded(self.finale, "at the end"), self.final)
            self.sim.run()

    def _work(self, op):
        return self._guarded(lambda: getattr(self, f"op_{op.kind}")(op, **op.args), f"op{op.id} {op.kind}")

    def _guarded(self, work, what):
        def guarded():
            try:
                work()
            except (Killed, Violation):
                raise
            except Exception as error:
                if isinstance(error, errors.StateCorrupt) and self.model.again:
                    return  # a request that arrives late may bring a thread back, and another lead it to deleted items
                raise self.crash(error, what) from error

        return guarded

    def crash(self, error, what):
        """The violation that an error is that was not promised."""
        frames = traceback.extract_tb(error.__traceback__)
        frame = ([each for each in frames if "/turnkeep" in each.filename] or frames)[-1]
        return Violation(
            f"{type(error).__name__} in {frame.filename.rpartition('/')[2]}:{frame.name}", f"{what}: {error!r}"
        )

    def corrupt(self, error, thread, began, what):
        """StateCorrupt although nothing was broken."""
        if self.model.again:
            raise error
        found = self.crash(error, what)
        if self.model.ended.get(thread, -1) >= began:
            found.kind += ", while the thread is deleted"
        raise found

    # clients

    def request(self, on, name, work, patience=90.0):
        """One request: the work runs on a machine; the client may lose patience or the connection."""
        machine = self.machines[on % len(self.machines)]
        return self.sim.join(self.sim.child(lambda: work(machine.has), name, machine), patience)

    def ask(self, op, work, *, tries=3, busy=(), ends=(), failed=None, accepts=None, patience=90.0, name=None):
        """Sends the request to one machine after the other until one answers; returns the answer, or None.

        `work` takes the machine and the number of the try. After an error of `busy` it waits; one of `ends` is an
        answer, and returned. `failed` is called with each try and its error; `accepts` returns whether the answer is
        the last one.
        """
        thread = op.args.get("thread")
        for n in range(tries):
            began = self.sim.now
            try:
                answer = self.request(op.on + n, f"{name or op.kind}{n}", lambda has, n=n: work(has, n), patience)
            except UNHEARD:
                self.sim.sleep(0.01 + self.sim.pick(n) % 4000 / 1000)
                continue
            except errors.StateCorrupt as error:
                self.corrupt(error, thread, began, f"op{op.id} {op.kind}")
            except busy as error:
                if failed:
                    failed(n, error)
                self.sim.sleep((0.1, 2.0, 31.0)[self.sim.pick(n) % 3])
                continue
            except ends as error:
                answer = error
            self.counted[op.kind] = self.counted.get(op.kind, 0) + 1
            if accepts is None or accepts(n, answer):
                return answer
        return None

    def superseded(self, op):
        """For `failed`: of an attempt that was refused in these words, nothing may be shown."""

        def note(n, error):
            attempt = self.model.attempts.get(op.id * 10 + n)
            if attempt and isinstance(error, errors.Superseded | errors.ThreadMoved | errors.RunCancelled):
                attempt.state = "superseded"

        return note

    def answered(self, op, thread, key, message):
        """For `accepts`: notes what a turn promises; a request whose reply is not kept is sent again."""
        self.facts["messages"].setdefault(thread, {"the last"}).add(message)
        bodies = self.facts["bodies"].setdefault((thread, key), set())
        bodies.add(message)

        def note(n, told):
            if isinstance(told, errors.IdempotencyKeyReused) and bodies == {message}:
                raise Violation("retry refused", f"{key} on {thread} had no other message")
            if isinstance(told, Exception):
                return True
            if told.persisted:
                self.model.replayed(thread, key, told.reply, message)
                return True
            attempt = self.model.attempts[number_in(told.reply)]
            attempt.state = "unknown" if told.persisted is None else "not kept"
            return False

        return note

    # the end

    def finale(self):
        """All is quiet: every promise once more, one more turn on each thread, and what expiry leaves."""
        has, sim = self.final.has, self.sim
        living = [thread for thread in self.threads if self.check_history(has, thread) is not None]
        self.check_listing(has, living)
        for part in ("belongings", "memories", "states", "metadata"):
            getattr(self, f"final_{part}")(has)
        sim.sleep(self.plan.lease + 32 + self.model.spread)
        for n, thread in enumerate(self.threads):
            attempt_id = 900_000 + n
            if self.plan.family == "saver" and "asks" in self._shape():
                self.last_turn(has, attempt_id + 50_000, thread, f"answer{n}")  # to a question that waits
            turn = self.last_turn(has, attempt_id, thread, f"end{n}")
            if not turn.persisted:
                raise Violation("thread unusable", f"{thread}: {turn}")
            self.model.replayed(thread, f"end{n}", turn.reply)
            ids = self.check_history(has, thread)
            if not ids or ids[-1] != attempt_id:
                raise Violation("acknowledged turn lost", f"{thread} shows {ids}, without its last turn")
            self.check_views(has, thread, ids)
        if self.plan.seed % LEFT_EVERY == 0:
            self.check_nothing_left(has)

    def check_listing(self, has, living):
        """The user's threads are those that live, with messages of theirs; another user has none."""
        listed = [thread.thread_id for thread in has.table.search_threads(WHO, limit=50)]
        if sorted(listed) != living or has.table.search_threads(STRANGER):
            raise Violation("listing differs", f"{listed}, not {living}")
        for thread in living:
            pending = has.table.read_thread(WHO, thread).pending
            if pending and pending.message not in self.facts["messages"].get(thread, ()):
                raise Violation("message of another", f"{thread} waits for {pending.message[:20]!r}")
            try:
                has.table.read_thread(STRANGER, thread)
            except errors.NotFound:
                continue
            raise Violation("thread of another", thread)

    def check_history(self, has, thread):
        began, ids = self.sim.now, self.history(has, thread)
        self.model.check_read(thread, ids, began, with_edits=False, by="at the end")
        return ids

    def check_views(self, has, thread, ids):
        """Page by page and one by one, the turns are the same; what branches left holds no key twice."""
        found, before = [], None
        while page := has.table.read_turns(WHO, thread, limit=1, before=before):
            found = page + found
            before = page[0].number
        one = has.table.read_turn(WHO, thread, 1)
        if shown(found) != ids or one.reply != found[0].reply:
            raise Violation("pages differ", f"{thread}: {shown(found)}, not {ids}")
        left = shown(has.table.left_turns(WHO, thread))
        keys = [self.model.attempts[id_].key for id_ in (*left, *ids)]
        if len({*keys}) < len(keys):
            raise Violation("two turns of one key", f"{thread} shows {ids} and left {left}")

    def check_nothing_left(self, has):
        """After expiry, two sweeps leave nothing of any thread. They begin with the first hour that holds an entry."""
        for hours in (self.plan.hours + 1.1, 1.1, 1.1):
            self.sim.sleep(hours * 3600)
            self.sim.table.settle(self.sim.table.clock())
            if buckets := [bucket for bucket, entries in self.sim.table.indexes["by_expiry"].items() if entries]:
                has.cleanup.begin_at(min(buckets).partition("#")[0])
                has.cleanup.sweep()
        for pk, thread in self.model.partitions.items():
            objects = [name for name in self.sim.table.objects if name.startswith(objects_of(pk))]
            if rest := [*sorted(self.sim.table.parts.get(pk, ())), *objects]:
                raise Violation("items left for TTL", f"{thread}: {rest[:6]}")


def play(plan, *, log=False):
    """Runs the plan; returns the violation or None, and the world."""
    with _quiet():
        world = World(plan)
        world.sim.network.log = [] if log else None
        world.run()
        found = world.sim.violations[0] if world.sim.violations else None
        world.sim.close()
    return found, world


@contextmanager
def _quiet():
    """Neither logs nor metrics, nor complaints about coroutines of processes that died; an end to endless loops."""
    signal.signal(signal.SIGVTALRM, _never_ends)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_CPU_SECONDS)
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        logging.disable(logging.NOTSET)
        sys.unraisablehook = hook


def _never_ends(*_):
    raise Violation("does not end", "it computes without a call")
