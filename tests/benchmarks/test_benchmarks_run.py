"""Each benchmark runs to its end in a short form. What it measures is not judged here."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SHORT = {
    "capacity": ["--quick"],
    "cleanup": ["--threads", "20"],
    "cold_start": ["--quick"],
    "cpu": ["--quick"],
    "dollars": [],
    "facts": [],
    "joins": [],
    "memory": [],
    "moving": ["--threads", "2", "--turns", "2"],
    "pii": [],
    "prompt_tokens": [],
    "regulations": [],
    "retrieval": ["--set", "cranfield", "--lexical"],
    "sql_validator": ["--quick"],
    "table_selection": [],
    "throughput": ["--quick"],
    "turn_cost": ["--quick"],
    "writers": ["--turns", "30", "--each", "1", "--writers", "4", "--share", "0.15"],
}
WITHOUT_DATA = ("cold_start", "dollars", "memory", "writers")
WITH_PEERS = {"peers", "savers"}
"""Compare with savers of other projects, which they install first."""


@pytest.mark.parametrize("name", SHORT)
def test_a_benchmark_runs(name: str, shared_data: Path) -> None:
    data = [] if name in WITHOUT_DATA else ["--data", str(shared_data)]
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *SHORT[name], *data]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout


def test_every_benchmark_is_run() -> None:
    commands = {path.stem for path in BENCHMARKS.glob("*.py") if '__name__ == "__main__"' in path.read_text()}
    assert commands - SHORT.keys() == WITH_PEERS | {"metering", "profiled"}
