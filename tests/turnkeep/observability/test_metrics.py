"""Metrics: whole lines, written at once, with few names and one dimension, and all of them explained."""

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

from turnkeep.observability import annotate, correlate, count, measure
from turnkeep.observability.metrics import Metric, unit_of

PAGE = Path(__file__).parents[3] / "docs" / "observability.md"
type Output = Callable[[], list[dict[str, Any]]]

NAMES = get_args(Metric)


def test_a_metric_is_one_line_that_names_its_request(output: Output) -> None:
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


def test_values_that_belong_together_are_one_line(output: Output) -> None:
    measure({"CleanupDeleted": 3, "OldestExpiredAge": 0.5})
    [line] = output()
    [declared] = line["_aws"]["CloudWatchMetrics"]
    assert declared["Metrics"] == [
        {"Name": "CleanupDeleted", "Unit": "Count"},
        {"Name": "OldestExpiredAge", "Unit": "Seconds"},
    ]
    assert (line["CleanupDeleted"], line["OldestExpiredAge"]) == ([3.0], [0.5])


def test_every_metric_is_explained_with_its_unit() -> None:
    rows = re.findall(r"^\| (`.+?) \| (\w+) \| .+ \| `[\w/.]+` \|$", PAGE.read_text(), re.MULTILINE)
    explained = {name: unit for names, unit in rows for name in re.findall(r"`(\w+)`", names)}
    assert explained == {name: unit_of(name).value for name in NAMES}


def test_the_metrics_of_a_stack_are_few() -> None:
    """CloudWatch bills by combinations of name and dimensions; there is one dimension with one value."""
    assert len(NAMES) == len(set(NAMES)) <= 30


def test_every_metric_is_counted_where_the_page_says() -> None:
    source = Path(__file__).parents[3] / "src" / "turnkeep"
    rows = re.findall(r"^\| (`.+?) \| \w+ \| .+ \| `([\w/.]+)` \|$", PAGE.read_text(), re.MULTILINE)
    assert len(rows) > 10
    for names, module in rows:
        for name in re.findall(r"`(\w+)`", names):
            assert f'"{name}"' in (source / module).read_text(), (name, module)


def test_a_line_that_cannot_be_written_fails_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_metric_outlives_the_process_that_is_killed_right_after_it() -> None:
    done = run(
        "import os, signal\nfrom turnkeep.observability import count, logger\n"
        "count('Replayed'); logger.info('served'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert done.returncode == -signal.SIGKILL
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["Replayed"], second["message"]) == ([1.0], "served")


def test_lines_of_many_threads_do_not_run_into_each_other() -> None:
    done = run(
        "from concurrent.futures import ThreadPoolExecutor\nfrom turnkeep.observability import count, logger\n"
        "def tell(n):\n"
        "    for _ in range(100):\n"
        "        count('Replayed', code='x' * 300); logger.info('served', code='y' * 300)\n"
        "with ThreadPoolExecutor(8) as pool: list(pool.map(tell, range(8)))"
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == 1600
    assert sum("Replayed" in line for line in told) == 800
