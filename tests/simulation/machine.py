"""The services of one machine, as the composition root of a deployment makes them."""

from functools import cached_property, partial

from simulation.kernel import Lock
from simulation.operations.graph import AGENT
from simulation.operations.http import SETTINGS, Http
from simulation.operations.memory import WHO
from simulation.operations.saver import saver_of
from turnkeep.memory.store import DynamoDBStore
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.blobs import Blobs, S3Objects
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.codec import Codec
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.export import Exports
from turnkeep.storage.items import Items
from turnkeep.storage.memories import Memories
from turnkeep.storage.persons import Persons
from turnkeep.storage.store import Store
from turnkeep.storage.uploads import KeptUploads
from turnkeep.storage.usage import Usage
from turnkeep.tuning import TurnTuning
from turnkeep.turns import Turns
from turnkeep.turns.background import Runs


class Machine:
    """The services of one process, over its own client. Large values are small here."""

    stores = None

    def __init__(self, world, process):
        self.world, self.sim, self.process, self.clock = world, world.sim, process, process.clock
        self.chance = {"clock": self.clock, "random_bytes": world.sim.random_bytes}
        self.kept = {"thread_hours": world.plan.hours, "lease_seconds": world.plan.lease, **self.chance}
        self.objects = S3Objects(process.client, "bucket")
        self.codec = Codec(*world.ring, refresh=world.read_ring, clock=self.clock)
        self.items = Items(process.client, "table", sleep=world.sim.sleep)
        self.blobs = Blobs(self.objects, self.items, clock=self.clock, inline_bytes=4_000)
        self.store = Store(self.items, self.blobs, self.codec, **self.kept)
        eraser = Eraser(self.items, self.blobs, clock=self.clock, parallel=world.sim.in_parallel)
        self.cleanup = Cleanup(self.items, eraser, clock=self.clock)
        self.persons = Persons(self.items, eraser, clock=self.clock, at_once=2)
        self.uploads, self.http = KeptUploads(self.objects), Http(self)
        self.attachments = Attachments(self.store.heads, self.store.vault, self.uploads)
        self.memories = partial(Memories, self.items, self.codec, inline_bytes=120, **self.chance)
        self.make_lock = partial(Lock, world.sim)
        self.front = self.http if world.plan.family == "serving" else self.store

        more = {"tuning": TurnTuning(lease_seconds=world.plan.lease), "names": frozenset({AGENT.name})}
        more |= {"default_agent": AGENT.name, "clock": self.clock, "attachments": self.attachments}
        self.turns = Turns(self.store, lambda _: AGENT, **more)
        self.runs = Runs(self.turns, self.store)
        self.runs.launch_by(world.launch)
        usage = Usage(self.items, SETTINGS.budget, **self.chance)
        more = {"memories": self.memories, "facts": {}, **self.chance}
        self.exports = Exports(self.store, self.attachments, usage, self.objects, self.codec, **more)
        self.exports.listen(lambda key: world.work_off(0, "export", lambda has, _: has.exports.work(key)))

    @cached_property
    def memory(self):
        return DynamoDBStore(memories=self.memories(WHO))

    @cached_property
    def saver(self):
        return saver_of(self)
