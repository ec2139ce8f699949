"""Turns a second and milliseconds a turn over HTTP, with 1, 4 and 16 clients, on the same six-node graph: `turnkeep
dev` beside an earlier one and the plain form, which share a DynamoDB Local in memory, and `langgraph dev`, which keeps
turns in its own memory. Also where the CPU time of a turn goes, and a turn where every request to DynamoDB takes 5 ms
more. All alternate in one run. Last line: JSON.

    python benchmarks/throughput.py --data ../shared/data          about five minutes
    python benchmarks/throughput.py --data ../shared/data --quick  one round of ours
    python benchmarks/throughput.py --before ../earlier            also beside an earlier checkout with its .venv
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path

import boto3

from peers import PEERS, PeerStopped, create_tables, hold_back, started
from servers import Client, Missing, Server, langgraph_dev, plain_form, turnkeep_dev
from subjects import CREDENTIALS, Conversation, new_table, six, store
from texts import DEFAULT_DATA, prose_or_exit
from turnkeep.observability import logger

ROUNDS, TURNS = 5, {1: 12, 4: 12, 16: 8}
"""Turns of each client in a round, by how many clients there are."""
PROFILED_TURNS = 200
DELAY_MS, DELAYED_TURNS, WARM_UP = 5.0, 60, 5
PEER = next(peer for peer in PEERS if peer.name == "checkpoint-dynamodb, exit")
OURS = "turnkeep, six nodes"


@dataclass(frozen=True)
class Round:
    """`milliseconds` of each turn as its client saw it; `cpu_ms` of the server's process for a turn."""

    turns_a_second: float
    milliseconds: list[float]
    cpu_ms: float


@dataclass(frozen=True)
class Row:
    """Medians over the rounds."""

    system: str
    clients: int
    turns_a_second: float
    median_ms: float
    cpu_ms: float


@dataclass(frozen=True)
class Wall:
    """Milliseconds of a turn, and of CPU time for it."""

    system: str
    median_ms: float
    p95_ms: float
    cpu_ms: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of real text")
    arguments.add_argument("--quick", action="store_true", help="one round of ours, without the peers")
    arguments.add_argument("--before", type=Path, help="a checkout to compare with")
    options = arguments.parse_args()
    logger.setLevel("ERROR")
    prose_or_exit(options.data)
    data: Path = options.data.resolve()
    rows, missing = _compared(data, options.before, with_peers=not options.quick)
    shares = {} if options.quick else _shares(data)
    walls = [] if options.quick else asyncio.run(_delayed(data, DELAYED_TURNS))
    told = {"rows": [asdict(row) for row in rows], "shares": shares, "walls": [asdict(wall) for wall in walls]}
    print(json.dumps({"benchmark": "throughput", **told, "delay_ms": DELAY_MS, "missing": missing, "load": _load()}))


# Servers


def _compared(data: Path, before: Path | None, *, with_peers: bool) -> tuple[list[Row], list[str]]:
    missing: list[str] = []
    with ExitStack() as stack:
        url = stack.enter_context(store())
        servers = [stack.enter_context(turnkeep_dev(data, _folder(stack), dynamodb_url=url))]
        if before:
            servers.append(
                stack.enter_context(turnkeep_dev(data, _folder(stack), tree=before.resolve(), dynamodb_url=url))
            )
        if with_peers:
            try:
                servers.append(stack.enter_context(plain_form(data, _folder(stack), url)))
                servers.append(stack.enter_context(langgraph_dev(data, _folder(stack))))
            except Missing as reason:
                missing.append(str(reason))
                print(missing[-1])
        message = prose_or_exit(data).message()
        for server in servers:
            _round(server, 16, 2, message)
        found = {(server.name, clients): list[Round]() for clients in TURNS for server in servers}
        for _ in range(ROUNDS if with_peers else 1):
            for clients, turns in TURNS.items():
                for server in [*servers]:
                    try:
                        found[server.name, clients].append(_round(server, clients, turns, message))
                    except RuntimeError as error:  # a peer that fails is out; its rounds so far count
                        if server is servers[0]:
                            raise
                        servers.remove(server)
                        missing.append(str(error))
    print(f"{'server':26}{'clients':>8}{'turns/s':>10}{'ms a turn':>11}{'CPU ms':>9}   load {_load()}")
    return [_show(name, clients, each) for (name, clients), each in found.items() if each], missing


