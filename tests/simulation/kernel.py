"""Virtual time, actors and processes: a discrete-event simulation in one thread.

Each actor is a greenlet, and each call to the table a switch, so only what is scheduled can race. Every draw is a pure
function of seed, actor and the number of the call. Leaving out an operation or a fault therefore changes no other draw.
"""

import heapq
from itertools import batched

import greenlet

BASE, FOREVER = 1_800_000_000.0, 1e18
_MASK = (1 << 64) - 1


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
    """One activity. `id` depends on the plan alone."""

    def __init__(self, sim, id_, name, work, process):
        super().__init__()
        self.sim, self.id, self.name, self.work, self.process = sim, id_, name, work, process
        self.calls = self.children = self.pauses = self.drawn = 0
        self.is_dead = self.is_over = False
        self.waiters, self.result, self.error = [], None, None

    def run(self, *_):
        try:
            self.result = self.work()
        except Violation as found:
            self.sim.violations.append(found)
        except BaseException as error:  # noqa: BLE001 - raised by `join`
            self.error = error
        self.end()

    def end(self):
        self.is_over = True
        for each in self.waiters:
            self.sim.wake(each)


class Process:
    """One machine; its clock is `skew` seconds ahead. `build` makes its services, again after each death."""

    def __init__(self, sim, skew, build, client):
        self.sim, self.skew, self.build, self.new_client = sim, skew, build, client
        self.boot()

    def boot(self):
        self.actors, self.client = [], self.new_client(self.sim)
        self.has = self.build(self)

    def clock(self):
        return BASE + self.sim.now + self.skew

    def die(self, but):
        """Ends all that runs here; the process starts again immediately, with an empty memory."""
        self.client.is_dead = True  # what is collected as garbage later sends nothing
        doomed = self.actors
        for actor in doomed:
            actor.is_dead = True
        for actor in doomed:
            if actor is not but and not actor.is_over:
                self.sim.kill(actor)
        self.boot()


class Sim:
    """`network` decides about calls, `table` answers them: see network.py. Indexes are up to `lag` seconds behind."""

    def __init__(self, seed, network, table, *, page, lag, now):
        self.seed, self.network, self.most_lag, self.now = seed, network, lag, now
        self.heap, self.count, self.actors, self.violations = [], 0, [], []
        self.hub, self.current, self.is_quiet = greenlet.getcurrent(), None, False
        self.table = table(lambda: BASE + self.now, lag=self._lag, page=page)

    def _lag(self):
        drawn = self.pick(77)
        return self.most_lag * (drawn % 1000) / 1000 if drawn & 0x300000 and not self.is_quiet else 0.0

    # time

    def at(self, when, what):
        self.count += 1
        heapq.heappush(self.heap, (when, self.count, what))

    def wake(self, actor, when=None):
        """Ends the present pause of the actor then. A pause that is over already is not affected."""
        pause = actor.pauses
        self.at(self.now if when is None else when, lambda: self._resume(actor, pause))

    def _resume(self, actor, pause):
        if not actor.is_over and not actor.is_dead and actor.pauses == pause:
            self.current = actor
            actor.switch()
            self.current = None

    def run(self):
        """Runs until nothing is left to do, or a violation was found."""
        while self.heap and not self.violations:
            when, _, what = heapq.heappop(self.heap)
            self.now = max(self.now, when)
            what()

    def close(self):
        for actor in self.actors:
            if not actor.is_over:
                self.kill(actor)

    def sleep(self, seconds):
        if self.current.is_dead:
            raise Killed
        self.wake(self.current, self.now + seconds)
        self.pause()

    def pause(self):
        """Gives control away until something wakes this actor."""
        actor = self.current
        self.hub.switch()
        actor.pauses += 1
        self.current = actor
        if actor.is_dead:
            raise Killed

    # actors

    def spawn(self, id_, name, work, process=None):
        actor = Actor(self, id_, name, work, process)
        self.actors.append(actor)
        if process:
            process.actors.append(actor)
        self.wake(actor)
        return actor

    def child(self, work, name, process=...):
        """An actor of this process unless another is given; None for none."""
        parent = self.current
        parent.children += 1
        process = parent.process if process is ... else process
        return self.spawn(mix(parent.id, parent.children) >> 8, f"{parent.name}/{name}", work, process)

    def kill(self, actor):
        actor.is_dead = True
        if actor:  # it has begun, and is not over
            before, self.current = self.current, actor
            actor.parent = greenlet.getcurrent()
            actor.throw(Killed)
            self.current = before
        if not actor.is_over:
            actor.error = Killed()
            actor.end()

    def join(self, other, seconds=FOREVER):
        """The result of another actor. Raises what it raised, and TimeoutError after `seconds`."""
        until = self.now + seconds
        while not other.is_over:
            other.waiters.append(self.current)
            if self.now >= until:
                raise TimeoutError
            if seconds < FOREVER:
                self.wake(self.current, until)
            self.pause()
        if other.error is not None:
            raise other.error
        return other.result

    def in_parallel(self, calls, at_once):
        """Actors in place of the threads of the eraser."""
        for some in batched(calls, at_once, strict=False):
            yield from map(self.join, [self.child(call, "parallel") for call in some])

    # chance

    def random_bytes(self, size):
        """Random bytes: the nth of an actor are the same in every run of this seed."""
        self.current.drawn += 1
        drawn = (mix(self.seed, 5, self.current.id, self.current.drawn, part) for part in range(-(-size // 8)))
        return b"".join(each.to_bytes(8) for each in drawn)[:size]

    def pick(self, *salt):
        """A number drawn for this actor at this call."""
        actor = self.current
        return mix(self.seed, 9, *((actor.id, actor.calls) if actor else (0, 0)), *salt)


class Lock:
    """A reentrant lock among actors: they share one thread, so a lock of `threading` never blocks them."""

    def __init__(self, sim):
        self.sim, self.owner, self.depth, self.waiting = sim, None, 0, []

    def __enter__(self):
        while self.owner not in (None, self.sim.current) and not self.owner.is_over:
            self.waiting.append(self.sim.current)
            self.sim.pause()
        self.owner = self.sim.current
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1
        if not self.depth:
            self.owner = None
            while self.waiting:
                self.sim.wake(self.waiting.pop())
