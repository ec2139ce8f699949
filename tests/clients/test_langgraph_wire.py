"""LangGraph's protocol and SDKs, compared with the recorded reference field by field."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
import sdk_calls
from comparing import recorded, unexpected
from differences import DIFFERENCES
from langgraph_sdk import get_client
from node_calls import node_calls, run_node
from proxies import Between
from scenes import SCENES, play
from site_of_clients import Site

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
KNOWN = {pattern: reason for reason, patterns in DIFFERENCES.items() for pattern in patterns}


def compare(found: dict[str, Any], client: str) -> set[str]:
    """Return the patterns that were used; fail on any other difference."""
    theirs = recorded(client)
    left, used = unexpected(found, theirs, KNOWN)
    assert left == [], "\n".join(left)
    return used


@pytest.mark.parametrize("scene", SCENES)
def test_each_request_is_answered_as_by_the_reference(scene: str, site: Site) -> None:
    """Only this server ends each stream with an event."""
    found = play(site.url, scene, site.headers)
    assert {answer["body"][-1][0] for answer in found.values() if is_stream(answer)} <= {"end", "error"}
    assert found.keys() == {name for name in recorded("http") if name.startswith(f"{scene}: ")}
    used = compare(found, "http")
    assert {pattern for pattern in KNOWN if pattern.startswith(f"{scene}: ")} - used == set()


def test_each_sdk_gets_the_answers_of_the_reference(site: Site) -> None:
    used = set[str]()
    by_python = asyncio.run(sdk_calls.call(site.url, api_key=site.key or None))
    by_javascript = node_calls(site.url, {"x-api-key": site.key} if site.key else {})
    for client, found in (("python", by_python), ("node", by_javascript)):
        assert found.keys() == recorded(client).keys()
        used |= compare(found, client)
    seen = ("assistants.", "threads.", "runs.", "store.")
    assert {pattern for pattern in KNOWN if pattern.startswith(seen)} - used == set()


async def cut_stream(url: str) -> dict[str, Any]:
    """Do in Python what `cut_stream.mjs` does."""
    async with get_client(url=url) as client:
        thread = (await client.threads.create())["thread_id"]
        human = {"messages": [{"type": "human", "content": "hello"}]}
        modes: Any = ["values", "messages-tuple", "updates", "custom"]
        parts = client.runs.stream(thread, "parcels", input=human, stream_mode=modes, stream_resumable=True)
        return {"thread": thread, "events": [{"event": part.event, "data": part.data} async for part in parts]}


@pytest.mark.filterwarnings("ignore:Reconnecting without a Last-Event-ID")
@pytest.mark.parametrize("sdk", ["python", "javascript"])
async def test_a_stream_that_is_cut_is_joined_again_and_makes_one_turn(sdk: str, url: str) -> None:
    with Between(url) as way:
        way.losses = [None, "cut"]
        found, whole = [
            await cut_stream(way.url) if sdk == "python" else run_node("cut_stream.mjs", way.url) for _ in range(2)
        ]
        posts = [request.path for request in way.passed]
    assert [path.rpartition("/")[2] for path in posts] == ["threads", "stream"] * 2
    assert list(map(shape_of, found["events"])) == list(map(shape_of, whole["events"]))
    values = [event["data"] for event in found["events"] if event["event"] == "values"]
    assert [message["content"] for message in values[-1]["messages"]] == ["hello", "you said hello"]
    turns = httpx.get(f"{url}/threads/{found['thread']}/turns").json()["turns"]
    assert [turn["message"] for turn in turns] == ["hello"]


def shape_of(event: dict[str, Any]) -> tuple[str, Any]:
    """The name of an event, and the text of a piece of a message."""
    return event["event"], event["data"][0]["content"] if event["event"] == "messages" else None


def is_stream(answer: dict[str, Any]) -> bool:
    return str(answer.get("headers", {}).get("content-type")).startswith("text/event-stream")


@pytest.mark.parametrize("reason", DIFFERENCES)
def test_each_difference_is_documented(reason: str) -> None:
    assert reason in " ".join(PAGE.read_text().split())
