"""What was promised, and whether what a reader got keeps it.

An attempt is one run of one message. Its reply names it, and it notes what its run saw. A history must therefore be a
list of attempts of which each saw exactly those before it: a lost, doubled, torn or foreign turn breaks this one rule.
"""

import re
from collections import defaultdict
from dataclasses import dataclass

from simulation.kernel import BASE, FOREVER, Violation
from turnkeep import errors

SLACK = 5.0
"""Seconds around an expiry in which nothing is demanded, because clocks differ."""
SLOW = 20.0
"""A reader that took longer judged by its clock what it had read long before."""
CONTENT = frozenset(("lease", "pend", "meta", "title", "agent", "keys", "last", "cp", "st", "sig"))
ENDS = re.compile("delete|erase|sweep")
ENDS_RUNS = re.compile("cancel|enqueue|delete|erase|sweep|import|invoke")
NOT_KEPT = ("not kept", "superseded")
REFUSED = (errors.Superseded, errors.ThreadMoved, errors.RunCancelled)
"""Nothing of the attempt may be shown."""
BUSY = (*REFUSED, errors.ThreadBusy, errors.TurnInProgress, errors.ModelTimeout)


@dataclass(eq=False)
class Attempt:
    id: int
    thread: str
    key: str
    incarnation: bytes
    history: tuple
    begun_at: float
    is_branch: bool = False
    is_edit: bool = False
    message: str | None = None
    acked_at: float | None = None
    state: str = "running"  # kept, unknown, or one of NOT_KEPT


@dataclass(eq=False)
class End:
    """A deletion, or another operation that may take turns away. It may have met `incarnations`; `active` is the number
    of servers that work on it."""

    incarnation: bytes | None
    incarnations: set
    done: float | None = None
    outcome: str = "running"  # gone, none, unknown
    active: int = 0


@dataclass(eq=False)
class Belonging:
    """Something next to a thread, as a document: promised at `acked` to this incarnation, if that is known."""

    thread: str
    key: str
    incarnation: bytes | None = None
    acked: float = FOREVER
    is_gone: bool = False


