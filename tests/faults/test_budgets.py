"""What is used counts once, over a wire that loses, doubles and delays, and in servers that are killed."""

import itertools
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from budget_server import TOKENS, Client, LimitedServer, model_server
from desk import ANN, Desk
from packets import Body, Fate, Wire

from turnkeep.errors import StoreUnavailable
from turnkeep.storage.limits import Day
from turnkeep.storage.usage import Usage
from turnkeep.tuning import BudgetTuning

LIMITS = BudgetTuning(tokens_a_day=10_000, turns_a_minute=100, turns_at_once=5)
LIFE = 60.0
TRIES = 3
FATES: tuple[Fate, ...] = ("held", "doubled", "slow", "refused", "throttled", "failed")
SECONDS, LEASE_SECONDS = 20, 25  # the longest life of a run, and five more
LIFE_OF_RUNS = {"TURN__SECONDS": str(SECONDS), "TURN__COMMIT_SECONDS": "0.5"}


def counter(desk: Desk) -> Usage:
    return Usage(desk.items, LIMITS, clock=desk.clock, mint=secrets.token_bytes)


def is_reserving(body: Body) -> bool:
    return " ADD " in body["UpdateExpression"]


def is_settling(body: Body) -> bool:
    return " DELETE " in body["UpdateExpression"]


@pytest.mark.parametrize("which", [is_reserving, is_settling])
@pytest.mark.parametrize("trouble", list(itertools.product(FATES, [1, TRIES])), ids=str)
def test_a_turn_counts_once_whatever_becomes_of_its_packets(
    desk: Desk, far: Desk, wire: Wire, trouble: tuple[Fate, int], which: object
) -> None:
    usage, here = counter(far), counter(desk)
    fate, times = trouble
    for _ in range(2):  # the second knows the minute, so it asks in another way
        trap = wire.trap("UpdateItem", fate, times=times, where=which)
        with suppress(StoreUnavailable):
            reserved = usage.reserve(ANN, 100, 1000, LIFE)
            assert reserved
            with suppress(StoreUnavailable):
                usage.settle(reserved, 70, 700, 1)
        wire.mend()
        trap.arrive()
    stands = here.days(ANN)[0]
    assert stands.used[0] <= 140
    assert len(stands.holds) <= 2 * TRIES
    desk.clock.now += LIFE + 1
    here.settle(here.reserve(ANN, 100, 1000, LIFE), 0, 0, 0)  # type: ignore[arg-type]
    kept = here.days(ANN)[0]
    assert kept == Day(kept.day, 70 * kept.turns, 700 * kept.turns, kept.turns, kept.minute, kept.begun)
    assert kept.turns == 2 or times == TRIES


def server(folder: Path, store: str, table: str, model: str, **limits: object) -> LimitedServer:
    return LimitedServer(folder, store, table, model, {f"BUDGET__{name}".upper(): str(n) for name, n in limits.items()})


@pytest.mark.slow
def test_eight_clients_at_the_edge_overspend_by_at_most_one_turn(
    dynamodb_url: str, table_name: str, tmp_path: Path
) -> None:
    budget = 10 * TOKENS + TOKENS // 2
    answers: list[httpx.Response] = []

    def ask(client: Client, number: int) -> None:
        for turn in range(4):
            answers.append(client.say(f"t{number}-{turn}"))

    with model_server(0.05) as model:
        limited = server(tmp_path, dynamodb_url, table_name, model, tokens_a_day=budget, turn_tokens=TOKENS)
        with limited.running() as client, ThreadPoolExecutor(8) as clients:
            list(clients.map(lambda number: ask(client, number), range(8)))
            while client.used()["today"]["tokens"]["left"]:
                if client.say("more").status_code == 429:
                    time.sleep(0.2)  # who was just refused is refused for a second
            told = client.used()["today"]["tokens"]
            refused = client.say("last")
    assert {answer.status_code for answer in answers} == {200, 429}
    assert budget <= told["used"] <= budget + TOKENS
    assert (refused.status_code, refused.json()["code"]) == (429, "budget_exceeded")
    assert int(refused.headers["retry-after"]) <= 86_400


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_server_that_is_killed_gives_back_what_its_turns_had_reserved(
    dynamodb_url: str, table_name: str, tmp_path: Path
) -> None:
    with model_server(0) as model:
        limited = server(tmp_path, dynamodb_url, table_name, model, turns_at_once=1, tokens_a_day=10_000)
        quick = LimitedServer(**{**vars(limited), "environ": {**limited.environ, **LIFE_OF_RUNS}})
        with quick.running() as client:
            client.say("t0")  # which builds the agent
            asking = threading.Thread(target=_ask_in_vain, args=(client,), daemon=True)
            asking.start()
            while client.used()["rates"]["running"] == 0:
                assert asking.is_alive()
                time.sleep(0.02)
        begun = time.monotonic()
        with quick.running() as client:
            refused = client.say("t2")
            told = client.used()["today"]["tokens"]
            assert (refused.status_code, refused.json()["code"], told["reserved"]) == (429, "too_many_at_once", 20_000)
            while client.say("t2").status_code == 429:
                assert time.monotonic() < begun + LEASE_SECONDS + 5
                time.sleep(0.3)
            told = client.used()
    assert (told["today"]["tokens"]["reserved"], told["rates"]["running"]) == (0, 0)
    assert told["today"]["tokens"]["used"] in (TOKENS, 2 * TOKENS)


def _ask_in_vain(client: Client) -> None:
    with suppress(httpx.HTTPError):
        client.say("t1", "never")
