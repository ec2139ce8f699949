"""Version 2 of LangGraph's protocol: commands, and streams that any client may open again at any event."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from echoing import Clock
from fastapi import FastAPI
from httpx import AsyncClient
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from reading_logs import Reading, end_lease

from asgi_caller import Caller
from awaiting import until
from turnkeep.graphs.agent import Agent
from turnkeep.kit.checked_replies import token
from turnkeep.records import Reply
from turnkeep.store.turn_log import NO_CHECKPOINT

CHANNELS = ["values", "updates", "messages", "tools", "custom", "lifecycle", "input"]
OVER = ("completed", "failed", "interrupted")
COMMANDS, EVENTS = "/threads/t/commands", "/threads/t/stream/events"


gates: dict[str, asyncio.Event] = {}


def agent_of(name: str) -> Agent:
    """Says its message again, in an inner graph; asks about "ask", and fails at "fail"."""

    async def say(state: MessagesState) -> dict[str, Any]:
        if gate := gates.get(state["messages"][-1].text):
            get_stream_writer()(token("half", "half "))
            await gate.wait()
        get_stream_writer()({"name": "said", "words": 2})
        model = GenericFakeChatModel(messages=iter([AIMessage(f"you said {state['messages'][-1].text}")]))
        return {"messages": [await model.ainvoke(state["messages"])]}

    async def end(state: MessagesState) -> dict[str, Any]:
        text = state["messages"][-2].text
        if text == "fail":
            raise ValueError(text)
        return {"messages": [AIMessage(f"answer {interrupt({'about': text})}")]} if text == "ask" else {}

    inner = StateGraph(MessagesState).add_node("say", say).add_edge(START, "say").compile()
    builder = StateGraph(MessagesState).add_node("inner", inner).add_node("end", end)
    graph = builder.add_edge(START, "inner").add_edge("inner", "end").add_edge("end", END).compile()
    return Agent(name, graph, lambda values: Reply(values["messages"][-1].text), is_own=True)


@pytest.fixture
def app(make_app: Callable[..., FastAPI]) -> FastAPI:
    gates.clear()
    return make_app(agent_of=agent_of)


async def command(client: AsyncClient, method: str, path: str = COMMANDS, **params: Any) -> dict[str, Any]:
    answer = await client.post(path, json={"id": 7, "method": method, "params": params})
    found: dict[str, Any] = answer.json()
    assert (answer.status_code, found["id"]) == (200, 7)
    return found


async def start(client: AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    given = {"messages": [{"role": "human", "content": text}]}
    return await command(client, "run.start", assistant_id="papers", input=given, **more)


async def events(
    app: FastAPI, *, runs: int = 1, opens: asyncio.Event | None = None, **body: Any
) -> list[dict[str, Any]]:
    """Return the events of a stream, which the client leaves when so many runs have ended. Its first event sets
    `opens`."""
    caller = Caller(app, "POST", EVENTS, json.dumps({"channels": CHANNELS, **body}).encode())
    task = caller.start()
    found, received = list[dict[str, Any]](), b""
    while runs:
        received += (await caller.answer()).get("body", b"")
        *frames, received = received.split(b"\n\n")
        for frame in frames:
            fields = dict(line.split(": ", 1) for line in frame.decode().split("\n"))
            if "data" in fields:
                found.append(json.loads(fields["data"]))
                assert (fields["event"], int(fields["id"])) == (found[-1]["method"], found[-1]["seq"])
                runs -= is_end(found[-1])
        if found and opens:
            opens.set()
    caller.hang_up()
    await task
    return found


def is_end(event: dict[str, Any]) -> bool:
    params = event["params"]
    return event["method"] == "lifecycle" and not params["namespace"] and params["data"]["event"] in OVER


def shown(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(each["event_id"], each["seq"], each["params"]["namespace"], each["params"]["data"]) for each in found]


def lifecycles(found: list[dict[str, Any]]) -> list[tuple[int, str]]:
    steps = [each["params"] for each in found if each["method"] == "lifecycle"]
    return [(len(each["namespace"]), each["data"]["event"]) for each in steps]


def answer(found: list[dict[str, Any]]) -> str:
    values = [each["params"]["data"] for each in found if each["method"] == "values"]
    return str(values[-1]["messages"][-1]["content"])


def written(found: list[dict[str, Any]]) -> str:
    """Return the text of all messages, as clients join it."""
    deltas = [each["params"]["data"].get("delta", {}) for each in found if each["method"] == "messages"]
    return "".join(delta.get("text", "") for delta in deltas)


async def test_a_stream_continues_after_any_event(app: FastAPI, client: AsyncClient) -> None:
    await start(client, "hello")
    whole = await events(app)
    assert [(each["method"], len(each["params"]["namespace"])) for each in whole if each["method"] != "messages"] == [
        ("lifecycle", 0),
        ("values", 0),
        ("values", 1),
        ("lifecycle", 1),
        ("custom", 1),
        ("updates", 1),
        ("values", 1),
        ("updates", 0),
        ("lifecycle", 1),
        ("values", 0),
        ("updates", 0),
        ("lifecycle", 0),
    ]
    assert lifecycles(whole) == [(0, "running"), (1, "started"), (1, "completed"), (0, "completed")]
    assert written(whole) == answer(whole) == "you said hello"
    for number, each in enumerate(whole[:-1], 1):
        assert shown(await events(app, since=each["seq"])) == shown(whole[number:])


async def test_a_stream_follows_the_runs_of_its_thread_in_order(app: FastAPI, client: AsyncClient) -> None:
    gates["one"] = asyncio.Event()
    for text in ("one", "fail", "two", "three"):
        await start(client, text, multitask_strategy="enqueue")
    found = await events(app, runs=4, opens=gates["one"])
    ends = [event for depth, event in lifecycles(found) if not depth and event != "running"]
    assert ends == ["completed", "failed", "completed", "completed"]
    assert written(found) == "half " + "".join(f"you said {text}" for text in ("one", "fail", "two", "three"))
    numbers = [each["seq"] for each in found]
    assert numbers == sorted(set(numbers))
    assert len({each["event_id"] for each in found}) == len(found)


async def test_runs_that_ended_without_a_client_are_streamed_in_order(app: FastAPI, client: AsyncClient) -> None:
    await start(client, "one")
    known = (await events(app))[-1]["seq"]
    for text in ("fail", "two"):
        await start(client, text, multitask_strategy="enqueue")

    async def are_over() -> bool:
        return {run["status"] for run in (await client.get("/threads/t/runs")).json()} == {"success", "error"}

    await until(are_over)
    assert written(await events(app, runs=2, since=known)) == "you said failyou said two"
    assert written(await events(app)) == "you said two", "a new stream begins with the newest run"


async def test_checkpoints_name_the_stored_one_that_a_message_follows(app: FastAPI, client: AsyncClient) -> None:
    parents = []
    for text in ("one", "two"):
        await start(client, text)
        found = [each["params"] for each in await events(app, channels=["checkpoints", "values", "lifecycle"])]
        named = [each["data"]["parent_id"] for each in found if "parent_id" in each["data"] and not each["namespace"]]
        parents += [{*named}]
    _, first = (await client.post("/threads/t/history", json={})).json()
    assert parents == [{NO_CHECKPOINT}, {first["checkpoint_id"]}]
    await start(client, "other", config={"configurable": {"checkpoint_id": first["checkpoint_id"]}})
    values = [each["params"]["data"] for each in await events(app, channels=["values", "lifecycle"])]
    texts = [message["content"] for message in values[-2]["messages"]]
    assert texts == ["one", "you said one", "other", "you said other"]


async def test_tasks_are_shown_without_the_states(app: FastAPI, client: AsyncClient) -> None:
    await start(client, "one")
    found = [each["params"]["data"] for each in await events(app, channels=["tasks", "lifecycle"])]
    begun, ended = {"id", "name", "triggers", "metadata"}, {"id", "name", "error", "interrupts"}
    tasks = [("inner", begun), ("say", begun), ("say", ended), ("inner", ended), ("end", begun), ("end", ended)]
    assert [(each["name"], each.keys()) for each in found if "name" in each] == tasks


@pytest.mark.parametrize("is_input", [False, True])
async def test_an_interrupt_is_answered(app: FastAPI, client: AsyncClient, *, is_input: bool) -> None:
    await start(client, "ask")
    waiting = await events(app)
    [asked] = [each["params"]["data"] for each in waiting if each["method"] == "input.requested"]
    assert (asked["payload"], lifecycles(waiting)[-1]) == ({"about": "ask"}, (0, "interrupted"))
    tree = (await command(client, "agent.getTree"))["result"]["tree"]
    assert (tree["status"], tree["graph_name"]) == ("interrupted", "papers")
    if is_input:
        accepted = await command(client, "run.start", assistant_id="papers", input="yes")
    else:
        accepted = await command(client, "input.respond", interrupt_id=asked["interrupt_id"], response="yes")
    resumed = await events(app, since=waiting[-1]["seq"])
    assert answer(resumed) == "answer yes"
    assert waiting[-1]["seq"] <= accepted["meta"]["applied_through_seq"] < resumed[0]["seq"]
    refused = await command(client, "input.respond", interrupt_id=asked["interrupt_id"], response="yes")
    assert (refused["type"], refused["error"]) == ("error", "no_such_run")


async def test_a_question_is_asked_as_long_as_its_thread_waits(app: FastAPI, client: AsyncClient, clock: Clock) -> None:
    await start(client, "ask")
    await events(app)
    clock.ahead += 3600
    [asked] = [each["params"]["data"] for each in await events(app) if each["method"] == "input.requested"]
    await command(client, "input.respond", interrupt_id=asked["interrupt_id"], response="yes")
    assert answer(await events(app)) == "answer yes"


async def test_a_run_that_never_began_ends_for_its_clients(app: FastAPI, client: AsyncClient) -> None:
    gates["wait"] = asyncio.Event()
    await start(client, "wait")
    following = asyncio.create_task(events(app, runs=2))
    accepted = await start(client, "two", multitaskStrategy="enqueue")
    run_id = accepted["result"]["run_id"]
    assert (await client.get("/threads/t/state")).json()["next"]  # so a page that is opened now follows the run
    await client.post(f"/threads/t/runs/{run_id}/cancel")
    gates["wait"].set()
    found = await following
    assert [event for depth, event in lifecycles(found) if not depth] == ["running", "completed", "interrupted"]
    assert found[-1]["seq"] > found[-2]["seq"]
    assert accepted["meta"]["applied_through_seq"] < found[0]["seq"], "the active run may still ask a question"
    assert found[-1]["event_id"].startswith(f"synth:{run_id}:")
    assert not (await client.get("/threads/t/state")).json()["next"]


async def test_a_second_attempt_replaces_the_events_of_the_first(app: FastAPI, client: AsyncClient) -> None:
    """The first process dies: its lease ends while it still waits. The request is repeated, and runs again."""
    await client.post("/threads", json={"thread_id": "t"})
    gates["wait"] = asyncio.Event()
    given = {"messages": [{"role": "human", "content": "wait"}]}
    run = {"assistant_id": "papers", "input": given, "stream_mode": ["messages-tuple", "values"]}

    def send() -> "asyncio.Task[Any]":
        body, key = run | {"stream_resumable": True}, {"Idempotency-Key": "k"}
        return asyncio.create_task(client.post("/threads/t/runs/stream", json=body, headers=key))

    reading, following, tasks = Reading(app), asyncio.create_task(events(app)), [send()]
    await reading.until(1, parts=1)
    end_lease(app)
    tasks.append(send())
    await reading.until(2, parts=1)
    gates["wait"].set()
    found = await following
    assert [event for depth, event in lifecycles(found) if not depth] == ["running", "running", "completed"]
    again_from = [each["method"] for each in found].index("lifecycle", 1)
    assert found[again_from - 1]["params"]["data"] == {"event": "error", "message": "The run begins again."}
    assert written(found[again_from:]) == "half "
    await asyncio.gather(*tasks)


async def test_a_client_gets_only_the_events_that_it_asks_for(app: FastAPI, client: AsyncClient) -> None:
    await start(client, "hello")
    outer = await events(app, channels=["values", "lifecycle"], namespaces=[[]], depth=0)
    assert [(each["method"], each["params"]["namespace"]) for each in outer] == [
        ("lifecycle", []),
        *[("values", [])] * 2,
        ("lifecycle", []),
    ]
    named = await events(app, channels=["custom:said", "lifecycle"])
    assert [each["params"]["data"]["words"] for each in named if each["method"] == "custom"] == [2]


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ([], 400, "invalid_argument"),
        ({"id": "x", "method": "run.start"}, 400, "invalid_argument"),
        ({"id": 1, "method": "foo"}, 200, "unknown_command"),
        ({"id": 1, "method": "run.start"}, 200, "invalid_argument"),
        ({"id": 1, "method": "run.start", "params": {"assistant_id": "nope", "input": {}}}, 200, "invalid_argument"),
        ({"id": 1, "method": "input.respond", "params": {"responses": []}}, 200, "invalid_argument"),
        ({"id": 1, "method": "input.respond", "params": {"interrupt_id": "x", "response": 1}}, 200, "no_such_run"),
        ({"id": 1, "method": "agent.getTree", "params": {}}, 200, "no_such_run"),
    ],
)
async def test_a_command_is_refused_with_its_reason(client: AsyncClient, body: Any, status: int, error: str) -> None:
    await client.post("/threads", json={"thread_id": "t"})
    answer = await client.post(COMMANDS, json=body)
    assert (answer.status_code, answer.json()["type"], answer.json()["error"]) == (status, "error", error)


@pytest.mark.parametrize("channels", [None, [], ["debug"], ["custom:"], [1]])
async def test_an_unknown_channel_is_refused(client: AsyncClient, channels: Any) -> None:
    await client.post("/threads", json={"thread_id": "t"})
    answer = await client.post(EVENTS, json={"channels": channels})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
