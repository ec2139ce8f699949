"""Log lines and metrics: complete, parseable, with valid fields and without text of users."""

import ast
import asyncio
import json
import logging
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.observability import annotate, correlate, correlation_id, count, fingerprint, logger
from turnkeep.observability.metrics import UNITS, Metric

ROOT = Path(__file__).parents[3]
RESERVED = {*vars(logging.makeLogRecord({})), "message", "asctime"}
OPTIONS = {"extra", "exc_info", "stack_info", "stacklevel"}


def run(code: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Run in a new process, because the code changes standard output and the root logger."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={"PYTHONPATH": "", **environ}
    )


def log_calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Each with its place and the name of the method."""
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "agents").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("logger."):
                yield f"{path.name}:{node.lineno}", ast.unparse(node.func).removeprefix("logger."), node


def test_log_events_are_constants_without_a_traceback_or_a_reserved_field() -> None:
    """Values belong in fields. A traceback contains the text of the exception, which may quote a user."""
    faults = []
    for place_, method, call in log_calls():
        names = {keyword.arg for keyword in call.keywords}
        is_event = method in {"debug", "info", "warning", "error", "exception", "critical"}
        is_plain = not is_event or (isinstance(call.args[0], ast.Constant) and str(call.args[0].value)[0].islower())
        if not is_plain or method == "exception" or (is_event and "exc_info" in names) or names & (RESERVED - OPTIONS):
            faults.append(place_)
    assert faults == []


# Fields of a request


async def test_concurrent_and_later_requests_have_separate_fields() -> None:
    seen: dict[str, dict[str, object]] = {}

    async def serve(name: str) -> None:
        correlate(name)
        annotate(thread_hash=f"h-{name}")
        await asyncio.sleep(0)
        assert correlation_id() == name
        seen[name] = dict(logger.thread_safe_get_current_keys())

    correlate("before")
    await asyncio.gather(*(serve(str(number)) for number in range(5)))
    assert seen == {str(n): {"correlation_id": str(n), "thread_hash": f"h-{n}"} for n in range(5)}
    annotate(thread_hash="h")
    correlate("two")
    assert logger.thread_safe_get_current_keys() == {"correlation_id": "two"}


CORRELATED = """
from turnkeep.observability import correlate, logger
for number in "12":
    correlate(number, function_request_id="f" + number)
    logger.info("served")
"""


def test_only_the_first_request_of_a_sandbox_is_a_cold_start() -> None:
    first, second = map(json.loads, run(CORRELATED, POWERTOOLS_SERVICE_NAME="a-stack").stdout.splitlines())
    known = {"message": "served", "service": "a-stack", "level": "INFO"}
    assert first.items() >= {**known, "correlation_id": "1", "function_request_id": "f1", "cold_start": True}.items()
    assert second.items() >= {**known, "correlation_id": "2", "function_request_id": "f2"}.items()
    assert "cold_start" not in second
    assert "cold_start" not in run(CORRELATED, AWS_LAMBDA_INITIALIZATION_TYPE="provisioned-concurrency").stdout


def test_a_fingerprint_identifies_without_naming() -> None:
    assert fingerprint("salt", "a", "bc") != fingerprint("salt", "ab", "c")
    assert fingerprint("salt", "a") != fingerprint("other", "a")
    assert fingerprint("salt", "a") == fingerprint("salt", "a")
    assert "ann" not in fingerprint("salt", "ann")


# Injection

TEXTS = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    ['\n{"level":"ERROR"}', "\r\n", "\x1b[31mred", "\u2028", "\x85", "\ud800", '{"_aws": {}}', '"}\n{"x":"', "%s %d"]
)
VALUES = TEXTS | st.integers() | st.booleans() | st.none() | st.dictionaries(TEXTS, TEXTS, max_size=2)
FIELDS = st.dictionaries(st.sampled_from(["error", "place", "code", "field", "_aws"]), VALUES)


@contextmanager
def alone() -> Iterator[StringIO]:
    """Capture what our handler writes, without pytest's handlers, which cannot print lone surrogates."""
    log, written = logging.getLogger("turnkeep"), StringIO()
    handlers = list(log.handlers)
    assert isinstance(handlers[0], logging.StreamHandler)
    before, handlers[0].stream = handlers[0].stream, written
    log.handlers[:] = handlers[:1]
    try:
        yield written
    finally:
        handlers[0].stream, log.handlers[:] = before, handlers
        correlate("")


