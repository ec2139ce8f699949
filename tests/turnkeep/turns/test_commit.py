"""COMMIT where the store fails between its requests."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

from scripted import turn

from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.store.head import Head
from turnkeep.store.plans import Begun, Loaded, Plan, Saved
from turnkeep.turns.commit import Commit

HEAD = Head("pk", n=0, gen=0, seq=1, expires=9, created=1, active=1, incarnation=b"b")
BEGUN = Begun(HEAD, key=b"k", body=b"", owner=b"first", message="", created=False)
PLAN = Plan("pk", "TURN#", b"k", b"b", (), {":seq": 1, ":owner": b"first"})


@dataclass
class FailingStore:
    """The outcome of the first commit is unknown; the second finds no store. Stands for its parts too."""

    faults: list[Exception] = field(default_factory=lambda: [Unsettled(), StoreUnavailable()])
    released: list[bytes] = field(default_factory=list)
    awaited: frozenset[str] = frozenset()

    def plan(self, *_: Any) -> tuple[Plan, Any]:
        return PLAN, turn()

    @property
    def turns(self) -> "FailingStore":
        return self

    leases = heads = planner = turns

    def commit(self, plan: Plan) -> None:
        raise self.faults.pop(0)

    def settle(self, plan: Plan) -> Plan:
        return replace(plan, changes={**plan.changes, ":owner": b"second"})

    def release(self, begun: Begun) -> None:
        self.released.append(begun.owner)


async def test_a_thread_whose_lease_was_fenced_is_given_back_by_the_owner_that_it_has_now() -> None:
    store = FailingStore()
    commit = Commit(store, time.monotonic() + 60)  # type: ignore[arg-type]
    told = await commit.write(BEGUN, Loaded(), Saved("1", {}, ()), turn())
    assert (told.persisted, store.released) == (False, [b"second"])
