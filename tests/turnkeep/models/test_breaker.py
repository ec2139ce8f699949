"""A model that is down is left alone for a while, then tried by one call at a time."""

import pytest

from turnkeep.errors import ModelBusy
from turnkeep.models.breaker import FAULTS, SECONDS, Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.admit()
        breaker.failed()


def test_faults_in_a_row_open_it_and_say_when_to_come_again(breaker: Breaker) -> None:
    fail(breaker, FAULTS)
    with pytest.raises(ModelBusy) as refused:
        breaker.admit()
    assert refused.value.retry_after == SECONDS


def test_an_answer_in_between_begins_the_count_anew(breaker: Breaker) -> None:
    fail(breaker, FAULTS - 1)
    breaker.succeeded()
    fail(breaker, FAULTS - 1)
    breaker.admit()


def test_faults_far_apart_do_not_add_up(breaker: Breaker, clock: Clock) -> None:
    for _ in range(FAULTS):
        fail(breaker, 1)
        clock.now += SECONDS
    breaker.admit()


def test_after_its_time_one_call_tries_and_closes_it(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, FAULTS)
    clock.now += SECONDS
    breaker.admit()
    with pytest.raises(ModelBusy):
        breaker.admit()
    breaker.succeeded()
    breaker.admit()


def test_a_try_that_fails_opens_it_again(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, FAULTS)
    clock.now += SECONDS
    fail(breaker, 1)
    clock.now += SECONDS - 1
    with pytest.raises(ModelBusy):
        breaker.admit()
