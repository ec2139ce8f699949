"""Budgets and rates: each run counts once, whatever happens."""

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from harness import NOON
from hypothesis import given
from hypothesis import strategies as st
from memory_items import MemoryItems

from hand_clock import HandClock
from turnkeep.errors import BudgetExceeded, DeploymentCeiling, OverLimit, StoreUnavailable, TooManyTurns
from turnkeep.records import Principal
from turnkeep.store.attributes import Item
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.heads import Heads
from turnkeep.store.items import Items, Refused
from turnkeep.store.keys import usage_of, user_key
from turnkeep.store.usage import Day, Reserved, Usage
from turnkeep.tuning import BudgetTuning

ANN, BO = Principal("acme", "ann"), Principal("acme", "bo")
LIFE = 60.0
DAY = 86_400


@dataclass
class Meter:
    """One process of a deployment with these limits; a turn needs 100 tokens and 0.1 dollars, as far as it knows."""

    items: Items
    limits: BudgetTuning
    clock: HandClock = field(default_factory=HandClock)

    def __post_init__(self) -> None:
        ids = itertools.count()
        chance: Any = {"clock": self.clock, "random_bytes": lambda size: next(ids).to_bytes(size)}
        self.usage = Usage(Heads(self.items, Blobs(None), Codec(b"secret"), **chance), self.limits)

    def begin(self, who: Principal = ANN) -> Reserved:
        reserved = self.usage.reserve(who, 100, 100_000, LIFE)
        assert reserved
        return reserved

    def turn(self, tokens: int = 100, who: Principal = ANN, micro: int = 1000) -> None:
        self.usage.settle(self.begin(who), tokens, micro, 1)

    def refused(self, who: Principal = ANN) -> OverLimit:
        with pytest.raises(OverLimit) as refused:
            self.begin(who)
        return refused.value

    def today(self, who: Principal = ANN) -> Day:
        return self.usage.days(who, 1)[0]


@pytest.fixture
def limited(items: Items) -> Callable[..., Meter]:
    return lambda **limits: Meter(items, BudgetTuning(**limits))


@pytest.mark.parametrize(
    ("limits", "kind", "seconds", "said"),
    [
        ({"tokens_a_day": 300}, BudgetExceeded, 16 * 3600, "0 of 300 tokens are left today"),
        ({"usd_a_day": 0.003}, BudgetExceeded, 16 * 3600, "0.0000 of 0.00 dollars are left today"),
        ({"turns_a_minute": 3}, TooManyTurns, 60, "3 turns may be started in a minute"),
    ],
)
def test_a_used_up_limit_refuses_turns_until_it_resets(
    limited: Callable[..., Meter], limits: dict[str, float], kind: type[OverLimit], seconds: int, said: str
) -> None:
    meter = limited(**limits)
    for _ in range(3):
        meter.turn()
    refused = meter.refused()
    assert (type(refused), refused.retry_after, said in refused.detail) == (kind, seconds, True), refused.detail
    assert refused.resets_at == ("2027-01-16T00:00:00.000Z" if kind is BudgetExceeded else None)
    meter.turn(who=BO)
    meter.clock.now += seconds - 1
    meter.refused()
    meter.clock.now += 1
    meter.turn()
    assert meter.today().turns == (1 if kind is BudgetExceeded else 4)


def test_a_turn_that_may_exceed_the_rest_runs_alone(limited: Callable[..., Meter]) -> None:
    meter = limited(tokens_a_day=150)
    meter.turn(120)
    alone = meter.begin()
    refused = meter.refused()
    assert (refused.retry_after, "30 of 150 tokens are left" in refused.detail) == (2, True)
    meter.usage.settle(alone, 500, 0, 1)
    assert "0 of 150 tokens are left" in meter.refused().detail
    small = limited(tokens_a_day=5)  # smaller than any turn
    small.turn(40, who=BO)
    small.refused(BO)


@pytest.mark.parametrize("used", [0, 250, 650])
def test_eight_concurrent_clients_overspend_by_at_most_one_turn(limited: Callable[..., Meter], used: int) -> None:
    meter = limited(tokens_a_day=700)
    meter.turn(used)

    def client(_: int) -> None:
        own = Meter(meter.items, meter.limits, meter.clock)
        own.usage._random_bytes = lambda size: time.monotonic_ns().to_bytes(9)[-size:]
        for _ in range(20):
            try:
                own.turn()
            except OverLimit:
                time.sleep(0.001)

    with ThreadPoolExecutor(8) as clients:
        list(clients.map(client, range(8)))
    assert 700 <= meter.today().tokens < 700 + 100
    assert not meter.today().holds


def test_a_run_over_midnight_counts_on_the_day_it_began(limited: Callable[..., Meter]) -> None:
    meter = limited(tokens_a_day=100)
    running = meter.begin()
    meter.clock.now += 16 * 3600
    meter.turn(50)
    meter.usage.settle(running, 100, 0, 1)
    assert [(each.day, each.used[0]) for each in meter.usage.days(ANN)] == [("2027-01-16", 50), ("2027-01-15", 100)]


