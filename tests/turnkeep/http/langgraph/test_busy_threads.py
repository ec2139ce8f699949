"""Messages to a thread with an active run, by strategy. tests/faults kills the processes of queued runs."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import RateLimitError
from test_langgraph_runs import human, streamed, turns_of
from word_graph import gates

from awaiting import until
from turnkeep.records import Principal
from turnkeep.store import runs as queues

WHO = Principal("local", "local")


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> str:
    return request.node.name


@pytest.fixture(params=["direct", "queued"])
async def active(sdk: LangGraphClient, thread_id: str, gate: str, request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    """Yield a run that waits at its gate."""
    asked = {"input": human(f"wait {gate}")}
    start = sdk.runs.create if request.param == "queued" else sdk.runs.wait
    starting = asyncio.create_task(start(thread_id, "papers", **asked))  # type: ignore[call-overload]
    await until(lambda: gate in gates)
    yield (await sdk.runs.list(thread_id, status="running"))[0]
    gates[gate].set()
    await asyncio.wait({starting})


async def pending(sdk: LangGraphClient, thread_id: str, count: int) -> None:
    async def are_there() -> bool:
        return len(await sdk.runs.list(thread_id, status="pending")) == count

    await until(are_there)


async def created(sdk: LangGraphClient, thread_id: str, text: str, **more: Any) -> Any:
    return await sdk.runs.create(thread_id, "papers", input=human(text), **more)


async def status(sdk: LangGraphClient, run: Any) -> str:
    return str((await sdk.runs.get(run["thread_id"], run["run_id"]))["status"])


async def messages(client: AsyncClient, thread_id: str) -> list[str]:
    return [message.partition(" ")[0] for message, _ in await turns_of(client, thread_id)]


@pytest.mark.parametrize("strategy", ["interrupt", "rollback"])
async def test_a_strategy_that_cancels_ends_active_and_queued_runs(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, strategy: Any
) -> None:
    second = await created(sdk, thread_id, "second")
    parts = await streamed(
        sdk, thread_id, input=human("third"), stream_mode=["messages-tuple", "values"], multitask_strategy=strategy
    )
    assert "messages" in {event for event, _ in parts}  # it runs here, not in the queue
    assert [await status(sdk, run) for run in (active, second)] == ["interrupted"] * 2
    texts = [f"wait {gate}"] * (strategy == "interrupt") + ["third"]  # the second never began
    values: Any = (await sdk.threads.get_state(thread_id))["values"]
    assert [each["content"] for each in values["messages"]] == [*texts, f"{len(texts)}: third"]
    assert await turns_of(client, thread_id) == [
        *((text, "") for text in texts[:-1]),
        ("third", f"{len(texts)}: third"),
    ]
    run = await sdk.runs.get(thread_id, parts[0][1]["run_id"])
    assert (run["status"], run["multitask_strategy"]) == ("success", strategy)


@pytest.mark.parametrize("strategy", ["interrupt", "rollback"])
async def test_a_background_run_that_cancels_others_makes_its_turn(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, strategy: Any
) -> None:
    run = await created(sdk, thread_id, "second", multitask_strategy=strategy)
    await sdk.runs.join(thread_id, run["run_id"])
    assert await messages(client, thread_id) == ["wait"] * (strategy == "interrupt") + ["second"]


async def test_a_repeated_request_cancels_nothing(client: AsyncClient, thread_id: str, gate: str) -> None:
    path, key = f"/threads/{thread_id}/runs", {"Idempotency-Key": "k"}
    body = {"assistant_id": "papers", "input": human(f"wait {gate}"), "multitask_strategy": "interrupt"}
    made = (await client.post(path, json=body, headers=key)).json()
    await until(lambda: gate in gates)
    again = (await client.post(path, json=body, headers=key)).json()
    assert (again["run_id"], again["status"]) == (made["run_id"], "running")
    gates[gate].set()
    await client.get(f"{path}/{made['run_id']}/join")
    assert await messages(client, thread_id) == ["wait"]


async def test_a_cancelled_active_run_is_followed_by_the_next(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any
) -> None:
    second = await created(sdk, thread_id, "second")
    await sdk.runs.cancel(thread_id, active["run_id"])
    await sdk.runs.join(thread_id, second["run_id"])
    assert await messages(client, thread_id) == ["wait", "second"]


async def test_a_full_queue_refuses_runs_but_knows_its_own(
    client: AsyncClient, sdk: LangGraphClient, active: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread_id = active["thread_id"]
    path, key = f"/threads/{thread_id}/runs", {"Idempotency-Key": "k"}
    body = {"assistant_id": "papers", "input": human("last")}
    last = await client.post(path, json=body, headers=key)
    monkeypatch.setattr(queues, "MAX_WAITING", 1)
    with pytest.raises(RateLimitError):
        await created(sdk, thread_id, "too much")
    again = await client.post(path, json=body, headers=key)
    assert again.json()["run_id"] == last.json()["run_id"]


NATIVE = ["/threads/{}/turns", "/threads/{}/turns/stream", "/chat", "/chat/stream"]


async def sent(
    client: AsyncClient, path: str, thread_id: str, when_busy: str, message: str = "second"
) -> tuple[int, dict[str, Any]]:
    """Return status and body of a native message, or the data of the stream's last event."""
    body = {"message": message, "when_busy": when_busy} | ({"session_id": thread_id} if "chat" in path else {})
    answer = await client.post(path.format(thread_id), json=body, headers={"Idempotency-Key": f"key-of-{message}"})
    text = answer.text.partition("event: complete\ndata: ")[2].partition("\n")[0]
    return answer.status_code, json.loads(text) if text else answer.json()


