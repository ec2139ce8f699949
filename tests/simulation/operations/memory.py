"""DynamoDBStore as a register, checked for linearizability (Wing and Gong) at the end of each run."""

from dataclasses import dataclass
from hashlib import sha256

from simulation.kernel import Violation

SPACE = ("n",)
SLACK = 5.0
FOREVER = 1e18


@dataclass(eq=False)
class Access:
    """A put (`value`), a deletion (None) or a read. `ended` is FOREVER where no answer came: a write may then take
    effect at any later time, or never. `life` in seconds. `expires`: when a value surely
    ends, as far as answers told; `latest`: when it may end, since a refresh may have had no answer."""

    is_read: bool
    value: str | None
    began: float
    ended: float = FOREVER
    life: float | None = None
    expires: float = FOREVER
    latest: float = 0.0

    def __str__(self):
        what = f"{'read' if self.is_read else 'write'} {str(self.value)[:8]}"
        return f"{what} {self.began:.3f} to {self.ended:.3f}"

    def allows(self, read):
        """Whether `read` may see what this write left."""
        may_be_over = self.life is not None and (self.expires < read.ended + SLACK or self.ended == FOREVER)
        if read.value is None:
            return self.value is None or may_be_over
        return self.value == read.value and max(self.expires, self.latest) >= read.began - SLACK


def is_linearizable(accesses):
    """Whether one order of the accesses, each at a moment between its begin and its end, explains all reads."""
    nothing = Access(False, None, -1.0, -1.0)
    seen, stack = set(), [(nothing, frozenset(accesses))]
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
    def _write(self, op, key, value, life, work):
        def tried(has, _):
            access = Access(False, value, self.sim.now, life=life)  # each try is a write of its own
            self.facts["writes"].setdefault(key, []).append(access)
            work(has)
            return access

        if access := self.ask(op, tried, tries=1 + self.sim.pick() % 2):
            access.ended = self.sim.now
            access.expires, access.latest = (access.began + life, self.sim.now + life) if life else (FOREVER, FOREVER)

    def op_put(self, op, key, is_large=False, life=None):
        text = "".join(sha256(f"{op.id}.{n}".encode()).hexdigest() for n in range(8)) if is_large else ""
        value, ttl = f"v{op.id}.{text}", life and life / 60
        self._write(op, key, value, life, lambda has: has.store.put(SPACE, key, {"v": value}, ttl=ttl))

    def op_forget(self, op, key):
        self._write(op, key, None, None, lambda has: has.store.delete(SPACE, key))

    def op_get(self, op, key, refreshes=False):
        began = self.sim.now
        found = self.ask(op, lambda has, _: (has.store.get(SPACE, key, refresh_ttl=refreshes),), tries=1)
        if found:
            self._note_read(key, *found, began)
        for write in self.facts["writes"].get(key, ()) if refreshes else ():
            write.latest = self.sim.now + (write.life or FOREVER)
            is_read = found and found[0] and found[0].value["v"] == write.value and not write.is_read
            if is_read and write.life and self.sim.now < write.expires:  # else the refresh may have come too late
                write.expires = max(write.expires, began + write.life)

    def op_search(self, op):
        began = self.sim.now
        for item in self.ask(op, lambda has, _: has.store.search(SPACE, limit=100, refresh_ttl=False), tries=1) or ():
            self._note_read(item.key, item, began)

    def _note_read(self, key, item, began):
        value = item.value["v"] if item else None
        self.facts["writes"].setdefault(key, []).append(Access(True, value, began, self.sim.now))

    def final_memories(self, has):
        for key, accesses in sorted(self.facts["writes"].items()):
            began = self.sim.now
            self._note_read(key, has.store.get(SPACE, key, refresh_ttl=False), began)
            if not is_linearizable(accesses):
                raise Violation("memory is not a register", f"{key}: {'; '.join(map(str, accesses))}")
            has.store.delete(SPACE, key)  # which also deletes the parts that no value names
        if left := [sk for sk in self.sim.table.parts.get(has.memories._pk, ()) if sk.startswith("PART#")]:
            raise Violation("parts left after a deletion", f"{left}")
