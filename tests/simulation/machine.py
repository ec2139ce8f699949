"""The services of one machine, as the composition root of a deployment makes them."""

from functools import cached_property, partial

from simulation import network
from simulation.kernel import BASE
from simulation.operations.graphs import AGENT, saver_of
from simulation.operations.http import SETTINGS, Http
from simulation.operations.memory import WHO
from turnkeep.memory.store import DynamoDBStore
from turnkeep.store.attachments import Attachments
from turnkeep.store.blobs import Blobs, S3Objects
from turnkeep.store.cleanup import Cleanup
from turnkeep.store.codec import Codec
from turnkeep.store.erasure import Eraser
from turnkeep.store.export import Exports
from turnkeep.store.items import Items
from turnkeep.store.memories import Memories
from turnkeep.store.store import Store
from turnkeep.store.uploads import KeptUploads
from turnkeep.store.usage import Usage
from turnkeep.store.users import UserEraser
from turnkeep.tuning import TurnTuning
from turnkeep.turns import Turns
from turnkeep.turns.background import Runs


class Machine:
    """The services of one process, over its own client. Large values are small here."""

    stores = None

    def __init__(self, world, skew, client, restart):
        self.actors, self.restart = [], restart
        plan, self.sim, self.client = world.plan, world.sim, client(world.sim)
        clock = {"clock": lambda: BASE + self.sim.now + skew}
        self.clock = clock["clock"]
        chance = clock | {"random_bytes": self.sim.random_bytes}
        self.options = chance | {"thread_hours": plan.hours, "lease_seconds": plan.lease}
        direct = network.Pool.direct_of(self.client) if plan.is_direct else None
        items = Items(self.client, network.TABLE, direct=direct, sleep=self.sim.sleep)
        objects = S3Objects(self.client, "bucket")
        blobs = Blobs(objects, items, inline_bytes=4_000, **clock)
        self.codec = Codec(*world.ring, refresh=world.read_ring, **clock)
        self.store = Store(items, blobs, self.codec, pack_links=2 + plan.seed % 2, **self.options)
        eraser = Eraser(items, blobs, parallel=self.sim.in_parallel, **clock)
        self.cleanup = Cleanup(eraser)
        self.user_eraser = UserEraser(eraser, at_once=2)
        self.uploads = KeptUploads(objects)
        self.attachments = Attachments(self.store.heads, self.store.vault, self.uploads)
        self.memories = partial(Memories, items, self.codec, **clock)
        names = {"names": frozenset({AGENT.name}), "default_agent": AGENT.name}
        tuning = TurnTuning(lease_seconds=plan.lease)
        self.turns = Turns(self.store, lambda _: AGENT, tuning=tuning, attachments=self.attachments, **names, **clock)
        self.runs = Runs(self.turns, self.store)
        self.runs.launch_by(partial(world.launch, self))
        services = self.store, self.attachments, Usage(self.store.heads, SETTINGS.budget), objects
        self.exports = Exports(*services, memories=self.memories, facts={})
        self.exports.on_request = lambda key: world.work_off(0, "export", lambda has, _: has.exports.work(key))
        self.http = Http(self)
        self.front = self.http if plan.is_served else self.store

    def die(self, but):
        """Ends all that runs here. The machine starts again immediately, with an empty memory."""
        self.client.is_dead = but.is_dead = True  # what is collected as garbage later sends nothing
        for actor in self.actors:
            if actor is not but:
                actor.kill()
        self.restart()

    @cached_property
    def memory(self):
        return DynamoDBStore(memories=self.memories(WHO))

    @cached_property
    def saver(self):
        return saver_of(self)
