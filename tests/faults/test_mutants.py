"""Stores that break one rule each, and the proof that the state machine finds every one of them out.

A mutant that survived would mean that the machine does not look at the rule it breaks.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from store_machine import Broken, LossyMemory, MemoryObjects, StoreMachine

from turnkeep.errors import NotFound, Superseded
from turnkeep.records import Principal, Thread, Turn
from turnkeep.storage.attributes import Item
from turnkeep.storage.blobs import Blobs
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.erasure import Eraser
from turnkeep.storage.head import Head, read_head
from turnkeep.storage.items import Refused
from turnkeep.storage.keys import BY_USER, EVERY_TURN, HEAD, hour, number_of, user_key
from turnkeep.storage.links import Chain, Link, Segment, turn_of
from turnkeep.storage.plans import Begun, Loaded, Plan, Saved
from turnkeep.storage.table import Table

FOUND_OUT = settings(
    max_examples=2000,
    stateful_step_count=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    print_blob=False,
    report_multiple_bugs=False,
)


def asking(change: Callable[[str, str], str]) -> Broken:
    """Sends other conditions than the store asked for: `change` has the expression and the condition."""

    class Reworded(LossyMemory):
        def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
            return super().update(pk, sk, expression, values, condition=change(expression, condition))

    return Broken(items=Reworded)


ANYTHING, CLEANUP_CLAIMS = "attribute_exists(PK)", "expires <= :now AND"
NO_LEASE = "(attribute_not_exists(#lease) OR #lease.#t < :now)"


class ContentInTheTombstone(LossyMemory):
    def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
        kept = expression.replace("#meta, #title, ", "") if "gone" in expression else expression
        return super().update(pk, sk, kept, values, condition=condition)


class HeadOfAnyLife(LossyMemory):
    """HEAD's deletion asks for the fence alone, which begins anew with every life."""

    def delete(self, pk: str, sk: str, *, condition: str, values: Item) -> None:
        super().delete(pk, sk, condition=condition.replace(" AND born = :born", ""), values=values)


class ReplacesAnyLife(LossyMemory):
    def put(self, item: Item, *, condition: str | None = None, values: Item | None = None) -> None:
        is_over = condition and condition.startswith("seq = :seq")
        super().put(item, condition="seq = :seq" if is_over else condition, values=values)


class StaleListing(LossyMemory):
    """A listing knows nothing of the newest batch."""

    unknown: frozenset[str] = frozenset()

    def write_many(self, puts: Iterable[Item] = (), deletes: Iterable[tuple[str, str]] = ()) -> None:
        newest = list(puts)
        self.unknown = frozenset(item["SK"] for item in newest) or self.unknown
        super().write_many(newest, deletes)

    def pages_of(self, pk: str, *attributes: str) -> Iterator[list[Item]]:
        for page in super().pages_of(pk, *attributes):
            yield [item for item in page if item["SK"] not in self.unknown]


class ClaimForgotten(Table):
    """A deletion whose claim was done, but never acknowledged, finds no thread."""

    def _erase(self, pk: str, born: bytes, due: int | None) -> None:
        try:
            self._eraser.erase(pk, condition="expires > :now AND born = :born", values={":born": born}, due=due)
        except Refused as refused:
            raise NotFound from refused


class SecondDeletionFindsNothing(Table):
    def delete_thread(self, principal: Principal, thread_id: str) -> None:
        self.head(principal, thread_id)
        super().delete_thread(principal, thread_id)


class BirthsAlike(Table):
    def _newborn(self, *args: Any, **named: Any) -> Item:
        mint, self._mint = self._mint, bytes
        item = super()._newborn(*args, **named)
        self._mint = mint
        return item


class ObjectsLeft(Table):
    def __init__(self, *args: Any, **named: Any):
        super().__init__(*args, **named)
        self._eraser = Eraser(self._items, Blobs(MemoryObjects()), clock=self._clock)


class FenceWithoutForce(Table):
    """Takes a flip that is still on its way for one that never comes."""

    def fence(self, plan: Plan) -> Plan | None:
        return None if (self._items.get(plan.pk, HEAD) or {}).get("last") == plan.sk else plan


class ChainNotFollowed(Table):
    """Takes every turn in the range for history."""

    def __init__(self, *args: Any, **named: Any):
        super().__init__(*args, **named)
        self._chain = AllInRange(self._items, self._blobs, self._sealer)


class AllInRange(Chain):
    def walk(self, pk: str, last: str | None, low: int, found: dict[str, Item]) -> list[Item]:
        every = self._items.between(pk, "TURN#", EVERY_TURN)
        high = number_of(last) if last else 0
        return sorted((item for item in every if low <= item["n"] <= high), key=lambda item: item["n"])


class ReplayWithoutBody(Table):
    def _replay(self, head: Head, number: int, body: bytes) -> Turn:
        link = self._chain.turn(head, number)
        return turn_of(link, self._chain.details(link))


class ExpiredStillShown(Table):
    def _alive(self, item: Item | None) -> Head:
        return super()._alive({**item, "expires": 2**53} if item and item["expires"] else item)


