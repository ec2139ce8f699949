"""`turnkeep import` next to all others: the real `Moves`, over an old table that gains turns."""

from datetime import UTC, datetime

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import CheckpointTuple

from simulation.kernel import BASE
from simulation.operations.memory import WHO
from turnkeep_local.moving.moves import Moves
from turnkeep_local.moving.savers import OldThread


def old_turn(n):
    """The attempt that is the nth turn of the old thread."""
    return 800_000 + n


class OldTable:
    """What `Moves` reads of a table of another saver."""

    table = "old"

    def __init__(self, world):
        self.world = world

    def threads(self):
        olds = self.world.facts["olds"]
        return [OldThread(name, {"": f"1old-{count:06d}"}) for name, count in olds.items()]

    def read(self, thread, namespace=""):
        self.world.sim.sleep(0.005)
        count = int(thread.newest[""].rpartition("-")[2])
        pairs = ((HumanMessage(f"old{n}"), AIMessage(f"r{old_turn(n)}")) for n in range(1, count + 1))
        checkpoint = {"v": 4, "id": f"1old-{count:06d}", "ts": datetime.fromtimestamp(BASE, UTC).isoformat()}
        checkpoint |= {"channel_values": {"messages": [each for pair in pairs for each in pair]}}
        checkpoint |= {"channel_versions": {"messages": count}, "versions_seen": {}}
        return CheckpointTuple({"configurable": {}}, checkpoint, {}, None, [])


class ImportOps:
    def op_old(self, op, thread):
        """One more turn in the old table."""
        olds = self.facts["olds"]
        count = olds[thread] = olds.get(thread, 0) + 1
        self.model.brought.add(old_turn(count))
        self.model.start(old_turn(count), thread, f"import {count}", b"", [*map(old_turn, range(1, count))])

    def op_import(self, op, thread):
        counts = []

        def work(has, _):
            counts.append((self.sim.now, self.facts["olds"].get(thread, 0)))
            moves = Moves(OldTable(self), has.store, {}, WHO, "a", report=lambda _: None)
            return moves.run(lambda _: None).threads

        fates = self.ask(op, work, tries=2)
        if not fates or "moved" not in fates:
            return
        began, count = counts[-1]
        incarnation = self.model.life(thread, began)
        for attempt in (self.model.attempts[old_turn(n)] for n in range(1, count + 1) if incarnation):
            attempt.incarnation, attempt.acked_at = incarnation, None
            self.model.ack(attempt)
