"""Operations on threads through the store: turns, edits, branches, forks, deletions, erasure and cleanup.

A turn does here what `Turns` does, without an event loop and without a graph: that is twice as fast.
"""

from hashlib import sha256

from simulation.kernel import Killed, Violation
from simulation.model import number_in
from simulation.network import TWICE
from simulation.operations.memory import WHO
from turnkeep import errors
from turnkeep.records import Turn, Usage
from turnkeep.store.leases import BeginRequest
from turnkeep.store.links import Segment
from turnkeep.store.plans import Saved
from turnkeep.turns.commit import Commit

NOISE = "".join(sha256(str(n).encode()).hexdigest() for n in range(200))
LONG = " " + NOISE[:2_560]


class ThreadOps:
    def op_turn(self, op, thread, key, *, of=None, base=None, is_edit=False, is_long=False, patience=90.0):
        message = f"m{of or op.id}" + (LONG if is_long else "")

        def work(has, n):
            attempt_id = op.id * 10 + n
            own_key = f"{key}e{attempt_id}" if is_edit else key
            return self.turn(has, attempt_id, thread, own_key, message, base=base, is_edit=is_edit)

        self.ask_turn(op, work, key, message, patience=patience, is_edit=is_edit)

    def turn(self, has, attempt_id, thread, key, message, *, base=None, is_edit=False):
        """BEGIN and LOAD in parallel, a pause for the run, COMMIT. Returns the turn."""
        store, sim, began = has.store, self.sim, self.sim.now
        ahead = sim.child(lambda: store.turns.look_ahead(WHO, thread), "ahead")
        request = BeginRequest(key, message.encode(), None if is_edit else message, create=True)
        begun = store.leases.begin(WHO, thread, request)
        if isinstance(begun, Turn):
            return begun
        try:
            loaded = store.turns.load(begun.head, None, base, ahead=sim.join(ahead))
            kind = {"is_branch": loaded.is_branch, "is_edit": is_edit, "message": begun.message}
            attempt = self.model.start(attempt_id, thread, key, begun.head.incarnation, texts(loaded), **kind)
            if base is None:
                self.model.check_read(thread, attempt.history, began, with_edits=True)
            pause = sim.pick(1) % 100
            sim.sleep(0.01 if pause < 70 else 3.0 if pause < 90 else self.plan.lease + 2)
            if pause >= 85:
                store.leases.renew(begun)
            saved, turn = made(attempt, loaded, message, has.clock())
            if is_edit:
                store.turns.commit(store.turns.planner.plan(begun, loaded, saved, None)[0])
                return turn
            return sim.complete(Commit(store, sim.now + 30).write(begun, loaded, saved, turn))
        except (Killed, errors.Unsettled):
            raise
        except BaseException:
            store.leases.release(begun)
            raise

    def last_turn(self, has, attempt_id, thread, key):
        turn = self.serve if self.plan.is_served or self.plan.family == "saver" else self.turn
        return turn(has, attempt_id, thread, key, "the last")

    def history(self, has, thread):
        """The attempts that the thread shows; None where it is not found."""
        try:
            turns = has.front.turns.newest(WHO, thread, limit=100)
        except errors.NotFound:
            return None
        if (numbers := [turn.number for turn in turns]) != list(range(1, len(turns) + 1)):
            raise Violation("numbers have gaps", f"{thread}: {numbers}")
        return shown(turns)

    def op_read(self, op, thread):
        self.look(op, lambda has: self.history(has, thread), self.model.check_read)

    def op_create(self, op, thread):
        create = lambda has, _: has.front.threads.create(WHO, thread, if_exists="do_nothing")  # noqa: E731
        self.ask(op, create, busy=errors.ThreadBusy)

    def end(self, op, threads, work, outcome, **more):
        """Sends a request that may take turns of the threads away. `outcome` judges the try and its answer; None: ask
        again."""
        ends, outcomes = [self.model.begin_end(thread) for thread in threads], [None]

        def working(has, _):
            for end in ends:
                end.active += 1
            try:
                return work(has)
            finally:
                for end in ends:
                    end.active -= 1

        self.ask(op, working, accepts=lambda *tried: outcomes.append(outcome(*tried)) or outcomes[-1], **more)
        for end in ends:
            end.done, end.outcome = self.sim.now, outcomes[-1] or "unknown"

    def op_delete(self, op, thread):
        def outcome(n, answer):
            if n or not isinstance(answer, Exception):
                return "gone"  # where it is not found, by the try before, which got no answer
            return "unknown" if TWICE in self.plan.faults else "none"  # a thread that came meanwhile may be deleted

        delete = lambda has: has.front.threads.delete(WHO, thread)  # noqa: E731
        self.end(op, [thread], delete, outcome, tries=4, ends=errors.NotFound)

    def op_erase(self, op):
        # a listing that is behind shows not all of it: the rest goes at the last look, hours later (decision 0035)
        sure = "unknown" if self.plan.lag or any(self.plan.skews) else "gone"
        by = "http" if self.plan.is_served else "user_eraser"
        erase = lambda has: getattr(has, by).erase(WHO)  # noqa: E731
        self.end(op, self.threads, erase, lambda _, receipt: sure if receipt.complete else None)

    def op_sweep(self, op):
        self.ask(op, lambda has, _: has.cleanup.sweep(), tries=2, patience=900.0)

    def op_fork(self, op, thread, to, turn=None):
        self.model.forks[to].add(thread)
        fork = lambda has, _: has.store.fork(WHO, thread, to, turn=turn)  # noqa: E731
        self.ask(op, fork, busy=(errors.ThreadBusy, errors.Superseded), ends=(errors.NotFound, errors.ThreadExists))


def shown(turns):
    """The attempts that turns name; one that asks back, or was stopped before its first step, names none."""
    return [number_in(turn.reply) for turn in turns if turn.status != "interrupted" and turn.reply]


def texts(loaded):
    """The attempts whose messages a run starts with."""
    found = []
    for segment in (each for link in loaded.links for each in link.segments):
        found[segment.keep :] = [each["data"]["content"] for each in segment.elements]
    if len(found) != length(loaded):
        raise Violation("history broken", f"{len(found)} messages of {length(loaded)}")
    return [number_in(text) for text in found if number_in(text) >= 0]


def length(loaded):
    """The number of its messages."""
    return int(loaded.checkpoint["lengths"][0][2]) if loaded.checkpoint else 0


def made(attempt, loaded, message, now):
    """What a graph leaves that appends the message and the reply."""
    keep, reply = length(loaded), f"{'e' if attempt.is_edit else 'r'}{attempt.id}"
    messages = [("ai", reply)] if attempt.is_edit else [("human", message), ("ai", reply)]
    elements = [{"type": kind, "data": {"content": text}} for kind, text in messages]
    checkpoint = {"lengths": [["", "messages", keep + len(elements)]]}
    saved = Saved(f"{int(now * 1000):014d}-{attempt.id:08d}", checkpoint, (Segment("", "messages", keep, elements),))
    more = {"usage": Usage(1, 2), "details": {"rows": NOISE} if len(message) > 100 else {}}
    return saved, Turn(None, 0, "a", message, reply, "complete", now, 5, "p", "m", **more)
