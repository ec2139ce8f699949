"""Compares the answers of two servers field by field."""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"
"""Answers of `langgraph dev` 0.16.7 by client, written by record.py."""

BOOKKEEPING = {"langgraph_version", "langgraph_api_version", "langgraph_plan", "langgraph_host", "langgraph_api_url"}
BOOKKEEPING |= {"langgraph_auth_user", "langgraph_auth_user_id", "langgraph_auth_permissions", "langgraph_request_id"}
BOOKKEEPING |= {"__request_start_time_ms__", "__after_seconds__", "__pregel_node_finished", "user_id", "run_attempt"}
BOOKKEEPING |= {"ls_integration", "ls_provider", "ls_model_type", "lc_versions"}
"""Internal metadata and configurables of servers and tracers, which no client reads."""


def without_bookkeeping(answer: Any) -> Any:
    if isinstance(answer, list):
        return [without_bookkeeping(inner) for inner in answer if not is_end(inner)]
    if not isinstance(answer, dict):
        return answer
    kept = {name: without_bookkeeping(inner) for name, inner in answer.items() if name not in BOOKKEEPING}
    refused = isinstance(answer.get("status"), int) and answer["status"] >= 400
    if refused and isinstance(body := kept.get("body"), dict) and "detail" in body:
        kept["body"] = {"detail": "<text>"}
    return kept


def is_end(frame: Any) -> bool:
    """Return whether this is `event: end`, which only this server sends. It saves SDKs a request."""
    return isinstance(frame, list) and frame[:1] == ["end"]


def recorded(client: str) -> dict[str, Any]:
    lines = (RECORDED / f"{client}.jsonl").read_text().splitlines()
    return dict(json.loads(line) for line in lines)


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and kind of each difference. Lists are compared up to the end of the shorter one."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            place = f"{path}.{name}".removeprefix(".")
            if name not in ours or name not in theirs:
                yield place, "missing" if name in theirs else "more"
            else:
                yield from differences(ours[name], theirs[name], place)
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{path}.length".removeprefix("."), f"{len(ours)} instead of {len(theirs)}"
        for number, (own, other) in enumerate(zip(ours, theirs, strict=False)):
            yield from differences(own, other, f"{path}.{number}".removeprefix("."))
    elif type(ours) is not type(theirs) or ours != theirs:
        yield path, f"{json.dumps(ours)[:160]} instead of {json.dumps(theirs)[:160]}"


def compared(ours: Any, theirs: Any) -> Iterator[tuple[str, str]]:
    """Yield the differences of two answers; only the status if one is an error and the other is not."""
    statuses = [answer.get("status") if isinstance(answer, dict) else None for answer in (ours, theirs)]
    if statuses[0] != statuses[1] and all(isinstance(status, int) for status in statuses):
        yield "status", f"{statuses[0]} instead of {statuses[1]}"
    else:
        yield from differences(ours, theirs)


def unexpected(
    found: Mapping[str, Any], theirs: Mapping[str, Any], known: Mapping[str, str]
) -> tuple[list[str], set[str]]:
    """Return the differences without a pattern in `known`, and the patterns that were used."""
    left, used = [], set()
    for name, own in found.items():
        for path, how in compared(without_bookkeeping(own), theirs[name]):
            line = f"{name} | {path}: {how}"
            covering = [pattern for pattern in known if fnmatchcase(line, pattern)]
            used |= set(covering)
            if not covering:
                left.append(line)
    return left, used
