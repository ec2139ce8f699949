"""What a turn costs at turns 1, 10, 100 and 1,000: requests, write and read units; beside it the savers that exist, on
the same graph; and how long a turn takes where every request takes 5 ms more. Every turn is run. Last line: JSON.

    python benchmarks/turn_cost.py --data ../shared/data          about ten minutes
    python benchmarks/turn_cost.py --data ../shared/data --quick  turns 1 and 10 of ours
"""

import argparse
import asyncio
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from capacity_rules import LISTING, PROSE, READING, WHATEVER, WINDOWLESS, Budget, Cost
from metering import Meter, delayed, metered, total
from peers import PEERS, Peer, PeerRun, PeerStopped, create_tables, started
from subjects import Conversation, client, new_table, own_six, papers, six, store
from texts import DEFAULT_DATA, Texts, noise, prose_or_exit
from turnkeep.graphs.agent import Agent
from turnkeep.graphs.building import build_agent
from turnkeep.observability import logger
from turnkeep.settings import Settings
from turnkeep_agents.papers.corpus import open_corpus

MARKS = (1, 10, 100, 1000)
QUICK_MARKS = (1, 10)
PEER_MARKS = (1, 10, 100, 200)
FULL_WINDOW = 10
QUESTIONS: Mapping[str, Sequence[str]] = {
    "campaigns": (
        "Show me clicks, spend and return on ad spend of every insertion order by week for the last three months",
        "and by creative?",
        "Why did the click rate of Quiz drop last month?",
        "What should I change about the budgets?",
        "Which budgets are overspending or behind?",
        "Which audiences had the highest CPA last month?",
        "123",
    ),
    "products": (
        "What phones do you have under $500?",
        "Tell me more about the Samsung one",
        "How does it compare to the first?",
        "Which laptops have at least 16 GB of memory?",
        "What does the second one cost?",
        "Hello there",
        "Show me wireless headphones, cheapest first",
    ),
    "database": (
        "List all work orders of this year with their customer and status",
        "and last month?",
        "next page",
        "How many employees are there in each crew?",
        "How do I close a work order?",
        "Which customers have the highest invoiced amount?",
        "Hello there",
    ),
    "regulations": (
        "Quante ferie spettano ogni anno a chi lavora?",
        "E se entro l'anno non vengono usate?",
        "Calcola l'IRPEF lorda su 31.500 euro",
        "What is a mortgage on a house in France?",
        "Sono Giulia Ferrante, giulia@example.org: entro quando impugno un licenziamento?",
        "Che cos'è il TFR?",
        "Buongiorno",
    ),
}
"""Asked again and again. Not questions of any set that answers are judged by."""
WALL_TURNS, WARM_UP = 50, 3
DELAY_MS = 5.0
OURS = "turnkeep, six nodes"


@dataclass(frozen=True)
class Subject:
    """One of our agents with what is said to it; every turn of it has to stay under `budget`."""

    name: str
    content: str
    agent: Agent
    message: Callable[[], str]
    budget: Budget
    private: bool = False
    document: str = ""
    """Text that is attached to the thread before its first turn."""


@dataclass(frozen=True)
class Row:
    system: str
    content: str
    turn: int
    requests: int
    wcu: float
    rcu: float


@dataclass(frozen=True)
class Wall:
    """Milliseconds of a turn."""

    system: str
    turns: int
    median_ms: float
    p95_ms: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of real text")
    arguments.add_argument("--quick", action="store_true", help="turns 1 and 10 of ours, without the peers")
    options = arguments.parse_args()
    logger.setLevel("ERROR")  # the lines of a benchmark are its table
    prose_or_exit(options.data)
    data: Path = options.data.resolve()
    with store() as url:
        rows, missed = _measure_ours(url, data, QUICK_MARKS if options.quick else MARKS)
        stopped: dict[str, str] = {}
        walls: list[Wall] = []
        if not options.quick:
            rows += [row for peer in PEERS for row in _measure_peer(url, peer, data, stopped)]
            try:
                walls = _measure_walls(url, data)
            except PeerStopped as stop:
                print(f"no wall times, a peer stopped: {stop}")
    for sentence in missed:
        print(f"over budget: {sentence}")
    print(json.dumps(_summary(rows, walls, stopped, missed)))
    sys.exit(1 if missed else 0)


