"""Virtual time, actors and processes: one event loop in one thread, for synchronous and asynchronous code.

What runs in threads elsewhere is an actor: a greenlet that pauses at each call to the table. So only what is scheduled
can race. Every draw is a pure function of seed, actor and the number of the call. Leaving out an operation or a fault
therefore changes no other draw.
"""

import asyncio
import heapq
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from itertools import batched
from random import Random

import greenlet

from turnkeep.turns.threads import in_thread

BASE, FOREVER = 1_800_000_000.0, 1e18
_MASK = (1 << 64) - 1
ACTOR = ContextVar("actor", default=None)


class Killed(BaseException):
    """Thrown into all that runs on a process when it dies."""


class Violation(Exception):
    """A promise that did not hold."""

    def __init__(self, kind, what):
        super().__init__(f"{kind}: {what}")
        self.kind = kind


def mix(*parts):
    """A hash of integers, the same in every process."""
    x = hash(parts) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


class Actor(greenlet.greenlet):
    """One activity. `id` depends on the plan alone; `done` is the future of what `work` returns or raises."""

    def __init__(self, sim, id_, name, work, process):
        super().__init__(parent=sim.hub)
        self.sim, self.id, self.name, self.work, self.process = sim, id_, name, work, process
        self.calls = self.children = self.pauses = self.drawn = 0
        self.is_dead, self.done = False, sim.create_future()

    def run(self, *_):
        try:
            self.done.set_result(self.work())
        except Violation as found:
            self.sim.violations.append(found)
        except BaseException as error:  # noqa: BLE001 - raised by `join`
            self.fail(error)

    def fail(self, error):
        if not self.done.done():  # cancelled, as a call whose task was
            self.done.set_exception(error)

    def resume(self, pause, _=None):
        """Ends this pause. One that is over already is not affected."""
        if pause == self.pauses and not self.is_dead:
            self.pauses += 1
            asyncio._set_running_loop(None)  # as in a thread
            self.switch()
            asyncio._set_running_loop(self.sim)

    def kill(self):
        self.is_dead = True
        if self:  # it has begun, and is not over
            self.parent = greenlet.getcurrent()
            self.throw(Killed)
        self.fail(Killed())


class Sim(asyncio.BaseEventLoop):
    """`network` decides about calls, `table` answers them: see network.py. Indexes and eventually consistent reads
    are up to `lag` seconds behind."""

    def __init__(self, seed, network, table, *, page, lag, now):
        super().__init__()
        self.seed, self.network, self.most_lag, self.now = seed, network, lag, now
        self.actors, self.violations, self.is_quiet = [], [], False
        self.heap, self.count, self.hub = [], 0, greenlet.getcurrent()
        self.table = table(lambda: BASE + self.now, lag=self._lag, page=page)

    def _lag(self):
        drawn = self.pick(77)
        return self.most_lag * (drawn % 1000) / 1000 if drawn & 0x300000 and not self.is_quiet else 0.0

    # time

    def time(self):
        return self.now

    def at(self, when, what):
        self.count += 1
        heapq.heappush(self.heap, (when, self.count, what))

    def call_at(self, when, callback, *args, context=None):
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self.at(when, lambda: handle.cancelled() or handle._run())
        return handle

    def call_soon(self, callback, *args, context=None):
        return self.call_at(self.now, callback, *args, context=context)

    call_soon_threadsafe = call_soon

    def _run_once(self):
        """Does what is due, until nothing is left or a violation was found."""
        while self.heap and not self.violations:
            when, _, what = heapq.heappop(self.heap)
            self.now = max(self.now, when)
            what()
        self._stopping = True

    def call_exception_handler(self, context):
        """What no one waits for, as the error of an actor that was killed, is not logged."""

    def sleep(self, seconds, until=None):
        """Gives control away for `seconds`, at most until this future is done."""
        actor = self.current
        if actor.is_dead:
            raise Killed
        resume, due = partial(actor.resume, actor.pauses), self.now + seconds
        if until:
            until.add_done_callback(resume)
        if seconds < FOREVER:
            self.at(due, resume)
        self.hub.switch()
        assert until or self.now >= due, "a pause was cut short"

    # actors

    @property
    def current(self):
        """The actor that runs, or that waits for the task that runs; None for the network."""
        here = greenlet.getcurrent()
        return ACTOR.get() if here is self.hub else here

    def spawn(self, id_, name, work, process=None):
        actor = Actor(self, id_, name, work, process)
        self.actors.append(actor)
        if process:
            process.actors.append(actor)
        self.at(self.now, partial(actor.resume, 0))
        return actor

    def child(self, work, name, process=...):
        """The future of a new actor, on this process unless another is given; None for none."""
        parent = self.current
        parent.children += 1
        process = parent.process if process is ... else process
        return self.spawn(mix(parent.id, parent.children) >> 8, f"{parent.name}/{name}", work, process).done

    def join(self, future, seconds=FOREVER):
        """What the future returns or raises; TimeoutError after `seconds`."""
        if not future.done():
            self.sleep(seconds, future)
        if not future.done():
            raise TimeoutError
        return future.result()

    def in_parallel(self, calls, at_once):
        """Actors in place of the threads of the eraser."""
        for some in batched(calls, at_once, strict=False):
            yield from map(self.join, [self.child(call, "parallel") for call in some])

    def run_in_executor(self, executor, func, *args):
        return self.child(partial(func, *args), "call")

    def complete(self, coroutine):
        """The result of the coroutine; the current actor waits. Other tasks that it made end with it."""
        ACTOR.set(self.current)
        try:
            return self.join(self.create_task(coroutine))
        finally:
            for task in asyncio.all_tasks(self):
                if task.get_context().get(ACTOR) is self.current:
                    task._log_destroy_pending = False
                    with suppress(BaseException):
                        task.get_coro().close()

    def end(self):
        for actor in self.actors:
            actor.kill()
        self.actors.clear()
        self.heap.clear()
        self.close()

    # chance

    def random_bytes(self, size):
        """Random bytes: the nth of an actor are the same in every run of this seed."""
        self.current.drawn += 1
        return Random(mix(self.seed, 5, self.current.id, self.current.drawn)).randbytes(size)

    def pick(self, *salt):
        """A number drawn for this actor at this call."""
        actor = self.current
        return mix(self.seed, 9, *((actor.id, actor.calls) if actor else (0, 0)), *salt)


class Lock:
    """A reentrant lock among actors: they share one thread, so a lock of `threading` never blocks them."""

    def __init__(self, sim):
        self.sim, self.owner, self.depth, self.released = sim, None, 0, None

    def __enter__(self):
        while self.owner not in (None, self.sim.current):
            self.sim.join(self.released)
        if self.owner is None:
            self.owner, self.released = self.sim.current, self.sim.create_future()
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1
        if not self.depth:
            self.owner = None
            self.released.set_result(None)


async def in_actor(function, args, **_):
    """In place of a thread of anyio."""
    return await in_thread(function, *args)
