"""CPU time until a function is ready for its first request: ours from their layers, beside a plain stack of the same
dependencies as `sam build` leaves it. Both find the same boto3, compiled. Last line: JSON.

    python benchmarks/cold_start.py                    two minutes
    python benchmarks/cold_start.py --boto3 source     the same without bytecode of boto3
    python benchmarks/cold_start.py --quick            one round; exits with 0 whatever it took
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stacks import PYTHON, ROOT, Stacks, build, megabytes

ROUNDS = 9
MOST_MEGABYTES = 125
STARTS = Path(__file__).parent / "starts"
LAMBDA = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_REGION": "eu-west-1",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "HOME": "/nonexistent",
    "LANG": "en_US.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",  # a layer is read-only
    "TABLE_NAME": "turnkeep",
    "BUCKET_NAME": "turnkeep",
    "SEAL_KEY": "of the benchmark",
}
OPENAI = {"MODEL": "openai:gpt-4.1-mini", "OPENAI_API_KEY": "none"}
JWT = {
    "AUTH": "jwt",
    "JWT_ISSUER": "https://issuer.example",
    "JWT_AUDIENCE": "turnkeep",
    "JWT_JWKS_URL": "https://issuer.example/jwks.json",
    "JWT_TENANT_CLAIM": "tenant",
}


@dataclass(frozen=True)
class Start:
    """One program that is started: the function that it is of, `plain` for the plain stack, None for boto3 alone.
    `plain` names the one it is held against, `most` what it may take of that."""

    name: str
    module: str
    function: str | None = None
    plain: str | None = None
    most: float | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


STARTED = (
    Start("python itself", "sys"),
    Start("bare boto3 client", "bare_client"),
    Start("plain api", "plain_api", "plain"),
    Start("plain chat", "plain_chat", "plain"),
    Start("plain chat, OpenAI's client made", "plain_openai", "plain"),
    Start("api", "app", "api", "plain api", 0.6),
    Start("stream", "our_stream", "stream", "plain api", 0.6),
    Start("cleanup", "app", "cleanup", "bare boto3 client", 1.3),
    Start("authorizer, keys", "app", "authorizer", "bare boto3 client", 1.3),
    Start("authorizer, jwt", "app", "authorizer", "bare boto3 client", None, JWT),
    Start("chat path: api and a first turn", "our_chat", "api", "plain chat", 0.5),
    Start("chat path, OpenAI's client made", "our_openai", "api", "plain chat, OpenAI's client made", 0.5, OPENAI),
)


@dataclass(frozen=True)
class Row:
    """Median, least and most of the CPU milliseconds; `ratio` to the plain stack."""

    name: str
    median_ms: float
    least_ms: float
    most_ms: float
    ratio: float | None = None
    allowed: float | None = None

    @property
    def is_missed(self) -> bool:
        return self.ratio is not None and self.allowed is not None and self.ratio > self.allowed


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--boto3", choices=("compiled", "source"), default="compiled", help="what all of them find")
    arguments.add_argument("--quick", action="store_true", help="one round, not held against what is allowed")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="turnkeep-") as folder:
        stacks = build(Path(folder))
        if options.boto3 == "source":
            _forget_bytecode(stacks.runtime)
        sizes = dict(_sizes(stacks))
        rows = list(_rows(measure(stacks, 1 if options.quick else ROUNDS)))
    missed = [f"{row.name}: {row.ratio:.2f} of plain, {row.allowed} allowed" for row in rows if row.is_missed]
    if sizes["all that is ours"] > MOST_MEGABYTES:
        missed.append(f"{sizes['all that is ours']:.1f} MB, {MOST_MEGABYTES} allowed")
    for sentence in missed:
        print(f"over budget: {sentence}")
    print(json.dumps(_summary(options.boto3, rows, sizes, missed)))
    sys.exit(1 if missed and not options.quick else 0)


def measure(stacks: Stacks, rounds: int = ROUNDS) -> dict[str, list[float]]:
    """CPU milliseconds of every start, in rounds, so that a busy machine is busy for all; the first is not counted."""
    taken: dict[str, list[float]] = {start.name: [] for start in STARTED}
    for _ in range(1 + rounds):
        for start in STARTED:
            taken[start.name].append(cpu_ms(start, stacks))
    return {name: each[1:] for name, each in taken.items()}


def cpu_ms(start: Start, stacks: Stacks) -> float:
    """User and system time of a process that imports the start's module, the interpreter's own included."""
    environment = {**LAMBDA, **start.environment, "PYTHONPATH": os.pathsep.join(map(str, _path(start, stacks)))}
    command = [str(PYTHON), "-s", "-P", "-c", f"import {start.module}"]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(command[0], command, environment, file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{start.name} did not start: {os.waitstatus_to_exitcode(status)}")
    return 1000 * (used.ru_utime + used.ru_stime)


def _path(start: Start, stacks: Stacks) -> Iterator[Path]:
    """As Lambda orders it: the function's code, its layers, the runtime's own packages."""
    yield STARTS
    if start.function == "plain":
        yield stacks.plain
    elif start.function:
        yield ROOT / "functions" / start.function
        yield from stacks.layers
    yield stacks.runtime


def _rows(taken: Mapping[str, list[float]]) -> Iterator[Row]:
    print(f"{'CPU ms until ready':36}{'median':>8}{'least':>8}{'most':>8}{'of plain':>10}{'allowed':>9}")
    for start in STARTED:
        each, median = taken[start.name], statistics.median(taken[start.name])
        ratio = median / statistics.median(taken[start.plain]) if start.plain else None
        row = Row(start.name, median, min(each), max(each), ratio, start.most)
        shown = f"{f'{ratio:.2f}' if ratio else '':>10}{start.most or '':>9}"
        print(f"{row.name:36}{row.median_ms:8.0f}{row.least_ms:8.0f}{row.most_ms:8.0f}{shown}", flush=True)
        yield row


def _sizes(stacks: Stacks) -> Iterator[tuple[str, float]]:
    """MB unzipped."""
    dependencies, package = map(megabytes, stacks.layers)
    code = megabytes(ROOT / "functions")
    yield "layer of dependencies", dependencies
    yield "layer of the package", package
    yield "functions", code
    yield "all that is ours", dependencies + package + code
    yield "plain, with boto3", megabytes(stacks.plain) + megabytes(stacks.runtime)


def _forget_bytecode(folder: Path) -> None:
    for cache in list(folder.rglob("__pycache__")):
        shutil.rmtree(cache)


def _summary(boto3: str, rows: list[Row], sizes: dict[str, float], missed: list[str]) -> dict[str, object]:
    return {
        "benchmark": "cold_start",
        "boto3": boto3,
        "rounds": ROUNDS,
        "rows": [asdict(row) for row in rows],
        "megabytes": {name: round(size, 1) for name, size in sizes.items()},
        "missed": missed,
    }


if __name__ == "__main__":
    main()
