"""Log lines: whole, parseable, with fields that logging takes and without what a user said."""

import ast
import asyncio
import json
import logging
from pathlib import Path

import pytest

from turnkeep.observability import annotate, correlate, correlation_id, count, fingerprint, logger, place

SOURCES = Path(__file__).parents[1] / "src"
RESERVED = {*vars(logging.makeLogRecord({})), "message", "asctime"}
OPTIONS = {"extra", "exc_info", "stack_info", "stacklevel"}


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def log_calls() -> list[tuple[Path, ast.Call]]:
    found = []
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if is_method and isinstance(node.func.value, ast.Name) and node.func.value.id == "logger":
                found.append((path, node))
    return found


def test_no_log_line_has_a_field_that_logging_refuses() -> None:
    faults = [
        f"{path.name}:{call.lineno} {keyword.arg}"
        for path, call in log_calls()
        for keyword in call.keywords
        if keyword.arg in RESERVED - OPTIONS
    ]
    assert faults == []


def test_no_log_line_is_built_from_values_or_carries_a_traceback() -> None:
    """Values are fields; a traceback would end in the exception's text, which may quote a user."""
    events = {"debug", "info", "warning", "error", "exception", "critical"}
    faults = []
    for path, call in log_calls():
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr not in events:
            continue
        sentence = call.args[0]
        is_plain = isinstance(sentence, ast.Constant) and str(sentence.value)[0].islower()
        if not is_plain or call.func.attr == "exception" or any(k.arg == "exc_info" for k in call.keywords):
            faults.append(f"{path.name}:{call.lineno}")
    assert faults == []


async def test_concurrent_requests_keep_their_own_fields() -> None:
    seen: dict[str, dict[str, object]] = {}

    async def serve(name: str) -> None:
        correlate(name)
        annotate(thread_hash=f"h-{name}")
        await asyncio.sleep(0)
        assert correlation_id() == name
        seen[name] = dict(logger.thread_safe_get_current_keys())

    await asyncio.gather(*(serve(str(number)) for number in range(5)))
    assert seen == {str(n): {"correlation_id": str(n), "thread_hash": f"h-{n}"} for n in range(5)}


def test_the_next_request_does_not_inherit_fields() -> None:
    correlate("one")
    annotate(thread_hash="h")
    correlate("two")
    assert logger.thread_safe_get_current_keys() == {"correlation_id": "two"}


def test_a_hash_tells_apart_and_does_not_tell() -> None:
    assert fingerprint("salt", "a", "bc") != fingerprint("salt", "ab", "c")
    assert fingerprint("salt", "a") != fingerprint("other", "a")
    assert fingerprint("salt", "a") == fingerprint("salt", "a")
    assert "ann" not in fingerprint("salt", "ann")


def test_the_place_of_an_exception_leaves_out_its_text() -> None:
    with pytest.raises(RuntimeError) as caught:
        raise RuntimeError("what the user said")
    found = place(caught.value)
    assert found.startswith("test_observability.py:")
    assert "user" not in found
    assert place(RuntimeError("never raised")) == "unknown"


def test_a_metric_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    count("Replayed", 2)
    [line] = lines(capsys)
    assert (line["Replayed"], line["service"]) == ([2.0], "turnkeep")
    [declared] = line["_aws"]["CloudWatchMetrics"]  # type: ignore[index]
    assert declared["Namespace"] == "Turnkeep"
