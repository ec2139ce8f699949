"""LangGraph's protocol and its stock SDKs against this server, field by field beside the recorded reference."""

from pathlib import Path
from typing import Any

import pytest
import sdk_calls
from comparing import recorded, unexpected
from differences import DIFFERENCES
from node_calls import node_calls
from scenes import SCENES, play

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
KNOWN = {pattern: reason for reason, patterns in DIFFERENCES.items() for pattern in patterns}


def compare(found: dict[str, Any], client: str) -> set[str]:
    """The patterns that were needed; nothing else may differ, and nothing be left out."""
    theirs = recorded(client)
    left, used = unexpected(found, theirs, KNOWN)
    assert left == [], "\n".join(left)
    return used


@pytest.mark.parametrize("scene", SCENES)
def test_each_request_is_answered_as_the_reference_answers_it(scene: str, url: str) -> None:
    found = play(url, scene)
    assert found.keys() == {name for name in recorded("http") if name.startswith(f"{scene}: ")}
    used = compare(found, "http")
    assert {pattern for pattern in KNOWN if pattern.startswith(f"{scene}: ")} - used == set()


async def test_the_stock_sdk_for_python_gets_what_the_reference_gives_it(url: str) -> None:
    found = await sdk_calls.call(url)
    assert found.keys() == recorded("python").keys()
    compare(found, "python")


def test_the_stock_sdk_for_javascript_gets_what_the_reference_gives_it(url: str) -> None:
    found = node_calls(url)
    assert found.keys() == recorded("node").keys()
    compare(found, "node")


@pytest.mark.parametrize("reason", DIFFERENCES)
def test_each_difference_is_told_with_its_reason(reason: str) -> None:
    assert reason in " ".join(PAGE.read_text().split())
