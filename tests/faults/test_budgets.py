"""Usage counts once, over a wire that loses, doubles and delays packets, and in servers that are killed."""

import itertools
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from harness import ANN, Harness
from wire import WireServer, says, waits

from dev_server import dev_server, install
from packets import Body, Fate, Wire
from turnkeep.errors import StoreUnavailable
from turnkeep.store.limits import Day
from turnkeep.store.usage import Usage
from turnkeep.tuning import BudgetTuning

LIMITS = BudgetTuning(tokens_a_day=10_000, turns_a_minute=100, turns_at_once=5)
LIFE = 60.0
TRIES = 3
FATES: tuple[Fate, ...] = ("held", "doubled", "slow", "refused", "throttled", "failed")
TOKENS = 18  # that the model on the wire reports
SECONDS, LEASE_SECONDS = 20, 25  # the longest life of a run, and five more
LIMITED = {
    "MODEL": "openai:gpt-4.1-mini",
    "DEFAULT_AGENT": "plain",
    "BUDGET__TURNS_AT_ONCE": "1",
    "BUDGET__TOKENS_A_DAY": "10000",
    "TURN__SECONDS": str(SECONDS),
    "TURN__COMMIT_SECONDS": "0.5",
}


def counter(harness: Harness) -> Usage:
    return Usage(harness.store.heads, LIMITS)


def is_reserving(body: Body) -> bool:
    return " ADD " in body["UpdateExpression"]


def is_settling(body: Body) -> bool:
    return " DELETE " in body["UpdateExpression"]


@pytest.mark.parametrize("which", [is_reserving, is_settling])
@pytest.mark.parametrize("trouble", list(itertools.product(FATES, [1, TRIES])), ids=str)
def test_a_turn_counts_once_under_packet_faults(
    harness: Harness, far: Harness, wire: Wire, trouble: tuple[Fate, int], which: object
) -> None:
    usage, here = counter(far), counter(harness)
    fate, times = trouble
    for _ in range(2):  # the second knows the minute, so its request differs
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
    harness.clock.now += LIFE + 1
    here.settle(here.reserve(ANN, 100, 1000, LIFE), 0, 0, 0)  # type: ignore[arg-type]
    kept = here.days(ANN)[0]
    assert kept == Day(kept.day, 70 * kept.turns, 700 * kept.turns, kept.turns, kept.minute, kept.begun)
    assert kept.turns == 2 or times == TRIES


@pytest.mark.slow
def test_reservations_of_a_killed_server_expire(dynamodb_url: str, table_name: str, tmp_path: Path) -> None:
    install(tmp_path, "plain", "plain_agent")
    yes = says("Yes.")
    with WireServer([yes, waits(60)], yes) as model:
        environ = {
            **os.environ,
            **LIMITED,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(tmp_path)]),
            "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
            "TABLE_NAME": table_name,
            "OPENAI_BASE_URL": model.base_url,
        }
        with dev_server(tmp_path, environ) as client:
            ask(client, "t0")  # which builds the agent
            asking = threading.Thread(target=_ask_without_answer, args=(client.base_url,), daemon=True)
            asking.start()
            while client.get("/usage").json()["rates"]["running"] == 0:
                assert asking.is_alive()
                time.sleep(0.02)
        begun = time.monotonic()
        with dev_server(tmp_path, environ) as client:
            refused = ask(client, "t2")
            tokens = client.get("/usage").json()["today"]["tokens"]
            assert (refused.status_code, refused.json()["code"], tokens["reserved"]) == (
                429,
                "too_many_at_once",
                20_000,
            )
            while ask(client, "t2").status_code == 429:
                assert time.monotonic() < begun + LEASE_SECONDS + 60
                time.sleep(0.3)
            usage = client.get("/usage").json()
    assert (usage["today"]["tokens"]["reserved"], usage["rates"]["running"]) == (0, 0)
    assert usage["today"]["tokens"]["used"] == 2 * TOKENS


def ask(client: httpx.Client, thread: str) -> httpx.Response:
    return client.post("/chat", json={"session_id": thread, "message": "Is it?"})


def _ask_without_answer(url: httpx.URL) -> None:
    with suppress(httpx.HTTPError), httpx.Client(base_url=url, timeout=120) as client:
        ask(client, "t1")
