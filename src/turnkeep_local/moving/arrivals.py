"""A moved thread is written where no reader reaches it, under a HEAD that is born expired; one conditional update makes
it the thread. An import that is killed leaves nothing visible. Each attempt writes keys of its own and is bound to the
HEAD that was judged: an import that comes later takes over, and the earlier one is superseded."""

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Literal

import boto3

from turnkeep.agents import read_settings
from turnkeep.errors import ThreadBusy, ThreadMoved, TurnkeepError
from turnkeep.records import JSON, Principal
from turnkeep.settings import Settings
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs, Objects, S3Objects
from turnkeep.storage.head import Head, key_digest, read_head
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import HEAD, partition, user_key
from turnkeep.storage.leases import OWNER_BYTES
from turnkeep.storage.opening import make_table
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.table import Table
from turnkeep_local import LocalError
from turnkeep_local.clients import TABLE_SECONDS, dynamodb_client, open_objects
from turnkeep_local.deployed.account import Deployment
from turnkeep_local.dynamodb import open_store, running_store
from turnkeep_local.home import open_home, sole_server
from turnkeep_local.moving.states import Moved
from turnkeep_local.server import local_settings

SOURCE, CHECKPOINT = "imported_from", "imported_checkpoint"
"""Metadata of a moved thread: the table and the thread's id there, and its newest checkpoint."""
Standing = Literal["free", "here", "changed", "gone on", "taken"]


class Arrivals(Table):
    """The table that threads move into."""

    @property
    def hours(self) -> float:
        return self._thread_hours

    def standing(self, principal: Principal, thread_id: str, mark: JSON) -> tuple[Standing, Head | None]:
        """Return the state of the thread, and its HEAD: "changed" in the old table since, and only there; "gone on"
        with here as well; or its id is "taken" by another thread."""
        item = self._items.get(partition(principal, thread_id), HEAD)
        head = self._trusted(item) if item else None
        if head is None or not head.is_alive(self._now()):
            return "free", head
        known = self._metadata(head)
        if known.get(SOURCE) != mark[SOURCE]:
            return "taken", head
        if known.get(CHECKPOINT, "") >= mark[CHECKPOINT]:  # ids ascend: another import may have brought a newer one
            return "here", head
        return "changed" if head.checkpoint == known.get(CHECKPOINT) else "gone on", head

    def take_in(self, principal: Principal, thread_id: str, moved: Moved, mark: JSON, judged: Head | None) -> None:
        """Writes the thread over what `standing` judged "free" or "changed". Raises ThreadBusy, ThreadMoved, Superseded
        where another writer came first, AgentFault for what is too large, StoreUnavailable."""
        if judged and judged.is_alive(self._now()):
            begun = self._anew(principal, judged)
        else:
            begun = self._unborn(principal, thread_id, judged)
        try:
            plan = self._plan(replace(begun, message=moved.turns[0][0].message), moved)
            metadata = self._sealed_metadata(begun.head.pk, moved.metadata | mark)
            known: Item = {":meta": metadata, ":la": int(moved.updated * 1000)}
            self.apply(replace(plan, flip=plan.flip | known))
        except TurnkeepError:
            self.release(begun)
            raise

    def _anew(self, principal: Principal, head: Head) -> Begun:
        """The thread as it was moved before, to be written over in a generation of its own."""
        key = self._mint(OWNER_BYTES).hex()
        begun = self.begin(principal, head.thread_id, key=key, body=b"", message=None, after=head.n)
        assert isinstance(begun, Begun)  # noqa: S101 - no turn has a key that was minted just now
        if (begun.head.born, begun.head.last) != (head.born, head.last):
            self.release(begun)
            raise ThreadMoved
        return replace(begun, head=replace(begun.head, n=0, gen=begun.head.seq, last=None, keys=()))

    def _unborn(self, principal: Principal, thread_id: str, dead: Head | None) -> Begun:
        """A HEAD that no reader sees, leased by this attempt, in place of what is `dead`."""
        owner, now, user = self._mint(OWNER_BYTES), self._now(), user_key(principal)
        more: Item = {"expires": now, "lease": {"o": owner, "t": now + self._lease_ms}}
        if dead:
            is_unborn = dead.expires <= dead.created  # of an import, which may have been killed: this one takes over
            head = self._replace_dead(replace(dead, lease=None) if is_unborn else dead, user, more)
        else:
            item = self._newborn(partition(principal, thread_id), user, more)
            try:
                self._items.put(item, condition="attribute_not_exists(PK)")
            except Refused as refused:
                raise ThreadBusy(retry_after=1) from refused
            head = read_head(item)
        return Begun(head, b"", b"", owner, "", created=True)

    def _plan(self, begun: Begun, moved: Moved) -> Plan:
        """The plan of the newest turn; those before it are written."""
        now, last, written = self._now(), None, list[Item]()
        *older, (newest, appended) = moved.turns
        for number, (turn, segments) in enumerate(older):
            kept = Saved(f"00000000-0000-6000-8000-{number + 1:012d}", {}, segments)  # nothing is kept of this state
            plan, _ = self._planner.plan(_named(begun, number), Loaded(number, last), kept, turn, now)
            written += [item for item in plan.puts if "link" not in item]
            last = plan.sk
        self._items.write_many(puts=written)
        begun, saved = _named(begun, len(older)), replace(moved.saved, segments=appended)
        return self._planner.plan(begun, Loaded(len(older), last), saved, newest, now)[0]


def _named(begun: Begun, number: int) -> Begun:
    return replace(begun, key=key_digest(begun.head.pk, f"import {number}"))


# Where it is: a deployment, or the folder of this machine that `turnkeep dev` serves


def deployed(deployment: Deployment, environ: Mapping[str, str], bucket: str | None, agent: str) -> Arrivals:
    """Raises LocalError where nothing says where large values lie, or that threads of the agent may lie there."""
    bucket = bucket or deployment.bucket or environ.get("BUCKET_NAME")
    if not bucket:
        raise LocalError("Name the bucket of large values beside the table: --to-bucket NAME, or its stack: --to-stack")
    objects = S3Objects(boto3.client("s3"), bucket)
    return _arrivals(deployment.items, objects, deployment.sealer, read_settings(), agent)


@contextmanager
def on_this_machine(environ: Mapping[str, str], agent: str) -> Iterator[Arrivals]:
    """The store of this folder, beside a server that runs or, for as long as this takes, in place of one."""
    home = open_home(environ)
    settings = local_settings(home, environ)
    with ExitStack() as stack:
        store = running_store(home, environ)
        if store is None:
            stack.enter_context(sole_server(home, "turnkeep import"))
            store = stack.enter_context(open_store(home, environ, print))
        client = dynamodb_client(store, environ, seconds=TABLE_SECONDS)
        make_table(client, settings.table_name)
        items, objects = Items(client, settings.table_name), open_objects(home, environ, settings.bucket_name)
        yield _arrivals(items, objects, Sealer(*settings.seal_secrets), settings, agent)


def _arrivals(items: Items, objects: Objects, sealer: Sealer, settings: Settings, agent: str) -> Arrivals:
    if settings.is_private(agent):
        raise LocalError(f"Personal data is hidden from {agent}, and in the old threads it is not: they cannot move.")
    time_and_chance: Mapping[str, Any] = {"clock": time.time, "mint": secrets.token_bytes}
    return Arrivals(items, Blobs(objects), sealer, thread_hours=settings.thread_hours, **time_and_chance)