@pytest.mark.parametrize("path", NATIVE)
async def test_a_native_message_waits_for_the_active_turn(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, path: str
) -> None:
    assert (await sent(client, path, thread_id, "reject"))[1]["code"] == "thread_busy"
    sending = asyncio.create_task(sent(client, path, thread_id, "enqueue"))
    await pending(sdk, thread_id, 1)
    gates[gate].set()
    status, turn = await sending
    assert (status, turn["turn_number"], turn["reply"], turn["persisted"]) == (200, 2, "3: second", True)
    assert (await sent(client, path, thread_id, "enqueue"))[1]["turn_number"] == 2
    assert await messages(client, thread_id) == ["wait", "second"]


@pytest.mark.parametrize("strategy", ["merge", "debounce"])
async def test_native_messages_that_wait_make_one_turn(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, strategy: str
) -> None:
    sending = []
    for path, message in zip(NATIVE[:2], ("second", "third"), strict=True):
        sending.append(asyncio.create_task(sent(client, path, thread_id, strategy, message)))
        await until(lambda: queued_text(client, thread_id, message))  # noqa: B023
    gates[gate].set()
    turns = [turn for _, turn in await asyncio.gather(*sending)]
    assert [(turn["turn_number"], turn["message"]) for turn in turns] == [(2, "second\n\nthird")] * 2
    assert (await sent(client, NATIVE[0], thread_id, strategy, "third"))[1]["turn_number"] == 2
    assert await messages(client, thread_id) == ["wait", "second\n\nthird"]


async def queued_text(client: AsyncClient, thread_id: str, text: str) -> bool:
    store = client._transport.app.state.store  # type: ignore[attr-defined]
    waiting = store.queue.waiting(store.heads.read(WHO, thread_id))
    return any(text in store.queue.request_of(each) for each in waiting)


@pytest.mark.parametrize("strategy", ["interrupt", "rollback"])
async def test_a_native_message_cancels_the_active_turn(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, strategy: str
) -> None:
    path, body = NATIVE[0].format(thread_id), {"message": "second", "when_busy": strategy}
    made, again, other = [
        await client.post(path, json=body | more, headers={"Idempotency-Key": "k"})
        for more in ({}, {}, {"message": "other"})
    ]
    number = 2 if strategy == "interrupt" else 1
    assert (made.status_code, made.json()["turn_number"], again.json()) == (200, number, made.json())
    assert (again.headers["Idempotency-Replayed"], other.json()["code"]) == ("true", "idempotency_key_reused")
    assert (await sdk.runs.get(thread_id, active["run_id"]))["status"] == "interrupted"
    assert await messages(client, thread_id) == ["wait"] * (strategy == "interrupt") + ["second"]