def subjects(data: Path) -> Iterator[Subject]:
    """Ours: papers as it is built; papers and the peers' graph with every size at its limit, in prose and in noise."""
    questions = _questions()
    yield Subject("papers, demo", "questions", build_agent("papers", Settings(model="demo")), questions, PROSE)
    for name in ("campaigns", "products", "database"):
        yield Subject(f"{name}, demo, tiered", "questions", remembering(name), asked_of(name), PROSE)
    agent, asked = build_agent("regulations", Settings(model="demo")), asked_of("regulations")
    yield Subject("regulations, demo, private", "questions", agent, asked, LISTING, private=True)
    document = contract(prose_or_exit(data))
    yield Subject("the same with a document", "40,000 chars", agent, asked, READING, private=True, document=document)
    for name, build in (("papers", papers), ("six nodes", six)):
        for content, texts, budget in _contents(data):
            yield Subject(name, content, build(texts), texts.message, budget)
    texts = prose_or_exit(data)
    yield Subject("six nodes, langgraph.json", "prose", own_six(texts), texts.message, WINDOWLESS)
    yield Subject("papers, private", "prose", papers(texts), about_somebody(texts), WHATEVER, private=True)


def contract(texts: Texts) -> str:
    """Sections of real text, about twenty pages of a contract."""
    return "\n\n".join(f"# Articolo {at}\n\n{texts.material(2_000)}" for at in range(1, 21))


def about_somebody(texts: Texts) -> Callable[[], str]:
    """Messages that each name a person and an address of theirs that was not named before."""
    numbers = itertools.count(1)
    return lambda: f"{texts.message()} I am Giulia Ferrante, giulia{next(numbers)}@example.org, +39 347 5551234."


def _contents(data: Path) -> tuple[tuple[str, Texts, Budget], ...]:
    return ("prose", prose_or_exit(data), PROSE), ("noise", noise(7), WHATEVER)


def _questions() -> Callable[[], str]:
    return _in_turn([f"What does the paper “{paper.title}” show?" for paper in open_corpus(None).by_id.values()])


def remembering(name: str) -> Agent:
    """The agent as it is built, with the demo model and summaries of what left the window."""
    tuning: Any = {name: {"memory": "tiered"}}
    return build_agent(name, Settings(model="demo", **tuning))


def asked_of(name: str) -> Callable[[], str]:
    """Questions of every kind that the agent knows, follow-ups among them."""
    return _in_turn(QUESTIONS[name])


def _in_turn(messages: Sequence[str]) -> Callable[[], str]:
    endless = itertools.cycle(messages)
    return lambda: next(endless)


def _measure_ours(url: str, data: Path, marks: Sequence[int]) -> tuple[list[Row], list[str]]:
    print(f"{'system':29}{'content':11}{'turn':>6}{'requests':>10}{'WCU':>8}{'RCU':>8}")
    rows: list[Row] = []
    missed: list[str] = []
    with metered(url) as meter:
        for subject in subjects(data):
            costs = asyncio.run(measure(subject, meter, max(marks)))
            rows += [_show(_row(subject.name, subject.content, turn, costs[turn - 1])) for turn in marks]
            full = costs[FULL_WINDOW - 1 :]
            worst = Cost(max(c.requests for c in full), max(c.wcu for c in full), max(c.rcu for c in full))
            print(f"{'':29}{'worst':11}{'10+':>6}{worst.requests:>10}{worst.wcu:>8g}{worst.rcu:>8g}")
            missed += subject.budget.misses(f"{subject.name}, {subject.content}, worst turn", worst)
    return rows, missed


