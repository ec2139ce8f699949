"""Ten users of one server, one of whom asks a hundred times a second: how long the turns of the other nine take beside
it and without it, with the limits that template.yaml sets and with none. The two alternate in one run. Last line: JSON.

    python benchmarks/fairness.py --data ../shared/data          about six minutes
    python benchmarks/fairness.py --data ../shared/data --quick  a minute and a half

The graph waits as for a model that takes half a second. A round with limits is a minute, because they are those of a
minute: at its begin the tenth takes all that it may.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import statistics
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path

from servers import turnkeep_dev
from six_agent import MODEL_SECONDS
from texts import DEFAULT_DATA, prose_or_exit

PAUSE_SECONDS, WARM_SECONDS, SHORT_SECONDS, MINUTE = 2.5, 5.0, 15.0, 60.0
ROUNDS = {"template": (2, MINUTE), "none": (1, SHORT_SECONDS)}
"""How many, and of how many seconds each."""
OTHERS, GREEDY_RATE, GREEDY_LINES = 9, 100, 32
LIMITS = {
    "BUDGET__TOKENS_A_DAY": "2000000",
    "BUDGET__USD_A_DAY": "5",
    "BUDGET__TURNS_A_MINUTE": "30",
    "BUDGET__TURNS_AT_ONCE": "5",
    "BUDGET__DEPLOYMENT_USD_A_DAY": "100",
}


@dataclass
class Row:
    """Milliseconds of the nine's turns; `answers` of the tenth by status, all rounds together."""

    limits: str
    beside: str
    turns: int = 0
    median_ms: float = 0
    p95_ms: float = 0
    answers: dict[str, int] = field(default_factory=dict)


class User:
    """Talks on one connection, ten turns a thread."""

    def __init__(self, port: int, name: str):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Content-Type": "application/json", "X-Turnkeep-User": name}
        self._turns, self._thread = 0, ""

    def say(self, message: str) -> int:
        """The status of one turn's answer."""
        if self._turns % 10 == 0:
            self._thread = uuid.uuid4().hex
        self._turns += 1
        body = json.dumps({"session_id": self._thread, "message": message, "agent": "six"})
        self._connection.request("POST", "/chat", body, self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status

    def close(self) -> None:
        self._connection.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of real text")
    arguments.add_argument("--quick", action="store_true", help="one short round each")
    options = arguments.parse_args()
    prose_or_exit(options.data)
    rows: list[Row] = []
    print(f"{'limits':10}{'beside':28}{'turns':>7}{'median ms':>11}{'p95 ms':>9}  answers of the tenth")
    for limits, rounds in ROUNDS.items():
        os.environ[MODEL_SECONDS] = "0.5"
        os.environ.update(LIMITS if limits == "template" else dict.fromkeys(LIMITS, "0"))
        with tempfile.TemporaryDirectory() as folder, turnkeep_dev(options.data.resolve(), Path(folder)) as server:
            rows += _measured(server.port, limits, *((1, SHORT_SECONDS) if options.quick else rounds))
    print(json.dumps({"benchmark": "fairness", "rows": [asdict(row) for row in rows]}))


def _measured(port: int, limits: str, rounds: int, seconds: float) -> list[Row]:
    _round(port, WARM_SECONDS)
    alone, beside = Row(limits, "nobody"), Row(limits, f"one at {GREEDY_RATE} requests a second")
    milliseconds: dict[str, list[float]] = {alone.beside: [], beside.beside: []}
    answers: Counter[str] = Counter()
    for _ in range(rounds):
        milliseconds[alone.beside] += _round(port, seconds)
        with _greedy(port, answers):
            milliseconds[beside.beside] += _round(port, seconds)
    beside.answers = dict(answers)
    for row in (alone, beside):
        taken = milliseconds[row.beside]
        row.turns, row.median_ms = len(taken), statistics.median(taken)
        row.p95_ms = statistics.quantiles(taken, n=20)[-1]
        told = f"{row.limits:10}{row.beside:28}{row.turns:>7}{row.median_ms:>11.1f}{row.p95_ms:>9.1f}"
        print(f"{told}  {row.answers or ''}", flush=True)
    return [alone, beside]


def _round(port: int, seconds: float) -> list[float]:
    """The milliseconds of every turn of the nine, who pause between their turns."""
    taken: list[float] = []
    users = [threading.Thread(target=_talk, args=(port, number, taken, seconds)) for number in range(OTHERS)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    return taken


def _talk(port: int, number: int, taken: list[float], seconds: float) -> None:
    with closing(User(port, f"user-{number}")) as user:
        started = time.perf_counter() + PAUSE_SECONDS * number / OTHERS
        for turn in range(round(seconds / PAUSE_SECONDS)):
            time.sleep(max(0, started + turn * PAUSE_SECONDS - time.perf_counter()))
            begun = time.perf_counter()
            if (status := user.say("What does the paper show?")) != 200:
                raise RuntimeError(f"one of the nine was answered {status}")
            taken.append(1000 * (time.perf_counter() - begun))


@contextmanager
def _greedy(port: int, answers: Counter[str]) -> Iterator[None]:
    """A process of its own, so that what it costs to ask is not measured."""
    stop = multiprocessing.Event()
    told: multiprocessing.Queue[dict[str, int]] = multiprocessing.Queue()
    process = multiprocessing.Process(target=_hammer, args=(port, stop, told), daemon=True)
    process.start()
    time.sleep(0.5)
    yield
    stop.set()
    answers.update(told.get(timeout=60))
    process.join()


def _hammer(port: int, stop: Event, told: "multiprocessing.Queue[dict[str, int]]") -> None:
    """Asks at its rate whether answers come or not, as far as its lines reach."""
    counted: Counter[str] = Counter()

    def ask(line: int) -> None:
        user, begun, number = User(port, "greedy"), time.perf_counter(), line
        while not stop.is_set():
            time.sleep(max(0, begun + number / GREEDY_RATE - time.perf_counter()))
            counted[str(user.say("What does the paper show?"))] += 1
            number += GREEDY_LINES
        user.close()

    lines = [threading.Thread(target=ask, args=(line,)) for line in range(GREEDY_LINES)]
    for line in lines:
        line.start()
    for line in lines:
        line.join()
    told.put(dict(counted))


if __name__ == "__main__":
    main()
