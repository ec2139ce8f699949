"""Operations on threads through the store: turns, edits, branches, forks, deletions, erasure and cleanup.

A turn does here what `Turns` does, without an event loop and without a graph: that is twice as fast.
"""

from dataclasses import replace
from hashlib import sha256
from zlib import crc32

from simulation.kernel import Killed, Violation
from simulation.loops import in_loop
from simulation.model import Attempt, number_in
from simulation.network import TWICE
from simulation.operations.memory import Access, is_linearizable
from turnkeep import errors
from turnkeep.records import Principal, Turn, Usage
from turnkeep.storage.links import Segment
from turnkeep.storage.plans import Saved
from turnkeep.turns.commit import Commit

WHO = Principal("t", "u")
NOISE = "".join(sha256(str(n).encode()).hexdigest() for n in range(200))
LONG = " " + NOISE[:2_560]
BUSY = (errors.ThreadBusy, errors.TurnInProgress, errors.Superseded, errors.ThreadMoved)


class ThreadOps:
    def op_turn(self, op, thread, key, *, of=None, base=None, is_edit=False, is_long=False, patience=90.0):
        message = f"m{of or op.id}" + (LONG if is_long else "")

        def work(has, n):
            attempt_id = op.id * 10 + n
            said = f"{key}e{attempt_id}" if is_edit else key
            return self.turn(has, attempt_id, thread, said, message, base=base, is_edit=is_edit)

        more = {
            "ends": (errors.NotFound, errors.IdempotencyKeyReused),
            "failed": self.superseded(op),
            "accepts": self.answered(op, thread, key, message),
        }
        if is_edit:
            more["accepts"] = lambda _, told: isinstance(told, Exception) or bool(self.acknowledged(told))
        self.ask(op, work, tries=4, busy=BUSY, patience=patience, **more)

    def acknowledged(self, told):
        self.model.ack(self.model.attempts[number_in(told.reply)])
        return told

    def turn(self, has, attempt_id, thread, key, message, *, base=None, is_edit=False):
        """BEGIN and LOAD in parallel, a pause for the run, COMMIT. Returns the turn."""
        table, sim = has.table, self.sim
        began = sim.now
        look = has.child(lambda: table.look_ahead(WHO, thread), "ahead")
        begun = table.begin(
            WHO, thread, key=key, body=message.encode(), message=None if is_edit else message, create=True
        )
        if isinstance(begun, Turn):
            return begun
        try:
            loaded = table.load(begun.head, None, base, ahead=sim.join(look))
            attempt = self._attempt((attempt_id, thread, key), begun, loaded, is_edit=is_edit)
            if base is None:
                self.model.check_read(thread, list(attempt.history), began, with_edits=True, by=f"r{attempt_id} loads")
            pause = sim.pick(1) % 100
            sim.sleep(0.01 if pause < 70 else 3.0 if pause < 90 else self.plan.lease + 2)
            if pause >= 85:
                table.renew(begun)
            saved, turn = made(attempt, loaded, message, has.clock())
            if is_edit:
                plan, _ = table.prepare(begun, loaded, saved, None)
                return table.apply(plan) or replace(turn, persisted=True)
            return in_loop(sim, Commit(table, sim.now + 30).store(begun, loaded, saved, turn))
        except (Killed, errors.Unsettled):
            raise
        except BaseException:
            table.release(begun)
            raise

    def _attempt(self, names, begun, loaded, *, is_edit):
        history = texts(loaded)
        self.model.check_chain(history, names[1], with_edits=True)
        attempt = Attempt(*names, begun.head.born, tuple(history), self.sim.now, loaded.is_branch, is_edit)
        attempt.message = begun.message or None
        self.model.attempts[attempt.id] = attempt
        return attempt

    def last_turn(self, has, attempt_id, thread, key):
        turn = self.serve if self.plan.family in ("serving", "saver") else self.turn
        return turn(has, attempt_id, thread, key, "the last")

    def history(self, has, thread):
        """The attempts that the thread shows; None where it is not found."""
        try:
            turns = has.table.read_turns(WHO, thread, limit=100)
        except errors.NotFound:
            return None
        numbers = [turn.number for turn in turns]
        if numbers != list(range(1, len(turns) + 1)):
            raise Violation("numbers have gaps", f"{thread}: {numbers}")
        return shown(turns)

    def op_read(self, op, thread):
        began = self.sim.now
        found = self.ask(op, lambda has, _: (self.history(has, thread),), tries=1)
        if found:
            self.model.check_read(thread, *found, began, with_edits=False, by=f"op{op.id}")

    def op_create(self, op, thread):
        create = lambda has, _: has.table.create_thread(WHO, thread, if_exists="do_nothing")  # noqa: E731
        self.ask(op, create, busy=errors.ThreadBusy)

    def op_meta(self, op, thread):
        began, tries = self.sim.now, []

        def change(has, _):
            tries.append(Access(False, op.id, self.sim.now))
            return has.table.update_thread(WHO, thread, {"a": op.id})

        found = self.ask(op, change, busy=errors.ThreadBusy, ends=errors.NotFound)
        if found and not isinstance(found, Exception):
            tries[-1].ended = self.sim.now
        life = thread, self.model.life(thread, began)
        self.facts["metadata"].setdefault(life, []).extend(tries)

    def final_metadata(self, has):
        """Each thread's metadata is a register, where the incarnation of each change is known."""
        for (thread, born), changes in self.facts["metadata"].items():
            began, is_known = self.sim.now, (thread, None) not in self.facts["metadata"]
            if (
                born
                and is_known
                and self.model.life(thread, began) == born
                and not self.model.may_be_gone(thread, born)
            ):
                value = has.table.read_thread(WHO, thread).metadata.get("a")
                if not is_linearizable([*changes, Access(True, value, began, self.sim.now)]):
                    raise Violation("metadata is not a register", f"{thread}: {value}; {'; '.join(map(str, changes))}")

    def op_delete(self, op, thread, by="table"):
        """By the table, as DELETE does it, or by the saver, which does not report a missing thread."""
        end, outcome = self.model.begin_end(thread), []

        def work(has, _):
            end.active += 1
            try:
                return has.saver.delete_thread(thread) if by == "saver" else has.table.delete_thread(WHO, thread)
            finally:
                end.active -= 1

        def note(n, answer):
            # after a try that got no answer, a thread that is not found may be one that this deletion deleted; a
            # refused request that arrives twice may delete a thread that came meanwhile
            is_none = isinstance(answer, Exception) and n == 0
            outcome.append("unknown" if is_none and TWICE in self.plan.faults else "none" if is_none else "gone")
            return True

        self.ask(op, work, tries=4, ends=errors.NotFound, accepts=note)
        self.model.finish_end(end, outcome[0] if outcome else "unknown")

    def op_sweep(self, op):
        self.ask(op, lambda has, _: has.cleanup.sweep(), tries=2, patience=900.0)

    def op_ttl(self, op):
        """DynamoDB deletes some of the items whose time to live is over."""
        for place in self.sim.table.expired():
            if self.sim.pick(crc32("|".join(place).encode())) & 1:
                self.sim.table.set(*place, None)

    def op_erase(self, op):
        ends = [self.model.begin_end(thread) for thread in self.threads]

        def work(has, _):
            for end in ends:
                end.active += 1
            try:
                return has.persons.erase(WHO)
            finally:
                for end in ends:
                    end.active -= 1

        receipt = self.ask(op, work, accepts=lambda _, receipt: receipt.complete)
        # a listing that is behind shows not all of it: the rest goes at the last look, hours later (decision 0035)
        is_done = receipt and not self.plan.lag and not any(self.plan.skews)
        for end in ends:
            self.model.finish_end(end, "gone" if is_done else "unknown")

    def op_fork(self, op, thread, to, turn=None):
        self.model.forks.setdefault(to, set()).add(thread)
        fork = lambda has, _: has.table.fork(WHO, thread, to, turn=turn)  # noqa: E731
        self.ask(op, fork, busy=(errors.ThreadBusy, errors.Superseded), ends=(errors.NotFound, errors.ThreadExists))