async def measure(subject: Subject, meter: Meter, turns: int) -> list[Cost]:
    """The cost of each turn of a new thread."""
    with closing(client(meter.url)) as dynamodb:
        talk = Conversation(subject.agent, dynamodb, new_table(dynamodb), private=subject.private)
        if subject.document:
            talk.attach("contratto.md", subject.document)
        meter.take()
        costs = []
        for _ in range(turns):
            await talk.say(subject.message())
            costs.append(total(meter.take()))
    return costs


def _measure_peer(url: str, peer: Peer, data: Path, stopped: dict[str, str]) -> Iterator[Row]:
    with metered(url) as meter:
        table = f"peer-{PEERS.index(peer)}"
        with closing(client(url)) as dynamodb:
            create_tables(dynamodb, table)
        turn = 0
        try:
            with started(peer, meter.url, table, data) as run:
                for turn in range(1, max(PEER_MARKS) + 1):
                    run.turn()
                    cost = total(meter.take())
                    if turn in PEER_MARKS:
                        yield _show(_row(peer.name, "prose", turn, cost))
        except PeerStopped as stop:
            stopped[peer.name] = f"turn {turn}: {stop}"
            print(f"{peer.name:29}stopped at {stopped[peer.name]}")


def _measure_walls(url: str, data: Path) -> list[Wall]:
    """All take their turns in rounds, so that a busy machine is busy for all of them."""
    print(f"\n{f'a turn with {DELAY_MS:g} ms added to every request':48}{'median ms':>12}{'p95 ms':>10}")
    with delayed(url, DELAY_MS) as slow, ExitStack() as stack:
        runs = {}
        for peer in PEERS:
            table = f"wall-{PEERS.index(peer)}"
            with closing(client(url)) as dynamodb:
                create_tables(dynamodb, table)
            runs[peer.name] = stack.enter_context(started(peer, slow, table, data))
        seconds = asyncio.run(_seconds_in_rounds(slow, data, runs))
    return [_show_wall(name, each) for name, each in seconds.items()]


async def _seconds_in_rounds(url: str, data: Path, runs: Mapping[str, PeerRun]) -> dict[str, list[float]]:
    texts = prose_or_exit(data)
    seconds: dict[str, list[float]] = {name: [] for name in (OURS, *runs)}
    with closing(client(url)) as dynamodb:
        talk = Conversation(six(texts), dynamodb, new_table(dynamodb))
        for _ in range(WARM_UP + WALL_TURNS):
            message, begun = texts.message(), time.perf_counter()
            await talk.say(message)
            seconds[OURS].append(time.perf_counter() - begun)
            for name, run in runs.items():
                seconds[name].append(run.turn())
    return seconds


def _row(system: str, content: str, turn: int, cost: Cost) -> Row:
    return Row(system, content, turn, cost.requests, cost.wcu, cost.rcu)


def _show(row: Row) -> Row:
    print(f"{row.system:29}{row.content:11}{row.turn:>6}{row.requests:>10}{row.wcu:>8g}{row.rcu:>8g}", flush=True)
    return row


def _show_wall(system: str, seconds: Sequence[float]) -> Wall:
    settled = [1000 * each for each in seconds[WARM_UP:]]
    wall = Wall(system, len(settled), statistics.median(settled), statistics.quantiles(settled, n=20)[-1])
    print(f"{system:48}{wall.median_ms:>12.1f}{wall.p95_ms:>10.1f}", flush=True)
    return wall


def _summary(rows: list[Row], walls: list[Wall], stopped: dict[str, str], missed: list[str]) -> dict[str, object]:
    return {
        "benchmark": "turn_cost",
        "budget": {"prose": asdict(PROSE), "noise": asdict(WHATEVER)},
        "rows": [asdict(row) for row in rows],
        "stopped": stopped,
        "wall": [{**asdict(wall), "delay_ms": DELAY_MS} for wall in walls],
        "missed": missed,
    }


if __name__ == "__main__":
    main()
