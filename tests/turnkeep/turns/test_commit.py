"""COMMIT where the store fails between its requests."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

from scripted import turn

from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.storage.head import Head
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.turns.commit import Commit

HEAD = Head("pk", n=0, gen=0, seq=1, expires=9, created=1, active=1, born=b"b")
BEGUN = Begun(HEAD, key=b"k", body=b"", owner=b"first", message="", created=False)
PLAN = Plan("pk", "TURN#", b"k", b"b", (), {":seq": 1, ":owner": b"first"})


@dataclass
class FailingTable:
    """Nothing is known of the first flip; the second finds no store."""

    faults: list[Exception] = field(default_factory=lambda: [Unsettled(), StoreUnavailable()])
    released: list[bytes] = field(default_factory=list)

    def prepare(self, *_: Any) -> tuple[Plan, Any]:
        return PLAN, turn()

    def apply(self, plan: Plan) -> None:
        raise self.faults.pop(0)

    def fence(self, plan: Plan) -> Plan:
        return replace(plan, flip={**plan.flip, ":owner": b"second"})

    def release(self, begun: Begun) -> None:
        self.released.append(begun.owner)


async def test_a_thread_whose_lease_was_fenced_is_given_back_by_the_owner_that_it_has_now() -> None:
    table = FailingTable()
    commit = Commit(table, time.monotonic() + 60)  # type: ignore[arg-type]
    told = await commit.store(BEGUN, Loaded(), Saved("1", {}, ()), turn())
    assert (told.persisted, table.released) == (False, [b"second"])
