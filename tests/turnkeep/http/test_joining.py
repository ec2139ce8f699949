"""A client that joins a run at any event gets every later event once, on each route and in each stream mode."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import AsyncClient
from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from reading_logs import Reading, end_lease

from asgi_caller import Caller
from turnkeep.graphs.agent import Agent
from turnkeep.kit.checked_replies import token
from turnkeep.records import Reply

MODES = ["values", "messages", "messages-tuple", "updates", "custom", "debug"]
gates: dict[str, asyncio.Event] = {}


def slow_agent(name: str) -> Agent:
    """Streams half of its answer, waits at the gate that the message names, and streams the rest."""

    async def answer(state: MessagesState) -> dict[str, Any]:
        send, last = get_stream_writer(), state["messages"][-1]
        for word in ("one ", "two "):
            send(token(f"a-{last.id}", word))
        if gate := gates.get(str(last.text)):
            await gate.wait()
        for word in ("three ", "four"):
            send(token(f"a-{last.id}", word))
        return {"messages": [AIMessage("one two three four", id=f"a-{last.id}")]}

    builder = StateGraph(MessagesState).add_node("answer", answer)
    graph = builder.add_edge(START, "answer").add_edge("answer", END).compile()
    return Agent(name, graph, lambda values: Reply(values["messages"][-1].text))


@pytest.fixture
def app(make_app: Callable[..., FastAPI]) -> FastAPI:
    gates.clear()
    return make_app(agent_of=slow_agent)


@pytest.fixture
async def client(client: AsyncClient) -> AsyncClient:
    await client.post("/threads", json={"thread_id": "t"})
    return client


def frames_of(body: str) -> list[tuple[str, str, str]]:
    """Return name, data and id of each event."""
    parts = [part for part in body.replace("\r\n", "\n").strip("\n").split("\n\n") if not part.startswith(":")]
    fields = [dict(line.split(": ", 1) for line in part.split("\n")) for part in parts if part]
    return [(each["event"], each["data"], each.get("id", "")) for each in fields]


def run_of(*modes: str, message: str = "hello") -> dict[str, Any]:
    given = {"messages": [{"role": "human", "content": message}]}
    return {"assistant_id": "papers", "input": given, "stream_mode": list(modes), "stream_resumable": True}


async def joined(client: AsyncClient, path: str, last: str, **query: Any) -> list[tuple[str, str, str]]:
    answer = await client.get(path, headers={"Last-Event-ID": last} if last else {}, params=query)
    assert answer.status_code == 200, answer.text
    return frames_of(answer.text)


@pytest.mark.parametrize("modes", [*([mode] for mode in MODES), MODES, ["messages", "messages-tuple"]])
async def test_a_langgraph_stream_continues_after_any_event(client: AsyncClient, modes: list[str]) -> None:
    answer = await client.post("/threads/t/runs/stream", json=run_of(*modes))
    whole = frames_of(answer.text)
    assert (whole[0][0], whole[-1][0]) == ("metadata", "end")
    for path in (answer.headers["location"], "/threads/t/stream"):
        assert await joined(client, path, "-1", stream_mode=modes) == whole
        for number, (_, _, last) in enumerate(whole, 1):
            assert await joined(client, path, last, stream_mode=modes) == whole[number:]


async def test_a_native_stream_continues_after_any_event(client: AsyncClient) -> None:
    body = {"message": "hello", "on_disconnect": "continue"}
    whole = frames_of((await client.post("/threads/t/turns/stream", json=body)).text)
    assert [name for name, _, _ in whole] == ["node", *["token"] * 4, "complete"]
    assert await joined(client, "/threads/t/turns/stream", "") == whole
    for number, (_, _, last) in enumerate(whole, 1):
        assert await joined(client, "/threads/t/turns/stream", last) == whole[number:]


@pytest.mark.parametrize("path", ["/threads/t/turns/stream", "/threads/t/stream"])
async def test_a_thread_without_a_run_has_no_stream_to_join(client: AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def started(app: FastAPI, path: str, body: str, **headers: str) -> Caller:
    """Start a run that waits at the gate of "wait", and disconnect once half of its answer was sent."""
    gates["wait"] = asyncio.Event()
    caller = Caller(app, "POST", path, body.encode(), headers)
    caller.start()
    received = b""
    while b"two " not in received:
        received += (await caller.answer()).get("body", b"")
    caller.hang_up()
    return caller


async def test_a_running_turn_is_joined_from_its_start_and_to_its_end(app: FastAPI, client: AsyncClient) -> None:
    await started(app, "/threads/t/turns/stream", '{"message": "wait", "on_disconnect": "continue"}')
    joining = [asyncio.create_task(joined(client, "/threads/t/turns/stream", "")) for _ in range(2)]
    await asyncio.sleep(0.6)
    gates["wait"].set()
    first, second = await asyncio.gather(*joining)
    assert first == second
    assert "".join(data for name, data, _ in first if name == "token").count("two ") == 1
    assert [name for name, _, _ in first] == ["node", *["token"] * 4, "complete"]


async def test_a_background_run_streams_what_it_was_asked_for(client: AsyncClient) -> None:
    run = (await client.post("/threads/t/runs", json=run_of("messages-tuple", "updates"))).json()
    path = f"/threads/t/runs/{run['run_id']}/stream"
    found = await joined(client, path, "-1", stream_mode=["messages-tuple", "updates"])
    assert [name for name, _, _ in found] == ["metadata", *["messages"] * 4, "updates", "end"]


async def test_a_second_attempt_replaces_the_events_of_the_first(app: FastAPI, client: AsyncClient) -> None:
    """The first process dies: its lease ends while it still waits. The request is repeated, and runs again."""
    body, key = json.dumps(run_of("messages-tuple", message="wait")), {"Idempotency-Key": "k"}
    await started(app, "/threads/t/runs/stream", body, **key)
    [run] = (await client.get("/threads/t/runs")).json()
    path = f"/threads/t/runs/{run['run_id']}/stream"
    reading, joining = Reading(app), asyncio.create_task(joined(client, path, "-1", stream_mode=["messages-tuple"]))
    await reading.until(1, parts=2)
    end_lease(app)
    repeating = asyncio.create_task(client.post("/threads/t/runs/stream", content=body, headers=key))
    await reading.until(2, parts=2)
    gates["wait"].set()
    names = [(name, json.loads(data).get("attempt") if name == "metadata" else None) for name, data, _ in await joining]
    assert names == [
        ("metadata", 1),
        *[("messages", None)] * 2,
        ("metadata", 2),
        *[("messages", None)] * 4,
        ("end", None),
    ]
    assert (await repeating).status_code == 200