def test_processes_with_different_clocks_share_one_minute(limited: Callable[..., Meter]) -> None:
    meter = limited(turns_a_minute=3)
    behind = Meter(meter.items, meter.limits, HandClock())
    behind.clock.now -= 1  # still in the minute before
    for each in (behind, meter, behind):
        each.turn()
    assert (meter.today().minute, meter.today().begun) == (NOON // 60, 2)  # the first was of the minute before
    meter.turn()
    assert isinstance(meter.refused(), TooManyTurns)
    assert isinstance(behind.refused(), TooManyTurns)


@pytest.mark.parametrize("limits", [{"deployment_tokens_a_day": 500}, {"deployment_usd_a_day": 0.0005}])
def test_the_deployment_ceiling_stops_all_users_for_the_day(
    limited: Callable[..., Meter], limits: dict[str, float]
) -> None:
    meter = limited(**limits)
    other = Meter(meter.items, meter.limits, meter.clock)
    assert other.usage.reserve(ANN, 100, 0, LIFE) is None  # users are not counted
    meter.usage.add_to_all(499, 499)
    meter.usage.reserve(ANN, 100, 0, LIFE)
    meter.usage.add_to_all(1, 1)
    with pytest.raises(DeploymentCeiling) as refused:
        meter.usage.reserve(BO, 100, 0, LIFE)
    assert refused.value.retry_after == 16 * 3600
    other.usage.reserve(BO, 100, 0, LIFE)  # it asks every ten seconds
    meter.clock.now += 10
    with pytest.raises(DeploymentCeiling):
        other.usage.reserve(BO, 100, 0, LIFE)
    meter.clock.now += DAY
    other.usage.reserve(BO, 100, 0, LIFE)


class Wire(MemoryItems):
    """Loses, repeats and delays updates. A client library tries three times."""

    def __init__(self) -> None:
        super().__init__()
        self.fates: list[str] = []
        self.late: list[Callable[[], Item]] = []

    def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
        send = partial(super().update, pk, sk, expression, values, condition=condition)
        for _ in range(3):
            match self.fates.pop() if self.fates else "answered":
                case "answered":
                    return send()
                case "doubled":
                    with suppress(Refused):
                        send()
                    return send()
                case "held":
                    self.late.append(send)
                case "unanswered":
                    with suppress(Refused):
                        send()
        raise StoreUnavailable

    def arrive(self) -> None:
        for send in self.late:
            with suppress(Refused):
                send()
        self.late.clear()


def test_a_turn_costs_two_updates_and_one_more_in_a_new_minute() -> None:
    items, limits = MemoryItems(), BudgetTuning(tokens_a_day=10_000, turns_a_minute=100, turns_at_once=9)
    meter, other = Meter(items, limits), Meter(items, limits)
    for each, updates in ((meter, 2), (meter, 2), (other, 3), (other, 2)):
        items.calls.clear()
        each.turn()
        assert items.calls == {"update_item": updates}
    [item] = items.between(usage_of(user_key(ANN)), " ", "~")
    assert "ann" not in str(item)
    assert item["ttl"] == int(NOON) + 31 * DAY


FATES = st.lists(st.sampled_from(["doubled", "held", "unanswered", "refused"]), max_size=4)


@given(st.lists(st.tuples(FATES, FATES, st.booleans()), min_size=1, max_size=6))
def test_a_turn_counts_at_most_once_under_packet_faults(turns: list[tuple[list[str], list[str], bool]]) -> None:
    """Not if a reservation and its settlement both arrive a second time, in this order: then it counts twice."""
    wire = Wire()
    meter = Meter(wire, BudgetTuning(tokens_a_day=10_000, turns_a_minute=100, turns_at_once=50))
    settled = 0
    for fates, later_fates, arrives in turns:
        wire.fates = [*fates]
        with suppress(StoreUnavailable):
            reserved = meter.begin()
            is_late = "held" in fates
            wire.fates = [each for each in later_fates if not (is_late and each == "held")]
            with suppress(StoreUnavailable):
                meter.usage.settle(reserved, 70, 700, 1)
                settled += 1
        wire.fates = []
        if arrives:
            wire.arrive()
    wire.arrive()
    meter.clock.now += LIFE + 1
    meter.usage.settle(meter.begin(), 0, 0, 0)
    today = meter.today()
    assert not today.holds
    assert (today.tokens, today.micro) == (70 * today.turns, 700 * today.turns)
    assert settled <= today.turns <= len(turns)


STEP = st.sampled_from(["begin", "settle", "again", "die", "wait"])
STEPS = st.lists(st.tuples(STEP, st.integers(0, 150)), max_size=60)


@given(STEPS)
def test_sums_always_equal_the_usage_of_ended_runs(steps: list[tuple[str, int]]) -> None:
    meter = Meter(MemoryItems(), BudgetTuning(tokens_a_day=600, turns_at_once=4))
    running: list[Reserved] = []
    settled: list[tuple[Reserved, int]] = []
    spent = 0
    for step, number in steps:
        if step == "begin":
            try:
                running.append(meter.begin())
            except OverLimit:
                assert running or spent >= 600 or len(meter.today().live(meter.usage.now())) > 0
        elif step == "wait":
            meter.clock.now += number / 2
            running = [each for each in running if each.hold.until >= meter.usage.now()]
        elif step == "again" and settled:
            reserved, tokens = settled[number % len(settled)]
            meter.usage.settle(reserved, tokens, 0, 1)
        elif running:
            reserved = running.pop(number % len(running))
            if step == "settle":
                meter.usage.settle(reserved, number, 0, 1)
                settled.append((reserved, number))
                spent += number
        today = meter.today() if meter.usage.days(ANN) else Day("")
        assert (today.used[0], today.turns) == (spent, len(settled))
        assert {each.hold for each in running} <= set(today.live(meter.usage.now()))
        assert len(today.live(meter.usage.now())) <= 4
        assert today.tokens - sum(hold.tokens for hold in today.holds if hold.until < meter.usage.now()) <= 600 + 150