@given(calls=st.lists(st.tuples(TEXTS, FIELDS), max_size=5), annotated=TEXTS)
def test_every_call_writes_one_line_that_is_not_a_metric(calls, annotated):
    with alone() as written:
        correlate("c")
        annotate(thread_hash=annotated)
        for sentence, fields in calls:
            logger.info(sentence, **fields)
    raw = written.getvalue().encode("ascii")
    assert raw.count(b"\n") == len(raw.splitlines()) == len(calls)
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in raw)
    for line, (_, fields) in zip(raw.splitlines(), calls, strict=True):
        found = json.loads(line)
        assert (found["thread_hash"], found["service"], "_aws" in found) == (annotated, "turnkeep", False)
        expected = {name: value for name, value in fields.items() if name != "_aws" and value is not None}
        assert expected.items() <= found.items()


# Output of libraries

LIBRARIES = """
import asyncio, gc, logging, sys, threading, warnings
import turnkeep.observability as observability
{guard}
logging.getLogger("mangum.http").info("GET /threads/SECRET 200")
logging.getLogger("httpx").setLevel(logging.DEBUG)
logging.getLogger("httpx").debug("SECRET")
logging.getLogger("urllib3").warning("Retrying: /SECRET")
logging.getLogger("langgraph").warning("%d of SECRET %s", "not a number")
warnings.warn("got SECRET of type str")
try:
    raise ValueError("SECRET")
except ValueError:
    logging.getLogger("mangum.http").exception("An error occurred: SECRET")

def fall():
    raise KeyError("SECRET")

thread = threading.Thread(target=fall)
thread.start()
thread.join()

class Clumsy:
    def __del__(self):
        raise RuntimeError("SECRET")

Clumsy()

async def lost():
    asyncio.get_running_loop().create_task(broken())
    await asyncio.sleep(0.01)

async def broken():
    raise LookupError("SECRET")

asyncio.run(lost())
gc.collect()
sys.stdout.flush()
"""


def test_library_output_is_logged_without_its_text() -> None:
    done = run(LIBRARIES.format(guard="observability.guard_output()"))
    assert "SECRET" not in done.stdout + done.stderr
    assert done.stderr == ""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["message"], line.get("library") or line.get("kind"), line.get("error")) for line in lines] == [
        ("library logged", "urllib3", None),
        ("library logged", "langgraph", None),
        ("library warned", "UserWarning", None),
        ("library logged", "mangum.http", "ValueError"),
        ("uncaught exception", None, "KeyError"),
        ("uncaught exception", None, "RuntimeError"),
        ("library logged", "asyncio", "LookupError"),
    ]
    assert [line["level"] for line in lines][:4] == ["WARNING", "WARNING", "WARNING", "ERROR"]
    assert [line["place"].rpartition(" ")[2] for line in lines[4:]] == ["fall", "__del__", "broken"]


RUNTIME = """
import logging, sys
{before}
from awslambdaric import bootstrap
sys.stdout = bootstrap.Unbuffered(sys.stdout)
bootstrap._setup_logging(bootstrap.LogFormat.from_str({format!r}), "INFO", bootstrap.StandardLogSink())
from turnkeep.observability import correlate, count, guard_output, logger
{after}
correlate("c")
logger.info("served")
logging.getLogger("boto3").warning("SECRET")
count("Replayed")
"""


@pytest.mark.parametrize("log_format", ["JSON", "TEXT"])
@pytest.mark.parametrize("before", ["", "import turnkeep.observability"])
def test_lambdas_logging_repeats_no_line(log_format: str, before: str) -> None:
    done = run(RUNTIME.format(format=log_format, before=before, after="guard_output()"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("message") for line in lines] == ["served", "library logged", None]
    assert (lines[2]["Replayed"], done.stderr) == ([1.0], "")


PAGE = Path(__file__).parents[3] / "docs" / "observability.md"

NAMES = get_args(Metric)


def test_a_metric_is_one_line_with_the_fields_of_its_request(output: Any) -> None:
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
