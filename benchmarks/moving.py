"""Threads that two other savers wrote on DynamoDB Local, 1 to 100 turns of real text each and every seventh waiting for
an answer, are imported: how fast, at what cost, and after how many kills each is there message by message and goes on.
Every fault count has to be 0. Last line: JSON.

    python benchmarks/moving.py --threads 50 --turns 100
"""

import argparse
import asyncio
import json
import logging
import os
import random
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from metering import metered, total
from peers import create_tables
from subjects import MemoryObjects, client, new_table, store
from texts import DEFAULT_DATA, Texts, prose_or_exit
from turnkeep.observability import logger
from turnkeep.store.items import Items

SITES = Path(__file__).parents[1] / "tests" / "turnkeep_local" / "moving"
SHORT = 10
"""Up to so many turns are written with every checkpoint, longer threads by `durability="exit"`, or they fill memory."""
WAITING = 7
KILLS = 5
COLUMNS = ("package", "threads", "turns", "seconds", "threads_s", "wcu_turn", "rcu_turn", "kills", "wrong", "stuck")


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--threads", type=int, default=50)
    arguments.add_argument("--turns", type=int, default=100, help="of the longest thread")
    arguments.add_argument(
        "--characters", type=int, default=150, help="of a question, which stands four times in a turn"
    )
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of real text")
    options = arguments.parse_args()
    texts = prose_or_exit(options.data)
    sys.path.insert(0, str(SITES))
    os.environ |= {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_REGION": "eu-west-1"}
    os.environ |= {"POWERTOOLS_METRICS_DISABLED": "1", "SEAL_KEY": "secret"}
    logger.setLevel("CRITICAL")
    logging.getLogger("langgraph").setLevel("ERROR")
    rows = []
    with store() as url:
        for package in ("langgraph-checkpoint-aws", "langgraph-checkpoint-dynamodb"):
            rows.append(_row(package, url, options, texts))
            if len(rows) == 1:
                print("  ".join(COLUMNS))
            print("  ".join(str(rows[-1][name]) for name in COLUMNS), flush=True)
    print(json.dumps({"benchmark": "moving", "rows": rows}))
    sys.exit(any(row["wrong"] or row["stuck"] for row in rows))


def _row(package: str, url: str, options: argparse.Namespace, texts: Texts) -> dict[str, Any]:
    from new_site import NewSite  # type: ignore[import-not-found]  # noqa: PLC0415 - needs the path

    old, dynamodb = _written(package, url, options, texts), client(url)
    seconds, tally = _timed(NewSite(Items(dynamodb, new_table(dynamodb)), MemoryObjects()), old)
    with metered(url) as meter:
        metered_client = client(meter.url)
        there = NewSite(Items(metered_client, new_table(metered_client)), MemoryObjects())
        meter.take()
        there.take(package, old.table)
        cost = total(meter.take())
    killed = new_table(dynamodb)
    kills = _kill(old, url, killed)
    there = NewSite(Items(dynamodb, killed), MemoryObjects())
    wrong, stuck = asyncio.run(_looked_at(there, old))
    return {
        "package": package,
        "threads": tally.threads.total(),
        "turns": tally.turns,
        "seconds": round(seconds, 1),
        "threads_s": round(tally.threads.total() / seconds, 1),
        "wcu_turn": round(cost.wcu / tally.turns, 2),
        "rcu_turn": round(cost.rcu / tally.turns, 2),
        "kills": kills,
        "wrong": wrong,
        "stuck": stuck,
    }


def _written(package: str, url: str, options: argparse.Namespace, texts: Texts) -> Any:
    from old_site import OldSite  # type: ignore[import-not-found]  # noqa: PLC0415

    site = OldSite(package, url, f"old-{uuid.uuid4().hex}", {})
    create_tables(client(url), site.name)
    for number in range(options.threads):
        turns = 1 + number * (options.turns - 1) // max(1, options.threads - 1)
        asked = [f"{texts.message()[: options.characters].strip()}?" for _ in range(turns)]
        asked[-1] += "!" * (number % WAITING == 0)
        site.talk(f"thread-{number}", *asked, durability="sync" if turns <= SHORT else "exit")
    return site


def _timed(there: Any, old: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    tally = there.take(old.package, old.table)
    return time.perf_counter() - begun, tally


def _kill(old: Any, url: str, table: str) -> int:
    """Runs the command until it ends by itself, and kills it at random moments at first."""
    to = ["--to", table, "--tenant", "acme", "--user", "ann"]
    place = ["--table", old.table.table, "--writes-table", old.table.writes, "--agent", _agent(old.package)]
    command = [sys.executable, "-m", "turnkeep_local.cli", "import", "--from", old.package, *place, *to]
    environ = {**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": url, "BUCKET_NAME": "none"}
    source, kills = random.Random(7), 0
    while True:
        process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = process.wait(timeout=None if kills == KILLS else source.uniform(2, 5))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        else:
            if code:
                sys.exit(f"the import ended with code {code}")
            return kills


async def _looked_at(there: Any, old: Any) -> tuple[int, int]:
    """How many threads are not as they were, and how many do not go on."""
    from new_site import ANN, plain  # noqa: PLC0415

    wrong = stuck = 0
    for thread_id, messages in old.messages.items():
        turns = there.store.threads.read(ANN, thread_id).turn_count
        wrong += plain(there.messages(thread_id)) != plain(messages)
        on = await there.say(thread_id, "yes")
        stuck += (on.number, on.status) != (turns + 1, "complete")
    return wrong, stuck


def _agent(package: str) -> str:
    from new_site import agent_of  # noqa: PLC0415

    return str(agent_of(package))


if __name__ == "__main__":
    main()