class ExpiredStillListed(Table):
    def search_threads(self, principal: Principal, **named: Any) -> list[Thread]:
        keys = self._items.index(BY_USER, "u", user_key(principal), newest_first=True)
        heads = [self._items.get(entry["PK"], HEAD) for entry in keys]
        return [self._thread(read_head(item), with_message=False) for item in heads if item]


class SecondLifeGoesOn(Table):
    """An expired thread that is made again keeps what it was."""

    def _replace_dead(self, old: Head, user: str, more: Item) -> Head:
        kept = {"last": old.last, "cp": old.checkpoint_name, "n": old.n}
        return super()._replace_dead(old, user, more | {name: value for name, value in kept.items() if value})


class KeyWithoutWriter(Table):
    """A writer of a thread that was deleted writes where a later thread of this id has its turns."""

    def prepare(self, begun: Begun, *args: Any, **named: Any) -> tuple[Plan, Turn | None]:
        plan, turn = super().prepare(replace(begun, owner=bytes(9)), *args, **named)
        return replace(plan, flip={**plan.flip, ":owner": begun.owner}), turn


class MessagesTwice(Table):
    def prepare(self, begun: Begun, loaded: Loaded, saved: Saved, turn: Turn | None) -> tuple[Plan, Turn | None]:
        doubled = [Segment(s.namespace, s.channel, s.keep, [*s.elements, *s.elements]) for s in saved.segments]
        return super().prepare(begun, loaded, replace(saved, segments=cast(Any, tuple(doubled))), turn)


class LostAcknowledgementIsALoss(Table):
    def _settle(self, plan: Plan, head: Head) -> Turn | None:
        raise Superseded


class DetailsOfAnother(Chain):
    def details(self, link: Link) -> dict[str, Any]:
        return {}


class DetailsLost(Table):
    def __init__(self, *args: Any, **named: Any):
        super().__init__(*args, **named)
        self._chain = DetailsOfAnother(self._items, self._blobs, self._sealer)


class ForgetfulCleanup(Cleanup):
    """Begins with the present hour, whatever the last sweep left."""

    def _first_hour(self, now: int) -> str:
        return hour(now)


MUTANTS = {
    "the flip asks for no fence": asking(lambda said, asked: ANYTHING if said.endswith("#lease, #pend") else asked),
    "BEGIN asks for no lease": asking(lambda _, asked: asked.replace(NO_LEASE, "seq >= :zero")),
    "the keys are not consulted": asking(lambda _, asked: asked.replace("NOT contains(#keys, :key)", "seq >= :zero")),
    "cleanup deletes without a claim": asking(lambda _, asked: ANYTHING if CLEANUP_CLAIMS in asked else asked),
    "cleanup takes a leased thread": asking(lambda _, asked: "expires <= :now" if CLEANUP_CLAIMS in asked else asked),
    "anyone may release": asking(lambda said, asked: ANYTHING if said == "REMOVE #lease" else asked),
    "a claim takes whatever thread has the id": asking(
        lambda said, asked: asked.replace(" AND born = :born", "") if "gone" in said else asked
    ),
    "HEAD is deleted whatever thread has the id": Broken(items=HeadOfAnyLife),
    "a new thread takes the place of any": Broken(items=ReplacesAnyLife),
    "a deleted thread's HEAD keeps its content": Broken(items=ContentInTheTombstone),
    "the eraser's listing is stale": Broken(items=StaleListing),
    "a claim does not know its lost acknowledgement": Broken(table=ClaimForgotten),
    "a second deletion does not finish the first": Broken(table=SecondDeletionFindsNothing),
    "all threads are born alike": Broken(table=BirthsAlike),
    "objects outlive their thread": Broken(table=ObjectsLeft),
    "a fence does not hold": Broken(table=FenceWithoutForce),
    "the chain is not followed": Broken(table=ChainNotFollowed),
    "a replay serves another body": Broken(table=ReplayWithoutBody),
    "expired threads are shown": Broken(table=ExpiredStillShown),
    "expired threads are listed": Broken(table=ExpiredStillListed),
    "a second life goes on with the first": Broken(table=SecondLifeGoesOn),
    "two writers share a key": Broken(table=KeyWithoutWriter),
    "messages are appended twice": Broken(table=MessagesTwice),
    "a lost acknowledgement counts as a loss": Broken(table=LostAcknowledgementIsALoss),
    "details get lost": Broken(table=DetailsLost),
    "cleanup forgets the hours before": Broken(cleanup=ForgetfulCleanup),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_store_is_found_out_in_which(name: str) -> None:
    mutant = type("Mutant", (StoreMachine,), {"broken": MUTANTS[name]})
    with pytest.raises(Exception) as found:  # noqa: PT011 - an assertion, or an error of the store's own
        run_state_machine_as_test(mutant, settings=FOUND_OUT)
    assert not isinstance(found.value, AttributeError | ImportError | NameError | TypeError), "the mutant does not run"
