"""A deployment in the simulation: machines with the project's own objects, and clients that ask them.

The end of each run checks every promise once more when all is quiet, and takes one more turn on each thread.
"""

import logging
import os
import signal
import sys
import traceback
import warnings
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

from anyio._backends._asyncio import AsyncIOBackend

from simulation.kernel import BASE, Killed, Sim, Violation, in_actor
from simulation.machine import Machine
from simulation.model import BUSY, REFUSED, SLACK, Model, number_in
from simulation.network import Client, Cloud, Former, Network
from simulation.operations.graphs import SaverOps
from simulation.operations.imports import ImportOps
from simulation.operations.memory import WHO, MemoryOps
from simulation.operations.serving import ServingOps
from simulation.operations.threads import ThreadOps, shown
from simulation.scenarios import Op
from turnkeep import errors
from turnkeep.records import Principal
from turnkeep.store.keys import HEAD, objects_of, partition

MOST_CPU_SECONDS = 10
LEFT_EVERY = 4
"""In which share of the runs the sweeps after expiry are run: they are half of all calls."""
UNHEARD = (errors.StoreUnavailable, Killed, TimeoutError)
"""The client gets no answer, or one that promises nothing."""
LOOKS = {"saver": ("state", "history"), "serving": ("documents", "runs"), "queue": ("runs",)}
"""What the end of a run reads in addition to turns."""


