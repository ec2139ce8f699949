"""What was promised, and whether what a reader got keeps it.

An attempt is one run of one message. Its reply names it, and it notes what its run saw. A history must therefore be a
list of attempts of which each saw exactly those before it: a lost, doubled, torn or foreign turn breaks this one rule.
"""

import re
from dataclasses import dataclass, field

from simulation.kernel import BASE, Violation

SLACK = 5.0
"""Seconds around an expiry in which nothing is demanded, because clocks differ."""
FOREVER = 1e18
SLOW = 20.0
"""A reader that took longer judged by its clock what it had read long before."""
CONTENT = frozenset(("lease", "pend", "meta", "title", "agent", "keys", "last", "cp", "st", "sig"))
ENDS_RUNS = re.compile("cancel|delete|erase|sweep|import|invoke")
NOT_KEPT = ("not kept", "superseded")


@dataclass(eq=False)
class Attempt:
    id: int
    thread: str
    key: str
    born: bytes
    history: tuple
    begun_at: float
    is_branch: bool = False
    is_edit: bool = False
    message: str | None = None
    acked_at: float | None = None
    state: str = "running"  # kept, unknown, or one of NOT_KEPT


@dataclass(eq=False)
class End:
    """A deletion, or another operation that may take turns away. `borns`: the lives that it may have met. `active`: how
    many servers work on it."""

    thread: str
    invoked: float
    born: bytes | None
    borns: set
    done: float | None = None
    outcome: str = "running"  # gone, none, unknown
    active: int = 0