def _round(server: Server, clients: int, turns: int, message: str) -> Round:
    def talk(client: Client) -> list[float]:
        return [_timed(client, message) for _ in range(turns)]

    with ExitStack() as stack, ThreadPoolExecutor(clients) as pool:
        talkers = [stack.enter_context(closing(server.client())) for _ in range(clients)]
        cpu, begun = server.cpu_seconds(), time.perf_counter()
        each = [ms for found in pool.map(talk, talkers) for ms in found]
        seconds, cpu = time.perf_counter() - begun, server.cpu_seconds() - cpu
    return Round(len(each) / seconds, each, 1000 * cpu / len(each))


def _timed(client: Client, message: str) -> float:
    begun = time.perf_counter()
    client.say(message)
    return 1000 * (time.perf_counter() - begun)


def _show(name: str, clients: int, rounds: Sequence[Round]) -> Row:
    row = Row(
        name,
        clients,
        round(statistics.median(each.turns_a_second for each in rounds), 1),
        round(statistics.median(ms for each in rounds for ms in each.milliseconds), 1),
        round(statistics.median(each.cpu_ms for each in rounds), 1),
    )
    print(f"{name:26}{clients:>8}{row.turns_a_second:>10}{row.median_ms:>11}{row.cpu_ms:>9}", flush=True)
    return row


def _folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory()))


def _load() -> float:
    """What else runs on the machine counts too."""
    return round(os.getloadavg()[0], 1)


# Where the time goes


def _shares(data: Path) -> dict[str, float]:
    """Of the CPU time of our server, one client talking, in percent."""
    with ExitStack() as stack:
        folder = _folder(stack)
        server = stack.enter_context(turnkeep_dev(data, folder, profile=(target := folder / "shares.json")))
        message = prose_or_exit(data).message()
        _round(server, 1, 20, message)
        server.process.send_signal(signal.SIGUSR1)
        _round(server, 1, PROFILED_TURNS, message)
        server.process.send_signal(signal.SIGUSR2)
        while not target.exists():
            time.sleep(0.05)
        found: dict[str, int] = json.loads(target.read_text())
    whole = sum(found.values())
    shares = {name: round(100 * count / whole, 1) for name, count in sorted(found.items(), key=lambda one: -one[1])}
    print(f"\nCPU of a turn, {whole} samples: " + ", ".join(f"{name} {share} %" for name, share in shares.items()))
    return shares


# A turn with slow requests


async def _delayed(data: Path, turns: int) -> list[Wall]:
    texts = prose_or_exit(data)
    seconds: dict[str, list[tuple[float, float]]] = {}
    with store() as url, ExitStack() as stack:
        session = boto3.Session()
        with closing(session.client("dynamodb", endpoint_url=url, **CREDENTIALS)) as plain:
            table = new_table(plain)
            create_tables(plain, "peer")
        hold_back(session, DELAY_MS)
        dynamodb = stack.enter_context(closing(session.client("dynamodb", endpoint_url=url, **CREDENTIALS)))
        talk = Conversation(six(texts), dynamodb, table)
        try:
            peer = stack.enter_context(started(PEER, url, "peer", data, delay_ms=DELAY_MS))
            peer.turn()
        except PeerStopped as stop:
            peer = None
            print(f"{PEER.name} stopped: {stop}")
        for _ in range(WARM_UP + turns):
            begun, cpu = time.perf_counter(), time.process_time()
            await talk.say(texts.message())
            took = time.perf_counter() - begun, time.process_time() - cpu
            seconds.setdefault(OURS, []).append(took)
            if peer:
                seconds.setdefault(PEER.name, []).append((peer.turn(), peer.cpu_seconds))
    print(f"\n{f'a turn with {DELAY_MS:g} ms added to every request':48}{'median ms':>12}{'p95 ms':>10}{'CPU ms':>9}")
    return [_show_wall(name, each[WARM_UP:]) for name, each in seconds.items()]


def _show_wall(system: str, took: Sequence[tuple[float, float]]) -> Wall:
    seconds, cpu = zip(*took, strict=True)
    p95 = statistics.quantiles(seconds, n=20)[-1]
    figures = (round(1000 * each, 1) for each in (statistics.median(seconds), p95, statistics.median(cpu)))
    wall = Wall(system, *figures)
    print(f"{system:48}{wall.median_ms:>12}{wall.p95_ms:>10}{wall.cpu_ms:>9}", flush=True)
    return wall


if __name__ == "__main__":
    main()