class World(ThreadOps, ServingOps, SaverOps, ImportOps, MemoryOps):
    """The machines, the table, the model, and the operations by name. `facts`: what operations note, by name."""

    def __init__(self, plan, cloud):
        self.plan, self.facts, self.ring = plan, defaultdict(dict), (b"simulation",)
        network = Network(plan.seed, plan.faults, plan.aim, plan.slow, plan.decisions)
        self.sim = Sim(plan.seed, network, cloud, page=plan.page, lag=plan.lag, now=plan.offset)
        self.sim.table.made = BASE + plan.offset - 3600
        self.threads = sorted({op.args[name] for op in plan.ops for name in ("thread", "to") if name in op.args})
        spread = max((0.0, *plan.skews)) - min((0.0, *plan.skews))
        self.model = Model(self.sim, {partition(WHO, name): name for name in self.threads}, spread)
        self.sim.table.on_head = self.model.on_head
        clients = (Client, Former)[: 1 + bool(plan.former)]
        self.machines, self.finals = {}, [Machine(self, 0.0, client, None) for client in clients]
        for n in range(len(plan.skews)):
            self.start(n)

    def start(self, n):
        client = Former if n in self.plan.former else Client
        self.machines[n] = Machine(self, self.plan.skews[n], client, partial(self.start, n))

    def rotate(self, n):
        """Replaces the signing key. A machine that starts has it; others read it when they meet what it signed."""
        self.ring = (f"simulation {n}".encode(), *self.ring)
        self.start(n)

    def read_ring(self):
        """The secrets; none where Parameter Store does not answer."""
        return self.ring if self.sim.is_quiet or self.sim.pick(81) % 8 else ()

    def last(self, thread):
        """The machine that asks about the thread when all is quiet: one of its layout."""
        head = self.sim.table.item(partition(WHO, thread), HEAD)
        return self.finals[bool(self.plan.former and head and int(head["v"]["N"]) == Former.layout)]

    def run(self):
        for op in self.plan.ops:
            work = partial(self._guarded, partial(getattr(self, f"op_{op.kind}"), op, **op.args))
            self.sim.at(self.plan.offset + op.at, partial(self.sim.spawn, op.id, f"op{op.id}", work))
        for n, at in enumerate(self.plan.rotations):
            self.sim.at(self.plan.offset + at, partial(self.rotate, n))
        self.sim.run_forever()
        if not self.sim.violations:
            self.sim.is_quiet = True
            self.sim.spawn(1_000_000_007, "end", partial(self._guarded, self.finale), self.finals[0])
            self.sim.run_forever()

    def _guarded(self, work):
        """Turns each error that was not promised into a violation."""
        try:
            work()
        except Violation:
            raise
        except Exception as error:
            if isinstance(error, errors.StateCorrupt) and self.model.again:
                return  # one late request may bring a thread back, and another lead it to deleted items
            frames = reversed(traceback.extract_tb(error.__traceback__))
            place = next((each.name for each in frames if "/turnkeep" in each.filename), "the simulation")
            raise Violation(f"{type(error).__name__} in {place}", f"{self.sim.current.name}: {error!r}") from error

    # clients

    def ask(self, op, work, *, tries=3, busy=(), ends=(), accepts=lambda *_: True, patience=90.0, name=None):
        """Sends the request to one machine after the other until one answers; returns the answer, or None.

        `work` takes the machine and the number of the try. After an error of `busy` the client waits; one of `ends` is
        an answer, and returned. `accepts` returns whether the answer is the last one. After `patience` seconds the
        client leaves.
        """
        for n in range(tries):
            machine = self.machines[(op.on + n) % len(self.machines)]
            machine = self.last(op.args["thread"]) if self.sim.is_quiet else machine
            asked = self.sim.child(partial(work, machine, n), f"{name or op.kind}{n}", machine)
            try:
                answer = self.sim.join(asked, patience)
            except UNHEARD:
                self.sim.sleep(0.01 + self.sim.pick(n) % 4000 / 1000)
                continue
            except errors.StateCorrupt:
                if self.sim.is_quiet or not self.plan.former:
                    raise
                continue  # a machine refuses what has another layout
            except busy as error:
                attempt = self.model.attempts.get(op.id * 10 + n)
                # LangGraph keeps what a run answered to a question, and gives it to whoever resumes next
                if attempt and isinstance(error, REFUSED) and "asks" not in self.shape:
                    attempt.state = "superseded"
                self.sim.sleep((0.1, 2.0, 31.0)[self.sim.pick(n) % 3])
                continue
            except ends as error:
                answer = error
            if accepts(n, answer):
                return answer
        return None

    def look(self, op, read, check=None):
        """Reads once; `check` gets the thread, what was found, None without a thread, and when the request began."""
        began, found = self.sim.now, self.ask(op, lambda has, _: (read(has),), tries=1, ends=errors.NotFound)
        if found and check:
            check(op.args["thread"], None if isinstance(found, Exception) else found[0], began)

    def ask_turn(self, op, work, key, message, *, is_edit=False, **more):
        """Asks for a turn until one is stored, and notes what each answer promises."""
        thread = op.args["thread"]
        self.facts["messages"].setdefault(thread, {"the last"}).add(message)
        bodies = self.facts["bodies"].setdefault((thread, key), set())
        bodies.add(message)

        def accepts(_, answer):
            if isinstance(answer, errors.IdempotencyKeyReused) and bodies == {message}:
                raise Violation("retry refused", f"{key} on {thread} had no other message")
            if isinstance(answer, Exception):
                return True
            if getattr(answer, "status", "") == "stopped" and not answer.reply:  # before its first step
                return True
            attempt = self.model.attempts[number_in(answer.reply)]
            if is_edit:
                self.model.ack(attempt)
            elif answer.persisted:
                self.model.replayed(thread, key, answer.reply, message)
            else:
                attempt.state = "unknown" if answer.persisted is None else "not kept"
            return bool(answer.persisted)

        ends = (errors.NotFound, errors.IdempotencyKeyReused)
        self.ask(op, work, tries=4, busy=BUSY, ends=ends, accepts=accepts, **more)

    # the end

    def finale(self):
        """All is quiet: every promise once more, one more turn on each thread, and what expiry leaves."""
        living = [thread for thread in self.threads if self.check_all(thread) is not None]
        self.check_listing([thread for thread in living if self.last(thread) is self.finals[0]])
        self.final_registers()
        self.sim.sleep(self.plan.lease + 32 + self.model.spread)
        for thread in living if self.plan.is_served else ():
            self.drain(thread)
        for n, thread in enumerate(self.threads):
            attempt_id, key, has = 900_000 + n, f"end{n}", self.last(thread)
            if "asks" in self.shape:
                self.last_turn(has, attempt_id + 50_000, thread, f"answer{n}")  # to a question that waits
            turn = self.last_turn(has, attempt_id, thread, key)
            if not turn.persisted:
                raise Violation("thread unusable", f"{thread}: {turn}")
            self.model.replayed(thread, key, turn.reply)
            ids = self.check_all(thread)
            if not ids or ids[-1] != attempt_id:
                raise Violation("acknowledged turn lost", f"{thread} shows {ids}, without its last turn")
            self.check_views(has, thread, ids)
        if self.plan.seed % LEFT_EVERY == 0:
            self.check_nothing_left()

    def check_all(self, thread):
        """Checks all that is shown of the thread; returns its history."""
        op, began = Op(0, "last", 0.0, 0, {"thread": thread}), self.sim.now
        ids = self.history(self.last(thread), thread)
        self.model.check_read(thread, ids, began)
        for name in LOOKS.get(self.plan.family, ()):
            getattr(self, f"op_{name}")(op, thread)
        return ids

    def check_listing(self, living):
        """The user's threads are those that live, with messages of theirs; another user has none."""
        store = self.finals[0].store
        listed = sorted(thread.thread_id for thread in store.listing.search(WHO, limit=50))
        sure = {each for each in living if self.model.expires.get(self.model.heads.get(each), 0) > self.sim.now + SLACK}
        if not sure <= {*listed} <= {*living} or store.listing.search(Principal("t", "v")):
            raise Violation("listing differs", f"{listed}, not {living}")
        for thread in sure:
            pending = store.threads.read(WHO, thread).pending
            sent = self.facts["messages"].get(thread, {""})
            if pending and not sent.issuperset(pending.message.split("\n\n")):
                raise Violation("message of another", f"{thread} waits for {pending.message[:20]!r}")

    def check_views(self, has, thread, ids):
        """Page by page and one by one, the turns are the same; what branches left holds no key twice."""
        turns, found, before = has.store.turns, [], None
        while page := turns.newest(WHO, thread, limit=1, before=before):
            found, before = page + found, page[0].number
        if shown(found) != ids or turns.read(WHO, thread, 1).reply != found[0].reply:
            raise Violation("pages differ", f"{thread}: {shown(found)}, not {ids}")
        self.model.check_keys([*shown(turns.abandoned(WHO, thread)), *ids], thread)

    def check_nothing_left(self):
        """After expiry, two sweeps leave nothing of any thread. They begin with the first hour that holds an entry."""
        table = self.sim.table
        for hours in (self.plan.hours + 1.1, 1.1, 1.1):
            self.sim.sleep(hours * 3600)
            table.settle(table.clock())
            if buckets := [bucket for bucket, entries in table.indexes["by_expiry"].items() if entries]:
                for final in self.finals:
                    final.cleanup.begin_at(min(buckets).partition("#")[0])
                    final.cleanup.sweep()
        for pk, thread in self.model.partitions.items():
            objects = [name for name in table.objects if name.startswith(objects_of(pk))]
            if rest := [*sorted(table.parts.get(pk, ())), *objects]:
                raise Violation("items left for TTL", f"{thread}: {rest[:6]}")


def play(plan, *, log=False, cloud=Cloud):
    """Runs the plan; returns the violation or None, and the world."""
    with _quiet():
        world = World(plan, cloud)
        world.sim.network.log = [] if log else None
        world.run()
        world.sim.end()
    return next(iter(world.sim.violations), None), world


@contextmanager
def _quiet():
    """Neither logs nor metrics, nor complaints about coroutines of processes that died; an end to endless loops."""
    signal.signal(signal.SIGVTALRM, _never_ends)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_CPU_SECONDS)
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    logs = patch.object(logging.Logger, "isEnabledFor", lambda *_: False)
    threads = patch.object(AsyncIOBackend, "run_sync_in_worker_thread", in_actor)
    silent = warnings.catch_warnings(action="ignore", category=RuntimeWarning)
    try:
        with silent, logs, threads, patch.object(sys, "unraisablehook", lambda _: None):
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _never_ends(*_):
    raise Violation("does not end", "it computes without a call")
