"""A node that raises is told to the operator: a metric, its class and its place, and not what it said."""

from collections.abc import Callable
from typing import Any

import pytest
from httpx import AsyncClient


@pytest.mark.parametrize("route", ["/chat", "/chat/stream"])
async def test_a_node_that_raised_is_told_without_its_words(
    route: str, client: AsyncClient, output: Callable[[], list[dict[str, Any]]]
) -> None:
    body = {"message": "canary", "agent": "broken", "session_id": "t1"}
    answer = await client.post(route, json=body)
    assert answer.text.count('"code":"agent_error"') == 1
    assert "canary" not in answer.text
    lines = output()
    assert [(line["AgentFault"], line["code"]) for line in lines if "_aws" in line] == [([1.0], "agent_error")]
    [raised] = [line for line in lines if line.get("message") == "a node of the graph raised"]
    assert (raised["error"], raised["place"].split(":")[0]) == ("RuntimeError", "echoing.py")
    assert "canary" not in str(lines)