@dataclass
class Model:
    sim: object
    partitions: dict
    attempts: dict = field(default_factory=dict)
    acked: dict = field(default_factory=dict)
    ends: dict = field(default_factory=dict)
    heads: dict = field(default_factory=dict)
    expires: dict = field(default_factory=dict)
    before: dict = field(default_factory=dict)
    """When a life was last extended, and when it would have expired otherwise."""
    again: set = field(default_factory=set)
    """Lives that came back from deletion, because the request that created them arrived twice."""
    forks: dict = field(default_factory=dict)
    ended: dict = field(default_factory=dict)
    takers: dict = field(default_factory=dict)
    """Which request took a lease, by the lease's owner."""
    stored_in: dict = field(default_factory=dict)
    """The life in which a request stored its last link."""
    spread: float = 0.0
    """How far the clocks of the machines are apart."""
    brought: set = field(default_factory=set)
    """Attempts that were imported: they may come again."""

    def on_head(self, pk, old, new):
        """Follows each change of a HEAD from outside."""
        thread = self.partitions.get(pk)
        if thread is None:
            return
        born = new.get("born", {}).get("B") if new and "gone" not in new else None
        self._check_lease(thread, old, new)
        if "gone" in new and (left := CONTENT & new.keys()):
            self.sim.violations.append(Violation("tombstone with content", f"{thread}: {sorted(left)}"))
        before = self.heads.get(thread)
        if before != born or born is None:
            self.ended[thread] = self.sim.now if before or born is None else self.ended.get(thread, -1)
        self.heads[thread] = born
        if born is not None:
            expires, known = int(new["expires"]["N"]) / 1000 - BASE, self.expires.get(born, 0)
            if expires > known:
                self.expires[born] = expires
                self.before[born] = (self.sim.now, known)
            if before is None and known:  # a request to create it came again
                self.again.add(born)
            for end in self.ends.get(thread, ()):
                if end.active or end.outcome == "running":
                    end.borns.add(born)

    def _check_lease(self, thread, old, new):
        had, has = old.get("lease"), new.get("lease")
        who = "/".join(self.sim.current.name.split("/")[:2]) if self.sim.current else None
        if who and has and had != has:
            self.takers.setdefault(has["M"]["o"]["B"], who)
        if old.get("last") != new.get("last", old.get("last")):
            self.stored_in[who] = new["born"]["B"]
        is_released = (
            had and not has and [old.get(n) for n in ("last", "born")] == [new.get(n) for n in ("last", "born")]
        )
        if (
            is_released
            and "gone" not in new
            and who
            and not ENDS_RUNS.search(who)
            and self.takers.get(had["M"]["o"]["B"], who) != who
        ):
            self.sim.violations.append(Violation("lease released by another", f"{thread}: by {who}"))
        if not had or not has or old.get("born") != new.get("born") or old["seq"] == new["seq"]:
            return
        left = int(had["M"]["t"]["N"]) / 1000 - BASE - self.sim.now
        if left > 3 + self.spread and had["M"]["o"] != has["M"]["o"]:
            self.sim.violations.append(Violation("lease taken over", f"{thread}, {left:.0f} s before its lease ends"))

    def life(self, thread, since):
        """The incarnation id that the thread has had ever since; None where that is not known."""
        return self.heads.get(thread) if self.ended.get(thread, -1) < since else None

    def may_be_gone(self, thread, born, began=FOREVER):
        """Whether it may have ended; for one who has read it since `began`, as it was then."""
        extended, known = self.before.get(born, (0.0, 0.0))
        expires = known if extended >= began else self.expires.get(born, 0)
        return expires < self.sim.now + SLACK or any(
            born in end.borns and end.outcome != "none" for end in self.ends.get(thread, ())
        )

    # what is done

    def begin_end(self, thread):
        born = self.heads.get(thread)
        end = End(thread, self.sim.now, born, {born} if born else set())
        self.ends.setdefault(thread, []).append(end)
        return end

    def finish_end(self, end, outcome):
        end.done, end.outcome = self.sim.now, outcome

    def ack(self, attempt):
        if attempt.state in NOT_KEPT:
            raise Violation("not kept but there", f"r{attempt.id} was {attempt.state}, and is acknowledged")
        attempt.acked_at = self.sim.now if attempt.acked_at is None else attempt.acked_at
        attempt.state = "kept"
        mine = self.acked.setdefault(attempt.thread, [])
        if attempt not in mine:
            mine.append(attempt)

    def replayed(self, thread, key, reply, message=None):
        """A request with this key and message got this reply."""
        found = self.attempts.get(number_in(reply))
        if found is None or found.key != key or (found.thread != thread and thread not in self.forks):
            raise Violation("foreign replay", f"{key} on {thread} got {reply}")
        if message and found.message and message != found.message:
            raise Violation("foreign replay", f"{key} on {thread} got {reply}, the reply to another message")
        self.ack(found)
        for other in self.acked.get(found.thread, ()):
            if other.key == key and other is not found and other.born == found.born:
                raise Violation("two turns of one key", f"{key} on {thread}: r{other.id} and r{found.id}")

    # what is read

    def check_chain(self, ids, thread, *, with_edits):
        """Checks that this is a history as it was at one moment."""
        for at, id_ in enumerate(ids):
            attempt = self.attempts.get(id_)
            if attempt is None or (attempt.thread != thread and attempt.thread not in self.forks.get(thread, ())):
                raise Violation("foreign turn", f"{thread} shows r{id_}")
            before = [each for each in attempt.history if with_edits or not self.attempts[each].is_edit]
            if before != list(ids[:at]):
                raise Violation("history broken", f"{thread} shows {ids}, but r{id_} saw {before}")
            if attempt.state in NOT_KEPT and attempt.acked_at is None and attempt.thread == thread:
                raise Violation("not kept but there", f"{thread} shows r{id_}, which was {attempt.state}")
        keys = [self.attempts[id_].key for id_ in ids]
        if len({*keys}) < len(keys):
            raise Violation("two turns of one key", f"{thread} shows {ids} of {keys}")

    def check_read(self, thread, ids, began, *, with_edits, by=""):
        """Checks a history that was read between `began` and now; `ids` is None where the thread was not found."""
        shown, now = ids or [], self.sim.now
        self.check_chain(shown, thread, with_edits=with_edits)
        for attempt in (self.attempts[id_] for id_ in shown):
            if attempt.thread == thread and attempt.id not in self.brought:
                self._check_not_ended(attempt, began)
        if ids is None and now - began > SLOW:
            return
        for attempt in self.acked.get(thread, ()):
            is_due = attempt.acked_at <= began and attempt.id not in shown and (with_edits or not attempt.is_edit)
            if is_due and not self._is_excused(attempt, thread, shown, began):
                raise Violation("acknowledged turn lost", f"{by} {thread} shows {ids}, without r{attempt.id}")

    def _check_not_ended(self, attempt, began):
        for end in self.ends.get(attempt.thread, ()):
            is_over = end.outcome == "gone" and end.done <= began and end.born is not None
            # a creation that arrives twice makes the thread again, empty: decision 0027
            if is_over and attempt.born == end.born and attempt.begun_at <= end.done:
                raise Violation("back from deletion", f"{attempt.thread} shows r{attempt.id} of a deleted thread")
        if self.expires.get(attempt.born, 1e18) < began - SLACK:
            raise Violation("expired but there", f"{attempt.thread} shows r{attempt.id} after its expiry")

    def _is_excused(self, attempt, thread, shown, began):
        """Whether the thread may have ended, or a branch have left the turn."""
        if self.may_be_gone(thread, attempt.born, FOREVER if shown else began):
            return True
        others = [self.attempts[id_] for id_ in shown]
        return any(o.is_branch and attempt.id not in o.history and o.id not in attempt.history for o in others)


def number_in(reply):
    """The attempt that a reply names; -1 for none."""
    word = reply[1:].split(" ")[0] if reply[:1] in ("r", "e") else ""
    return int(word) if word.isdigit() else -1
