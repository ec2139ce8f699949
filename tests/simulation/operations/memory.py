"""DynamoDBStore and metadata as registers, checked for linearizability (Wing and Gong) at the end of each run."""

from dataclasses import dataclass

from simulation.kernel import FOREVER, Violation
from simulation.model import SLACK
from turnkeep import errors
from turnkeep.records import Principal

WHO = Principal("t", "u")
SPACE = ("n",)


@dataclass(eq=False)
class Access:
    """A put (`value`), a deletion (None) or a read. `ended` is FOREVER where no answer came: a write may then take
    effect at any later time, or never. `life` in seconds. `expires`: when a value surely ends, as far as answers show;
    `latest`: when it may end, since a refresh may have had no answer."""

    is_read: bool
    value: object
    began: float
    ended: float = FOREVER
    life: float | None = None
    expires: float = FOREVER
    latest: float = 0.0

    def __str__(self):
        return f"{'read' if self.is_read else 'write'} {str(self.value)[:8]} {self.began:.3f} to {self.ended:.3f}"

    def allows(self, read):
        """Whether `read` may see what this write left."""
        may_be_over = self.life is not None and (self.expires < read.ended + SLACK or self.ended == FOREVER)
        if read.value is None:
            return self.value is None or may_be_over
        return self.value == read.value and max(self.expires, self.latest) >= read.began - SLACK


def is_linearizable(accesses):
    """Whether one order of the accesses, each at a moment between its begin and its end, explains all reads."""
    seen, stack = set(), [(Access(False, None, -1.0, -1.0), frozenset(accesses))]
    while stack:
        state, left = stack.pop()
        if (state, left) in seen:
            continue
        seen.add((state, left))
        bound = min((each.ended for each in left), default=FOREVER)
        if bound == FOREVER:
            return True  # only writes without an answer are left
        for each in left:
            if each.began <= bound and (not each.is_read or state.allows(each)):
                stack.append((state if each.is_read else each, left - {each}))
    return False


class MemoryOps:
    def _write(self, op, place, value, work, life=None, **more):
        accesses = self.facts["accesses"].setdefault(place, [])

        def tried(has, _):
            accesses.append(access := Access(False, value, self.sim.now, life=life))  # each try is a write of its own
            work(has)
            return access

        access = self.ask(op, tried, **more)
        if isinstance(access, Access):
            access.ended = self.sim.now
            if life:
                access.expires, access.latest = access.began + life, access.ended + life

    def op_put(self, op, name, life=None):
        value, tries = f"v{op.id}", 1 + self.sim.pick() % 2
        put = lambda has: has.memory.put(SPACE, name, {"v": value}, ttl=life and life / 60)  # noqa: E731
        self._write(op, (*SPACE, name), value, put, life, tries=tries)

    def op_forget(self, op, name):
        self._write(op, (*SPACE, name), None, lambda has: has.memory.delete(SPACE, name), tries=1 + self.sim.pick() % 2)

    def op_meta(self, op, thread):
        change = lambda has: has.store.threads.update(WHO, thread, {"a": op.id})  # noqa: E731
        self._write(op, ("meta", thread), op.id, change, busy=errors.ThreadBusy, ends=errors.NotFound)

    def op_get(self, op, name, refreshes=False):
        began, place = self.sim.now, (*SPACE, name)
        found = self.ask(op, lambda has, _: (has.memory.get(SPACE, name, refresh_ttl=refreshes),), tries=1)
        value = self._note_read(place, *found, began) if found else None
        for write in self.facts["accesses"].get(place, ()) if refreshes else ():
            write.latest = self.sim.now + (write.life or FOREVER)
            is_read = value is not None and value == write.value and not write.is_read
            if is_read and write.life and self.sim.now < write.expires:  # else the refresh may have come too late
                write.expires = max(write.expires, began + write.life)

    def op_search(self, op):
        began = self.sim.now
        for item in self.ask(op, lambda has, _: has.memory.search(SPACE, limit=100, refresh_ttl=False), tries=1) or ():
            self._note_read((*SPACE, item.key), item, began)

    def _note_read(self, place, item, began):
        value = item.value["v"] if item else None
        self.facts["accesses"].setdefault(place, []).append(Access(True, value, began, self.sim.now))
        return value

    def final_registers(self):
        """Metadata counts where the thread has not ended since the first access."""
        has = self.finals[0]
        for (space, key), accesses in sorted(self.facts["accesses"].items()):
            began, incarnation = self.sim.now, self.model.life(key, accesses[0].began)
            if space == "meta" and not (incarnation and self.model.may_be_gone(key, incarnation)):
                value = self.last(key).store.threads.read(WHO, key).metadata.get("a") if incarnation else None
                accesses.append(Access(True, value, began, self.sim.now))
            elif space != "meta":
                self._note_read((space, key), has.memory.get(SPACE, key, refresh_ttl=False), began)
            if (incarnation or space != "meta") and not is_linearizable(accesses):
                raise Violation("not a register", f"{space} {key}: {'; '.join(map(str, accesses))}")
