"""Several processes write to one thread of a DynamoDB Local until so many turns are acknowledged, with and without
faults; then the thread is compared with what they were told. Every fault count has to be 0. Last line: JSON.

    python benchmarks/writers.py --turns 1000 --each 50
"""

import argparse
import importlib
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import boto3

from turnkeep.store.opening import make_table
from turnkeep_local.dynamodb import dynamodb_local
from turnkeep_local.emulator import JAVA_MISSING, fetch_emulator, find_emulator, find_java

CREW = Path(__file__).parents[1] / "tests" / "faults"
NO_S3 = "http://127.0.0.1:9"  # no value here is large enough to be written there
COLUMNS = ("turns", "acknowledged", "fewest", "lost", "doubled", "half", "seconds", "faults")


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("--turns", type=int, default=1000, help="acknowledged turns of each run")
    arguments.add_argument("--each", type=int, default=50, help="acknowledged turns that every writer has at least")
    arguments.add_argument("--writers", type=int, action="append", help="repeatable; default: 2 and 8")
    arguments.add_argument("--share", type=float, action="append", help="share of broken calls; default: 0 and 0.15")
    arguments.add_argument("--data", help="ignored: every benchmark takes it")
    options = arguments.parse_args()
    sys.path.insert(0, str(CREW))
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "1"
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, _dynamodb(Path(folder)) as url:
        for share in options.share or [0.0, 0.15]:
            for writers in options.writers or [2, 8]:
                row = _run(url, writers=writers, share=share, options=options)
                _print(row, is_first=not rows)
                rows.append(row)
    print(json.dumps({"benchmark": "writers", "rows": rows}))
    sys.exit(any(row["lost"] or row["doubled"] or row["half"] or row["wrong"] for row in rows))


@contextmanager
def _dynamodb(folder: Path) -> Iterator[str]:
    java = find_java(os.environ)
    if java is None:
        sys.exit(JAVA_MISSING)
    emulator = find_emulator(os.environ) or fetch_emulator(os.environ, print)
    with dynamodb_local(java, emulator, ["-inMemory", "-sharedDb"], log=folder / "log") as url:
        yield url


def _run(url: str, *, writers: int, share: float, options: argparse.Namespace) -> dict[str, Any]:
    crew, site = importlib.import_module("writer_crew"), importlib.import_module("fault_site")
    client = boto3.client("dynamodb", endpoint_url=url, **site.CREDENTIALS)
    table = f"writers-{secrets.token_hex(4)}"
    make_table(client, table)
    drill = crew.Drill(writers=writers, turns=options.turns, each=options.each, fault_share=share)
    report = crew.run_drill(site.Site(url, table, NO_S3, "none"), drill, seed=1)
    return {"writers": writers, "share": share, **asdict(report), "per_second": round(report.turns / report.seconds, 1)}


def _print(row: dict[str, Any], *, is_first: bool) -> None:
    names = ("writers", "share", *COLUMNS, "per_second")
    if is_first:
        print("".join(f"{name:>13}" for name in names))
    print("".join(f"{row[name]!s:>13}" for name in names))
    for wrong in row["wrong"][:5]:
        print("   wrong:", wrong)
    print(f"   answers: {row['answers']}", flush=True)


if __name__ == "__main__":
    main()