class Model:
    """`partitions`: threads by partition key. `spread`: seconds between the clocks.

    By thread: `acked` attempts by id, `ends`, `heads` (the incarnation that lives), `ended` (when the last one did),
    `forks` (the threads that it was copied from). By incarnation: `expires`; `before`: when that was last extended, and
    its value until then. `again`: incarnations that came back from deletion, because a request that created them
    arrived twice. `takers`: the request that took a lease, by its owner. `stored_in`: the incarnation in which a
    request stored its last link. `brought`: attempts that were imported, which may come again."""

    def __init__(self, sim, partitions, spread):
        self.sim, self.partitions, self.spread = sim, partitions, spread
        self.acked, self.ends, self.forks = defaultdict(dict), defaultdict(list), defaultdict(set)
        self.attempts, self.heads, self.ended, self.expires = {}, {}, {}, {}
        self.before, self.takers, self.stored_in, self.again, self.brought = {}, {}, {}, set(), set()

    def on_head(self, pk, old, new):
        """Follows each change of a HEAD from outside."""
        thread, now = self.partitions[pk], self.sim.now
        self._check_change(thread, old, new)
        incarnation, before = None if "gone" in new else new.get("born", {}).get("B"), self.heads.get(thread)
        if incarnation is None or before not in (None, incarnation):
            self.ended[thread] = now
        self.heads[thread] = incarnation
        if incarnation is None:
            return
        expires, known = int(new["expires"]["N"]) / 1000 - BASE, self.expires.get(incarnation, 0)
        if expires > known:
            self.expires[incarnation], self.before[incarnation] = expires, (now, known)
        if before is None and known:  # a request to create it came again
            self.again.add(incarnation)
        for end in self.ends[thread]:
            if end.active or end.outcome == "running":
                end.incarnations.add(incarnation)

    def _check_change(self, thread, old, new):
        """Checks what no writer may do to a HEAD."""
        found = lambda kind, what: self.sim.violations.append(Violation(kind, f"{thread}: {what}"))  # noqa: E731
        had, has = (each.get("lease", {}).get("M") for each in (old, new))
        who = "/".join(self.sim.current.name.split("/")[:2]) if self.sim.current else None
        changed = {name for name in ("seq", "born", "last") if old.get(name) != new.get(name)}
        if "gone" in new and (left := CONTENT & new.keys()):
            found("tombstone with content", sorted(left))
        is_judged = who and old and "gone" not in old and not self.sim.is_quiet and not ENDS.search(who)
        if is_judged and int(old["v"]["N"]) != self.sim.current.process.client.layout:
            found("thread of another layout changed", f"by {who}")
        if who and has and had != has:
            self.takers.setdefault(has["o"]["B"], who)
        if "last" in changed and "last" in new:
            self.stored_in[who] = new["born"]["B"]
        is_released = had and not has and who and "gone" not in new and not changed & {"last", "born"}
        if is_released and not ENDS_RUNS.search(who) and self.takers.get(had["o"]["B"], who) != who:
            found("lease released by another", f"by {who}")
        if had and has and had["o"] != has["o"] and "seq" in changed and "born" not in changed:
            left = int(had["t"]["N"]) / 1000 - BASE - self.sim.now
            if left > 3 + self.spread:
                found("lease taken over", f"{left:.0f} s before its end")

    def life(self, thread, since):
        """The incarnation id that the thread has had ever since; None where that is not known."""
        return self.heads.get(thread) if self.ended.get(thread, -1) < since else None

    def may_be_gone(self, thread, incarnation, began=FOREVER):
        """Whether it may have ended; for one who has read it since `began`, as it was then."""
        extended, known = self.before.get(incarnation, (0.0, 0.0))
        expires = known if extended >= began else self.expires.get(incarnation, 0)
        ends = (end for end in self.ends[thread] if end.outcome != "none")
        return expires < self.sim.now + SLACK or any(incarnation in end.incarnations for end in ends)

    # what is done

    def begin_end(self, thread):
        incarnation = self.heads.get(thread)
        end = End(incarnation, {incarnation} - {None})
        self.ends[thread].append(end)
        return end

    def start(self, id_, thread, key, incarnation, history, **kind):
        """The attempt of a run that saw this history."""
        self.check_chain(history, thread)
        self.attempts[id_] = Attempt(id_, thread, key, incarnation, tuple(history), self.sim.now, **kind)
        return self.attempts[id_]

    def ack(self, attempt):
        if attempt.state in NOT_KEPT:
            raise Violation("not kept but there", f"r{attempt.id} was {attempt.state}, and is acknowledged")
        if attempt.acked_at is None:
            attempt.acked_at = self.sim.now
        attempt.state = "kept"
        self.acked[attempt.thread][attempt.id] = attempt

    def replayed(self, thread, key, reply, message=None):
        """A request with this key and message got this reply."""
        found = self.attempts.get(number_in(reply))
        if found is None or found.key != key or (found.thread != thread and thread not in self.forks):
            raise Violation("foreign replay", f"{key} on {thread} got {reply}")
        if message and found.message and message != found.message:
            raise Violation("foreign replay", f"{key} on {thread} got {reply}, the reply to another message")
        self.ack(found)
        for other in self.acked[found.thread].values():
            is_twice = other.key == key and other is not found and other.incarnation == found.incarnation
            if is_twice and found.incarnation not in self.again:  # back from deletion, empty: the key is free
                raise Violation("two turns of one key", f"{key} on {thread}: r{other.id} and r{found.id}")

    # what is read

    def check_chain(self, ids, thread, *, with_edits=True):
        """Checks that this is a history as it was at one moment."""
        for at, id_ in enumerate(ids):
            attempt = self.attempts.get(id_)
            if attempt is None or attempt.thread not in (thread, *self.forks.get(thread, ())):
                raise Violation("foreign turn", f"{thread} shows r{id_}")
            before = [each for each in attempt.history if with_edits or not self.attempts[each].is_edit]
            if before != list(ids[:at]):
                raise Violation("history broken", f"{thread} shows {ids}, but r{id_} saw {before}")
            if attempt.state in NOT_KEPT and attempt.acked_at is None and attempt.thread == thread:
                raise Violation("not kept but there", f"{thread} shows r{id_}, which was {attempt.state}")
        self.check_keys(ids, thread)

    def check_keys(self, ids, thread):
        keys = [self.attempts[id_].key for id_ in ids]
        if len({*keys}) < len(keys):
            raise Violation("two turns of one key", f"{thread} shows {ids} of {keys}")

    def check_read(self, thread, ids, began, *, with_edits=False):
        """Checks a history that was read between `began` and now; `ids` is None where the thread was not found."""
        shown = ids or []
        self.check_chain(shown, thread, with_edits=with_edits)
        for attempt in (self.attempts[id_] for id_ in shown):
            if attempt.thread == thread and attempt.id not in self.brought:
                self._check_not_ended(attempt, began)
        if ids is None and self.sim.now - began > SLOW:
            return
        for attempt in self.acked[thread].values():
            is_due = attempt.acked_at <= began and attempt.id not in shown and (with_edits or not attempt.is_edit)
            if is_due and not self._is_excused(attempt, shown, began):
                raise Violation("acknowledged turn lost", f"{thread} shows {ids}, without r{attempt.id}")

    def _check_not_ended(self, attempt, began):
        for end in self.ends[attempt.thread]:
            is_over = end.outcome == "gone" and end.done <= began and end.incarnation is not None
            # a creation that arrives twice makes the thread again, empty: decision 0027
            if is_over and attempt.incarnation == end.incarnation and attempt.begun_at <= end.done:
                raise Violation("back from deletion", f"{attempt.thread} shows r{attempt.id} of a deleted thread")
        if self.expires.get(attempt.incarnation, FOREVER) < began - SLACK:
            raise Violation("expired but there", f"{attempt.thread} shows r{attempt.id} after its expiry")

    def _is_excused(self, attempt, shown, began):
        """Whether the thread may have ended, or a branch have left the turn."""
        if self.may_be_gone(attempt.thread, attempt.incarnation, FOREVER if shown else began):
            return True
        others = [self.attempts[id_] for id_ in shown]
        return any(o.is_branch and attempt.id not in o.history and o.id not in attempt.history for o in others)

    def check_listed(self, belongings, thread, shown, began, foreign=None):
        """Checks a list of what belongs to the thread. `foreign`: the part of it that no other life leaves."""
        incarnation = self.life(thread, began)
        for name, each in belongings.items():
            if each.thread != thread or None in (each.incarnation, incarnation):
                continue
            is_of_this = each.incarnation == incarnation
            if not is_of_this and name in (shown if foreign is None else foreign):
                raise Violation("belonging of an earlier thread", f"{thread} lists {name}")
            is_due = is_of_this and each.acked < began and not each.is_gone and name not in shown
            if is_due and not self.may_be_gone(thread, incarnation):
                raise Violation("belonging lost", f"{thread} does not list {name}")


def number_in(reply):
    """The attempt that a reply names; -1 for none."""
    found = re.match(r"[re](\d+)(?= |$)", reply)
    return int(found[1]) if found else -1