def shown(turns):
    """The attempts that turns name; a turn that asks back names none."""
    return [number_in(turn.reply) for turn in turns if turn.status != "interrupted"]


def texts(loaded):
    """The attempts whose messages a run starts with."""
    start, found = 0, []
    for number, link in enumerate(loaded.links):
        for segment in link.segments:
            start = segment.keep if number == 0 else min(start, segment.keep)
            found = found[: segment.keep - start] + [each["data"]["content"] for each in segment.elements]
    if loaded.checkpoint and loaded.checkpoint["lengths"]:
        total = loaded.checkpoint["lengths"][0][2]
        if start or len(found) != total:
            raise Violation("history broken", f"{start} + {len(found)} messages of {total}")
    return [number_in(text) for text in found if number_in(text) >= 0]


def made(attempt, loaded, message, now):
    """What a graph leaves that appends the message and the reply."""
    keep = int(loaded.checkpoint["lengths"][0][2]) if loaded.checkpoint else 0
    reply = f"{'e' if attempt.is_edit else 'r'}{attempt.id}"
    said = [("ai", reply)] if attempt.is_edit else [("human", message), ("ai", reply)]
    elements = [{"type": kind, "data": {"content": text}} for kind, text in said]
    checkpoint = {"lengths": [["", "messages", keep + len(elements)]]}
    saved = Saved(f"{int(now * 1000):014d}-{attempt.id:08d}", checkpoint, (Segment("", "messages", keep, elements),))
    details = {"rows": NOISE} if len(message) > 100 else {}
    return saved, Turn(
        thread_id=None,
        number=0,
        agent="a",
        message=message,
        reply=reply,
        status="complete",
        created_at=now,
        duration_ms=5,
        provider="p",
        model="m",
        usage=Usage(1, 2),
        details=details,
    )