async def test_a_message_of_a_run_that_has_made_its_turn_is_not_repeated(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends between the look at its thread and its cancellation."""
    runs = client._transport.app.state.runs  # type: ignore[attr-defined]
    cancel = runs.cancel

    async def late(*named: Any, **more: Any) -> Any:
        gates[gate].set()
        await sdk.runs.join(thread_id, active["run_id"])
        return await cancel(*named, **more)

    monkeypatch.setattr(runs, "cancel", late)
    await client.post(NATIVE[0].format(thread_id), json={"message": "second", "when_busy": "interrupt"})
    assert await messages(client, thread_id) == ["wait", "second"]


async def test_queued_messages_are_listed_with_their_texts_until_they_begin(
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str
) -> None:
    body = {"message": "second", "when_busy": "enqueue", "on_disconnect": "continue"}
    sending = asyncio.create_task(client.post(NATIVE[1].format(thread_id), json=body))
    await pending(sdk, thread_id, 1)
    third = await created(sdk, thread_id, "third")
    thread = (await client.get(f"/threads/{thread_id}")).json()
    assert [each["message"] for each in thread["queued"]] == ["second", "third"]
    newest, *_ = await sdk.runs.list(thread_id, status="pending")
    assert newest["run_id"] == third["run_id"]
    assert thread["pending"]["run_id"] == active["run_id"]
    assert [each["queued"] for each in (await client.post("/threads/search", json={})).json()] == [[]]
    await sdk.runs.cancel(thread_id, third["run_id"])
    second = (await client.get(f"/threads/{thread_id}")).json()["queued"]
    assert [each["message"] for each in second] == ["second"]
    gates[gate].set()
    told = json.loads((await sending).text.partition("event: queued\ndata: ")[2].partition("\n")[0])
    assert told == {"event": "queued", "run_id": second[0]["run_id"]}
    await sdk.runs.wait(thread_id, "papers", input=human("last"))  # type: ignore[call-overload]
    joined = await client.get(NATIVE[1].format(thread_id), params={"run_id": told["run_id"]})
    turn = json.loads(joined.text.partition("event: complete\ndata: ")[2].partition("\n")[0])
    assert (turn["turn_number"], turn["message"]) == (2, "second")
    assert (await client.get(f"/threads/{thread_id}")).json()["queued"] == []


@pytest.mark.parametrize("way", ["message", "command", "background"])
@pytest.mark.parametrize("active", ["direct"], indirect=True)
async def test_a_native_message_that_may_wait_answers_no_question(  # noqa: PLR0917
    sdk: LangGraphClient, client: AsyncClient, thread_id: str, active: Any, gate: str, way: str
) -> None:
    """Neither one that was queued before the question, nor one that was sent after it."""

    async def send(text: str) -> tuple[str, str]:
        body = {"message": text, "when_busy": "enqueue"}
        turn = (await client.post(NATIVE[0].format(thread_id), json=body)).json()
        return turn["message"], turn["reply"]

    async def asks() -> bool:
        thread = (await client.get(f"/threads/{thread_id}")).json()
        return [thread["status"], *(each["message"] for each in thread["queued"])] == ["interrupted", "before"]

    await created(sdk, thread_id, "ask")
    before = asyncio.create_task(send("before"))
    await pending(sdk, thread_id, 2)
    gates[gate].set()
    await until(asks)
    after = asyncio.create_task(send("after"))
    await pending(sdk, thread_id, 2)
    if way == "message":
        await client.post(NATIVE[0].format(thread_id), json={"message": "yes"})
    else:
        answer = sdk.runs.wait if way == "command" else sdk.runs.create
        await answer(thread_id, "papers", command={"resume": "yes"})  # type: ignore[call-overload]
    assert await asyncio.gather(before, after) == [("before", "5: before"), ("after", "7: after")]
    assert [reply for _, reply in await turns_of(client, thread_id)][2] == "answered 'yes'"
