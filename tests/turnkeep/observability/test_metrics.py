"""Metrics: complete lines, written immediately, with one dimension, all documented."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import pytest

from turnkeep.observability import annotate, correlate, count
from turnkeep.observability.metrics import UNITS, Metric

PAGE = Path(__file__).parents[3] / "docs" / "observability.md"
type Output = Callable[[], list[dict[str, Any]]]

NAMES = get_args(Metric)


def test_a_metric_is_one_line_with_the_fields_of_its_request(output: Output) -> None:
    correlate("c")
    annotate(thread_hash="h")
    count("ModelFault", code="model_busy")
    [line] = output()
    assert line["_aws"]["CloudWatchMetrics"] == [
        {"Namespace": "Turnkeep", "Dimensions": [["service"]], "Metrics": [{"Name": "ModelFault", "Unit": "Count"}]}
    ]
    del line["_aws"]
    line.pop("cold_start", None)  # the first request of this process
    known = {"correlation_id": "c", "thread_hash": "h", "code": "model_busy"}
    assert line == {"service": "turnkeep", "ModelFault": [1.0], **known}


def test_every_metric_is_documented_with_its_unit() -> None:
    table = PAGE.read_text().split("## Log lines")[0]
    rows = re.findall(r"^\| (`.+?) \| (\w+) \| [^|]+ \|$", table, re.MULTILINE)
    explained = {name: unit for names, unit in rows for name in re.findall(r"`(\w+)`", names)}
    assert explained == {name: UNITS[name].value if name in UNITS else "Count" for name in NAMES}


def test_a_failed_write_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    count("Replayed")
    closed = StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    count("Replayed")


def run(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_metric_survives_the_kill_of_its_process() -> None:
    done = run(
        "import os, signal\nfrom turnkeep.observability import count, logger\n"
        "count('Replayed'); logger.info('served'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert done.returncode == -signal.SIGKILL
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["Replayed"], second["message"]) == ([1.0], "served")


def test_lines_of_threads_do_not_mix() -> None:
    done = run(
        "from concurrent.futures import ThreadPoolExecutor\nfrom turnkeep.observability import count, logger\n"
        "def write(n):\n"
        "    for _ in range(100):\n"
        "        count('Replayed', code='x' * 300); logger.info('served', code='y' * 300)\n"
        "with ThreadPoolExecutor(8) as pool: list(pool.map(write, range(8)))"
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 1600
    assert sum("Replayed" in line for line in lines) == 800
