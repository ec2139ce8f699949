"""Chat completions: stateless, or a turn of the named thread."""

from typing import Any

import pytest
from httpx import AsyncClient
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

HISTORY = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "ping"},
    {"role": "assistant", "content": "1: ping"},
]
YES = {"role": "user", "content": "yes"}
THREAD = {"X-Turnkeep-Thread": "t1"}


async def ask(openai: AsyncOpenAI, *messages: dict[str, Any], headers: Any = None, **more: Any) -> ChatCompletion:
    given: Any = messages
    return await openai.chat.completions.create(model="papers", messages=given, extra_headers=headers, **more)


def turn_of(answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = answer.model_extra["turnkeep"]
    return found


async def replies(client: AsyncClient, thread_id: str = "t1") -> list[str]:
    turns = (await client.get(f"/threads/{thread_id}/turns")).json()["turns"]
    return [turn["reply"] for turn in turns]


async def test_the_answer_contains_the_turn(openai: AsyncOpenAI) -> None:
    answer = await openai.chat.completions.create(
        model="database", messages=[{"role": "user", "content": "ping"}], metadata={"mine": "kept"}
    )
    assert turn_of(answer)["details"]["rows"] == [["Ann", 7.5], ["Bo", None]]
    assert turn_of(answer)["sources"][0]["title"] == "A paper"
    assert answer.model_dump()["metadata"]["mine"] == "kept"


@pytest.mark.parametrize("place", [{"extra_body": {"metadata": {"thread_id": "t1"}}}, {"headers": THREAD}])
async def test_a_named_thread_stores_the_turns(openai: AsyncOpenAI, client: AsyncClient, place: dict[str, Any]) -> None:
    first = await ask(openai, {"role": "user", "content": "ping"}, **place)
    second = await ask(openai, *HISTORY, YES, **place)
    assert (turn_of(first)["turn_number"], turn_of(second)["turn_number"], turn_of(second)["persisted"]) == (1, 2, True)
    assert second.choices[0].message.content == "3: yes"
    assert "history_differs" not in turn_of(second)["warnings"]
    assert await replies(client) == ["1: ping", "3: yes"]


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "pang"}, HISTORY[2]],
        [HISTORY[1], {"role": "assistant", "content": "1: pang"}],
        [*HISTORY, YES, {"role": "assistant", "content": "3: yes"}],
    ],
)
async def test_a_different_history_gives_a_warning_and_is_not_merged(
    openai: AsyncOpenAI, client: AsyncClient, history: list[dict[str, Any]]
) -> None:
    await ask(openai, {"role": "user", "content": "ping"}, headers=THREAD)
    answer = await ask(openai, *history, YES, headers=THREAD)
    assert answer.choices[0].message.content == "3: yes"
    assert "history_differs" in turn_of(answer)["warnings"]
    assert await replies(client) == ["1: ping", "3: yes"]


async def test_the_same_history_is_a_retry_a_repeated_yes_is_not(openai: AsyncOpenAI, client: AsyncClient) -> None:
    await ask(openai, HISTORY[1], headers=THREAD)
    first = await ask(openai, *HISTORY, YES, headers=THREAD)
    retried = await openai.chat.completions.with_raw_response.create(
        model="papers",
        messages=[*HISTORY, YES],  # type: ignore[list-item]
        extra_headers=THREAD,
    )
    assert retried.headers["idempotency-replayed"] == "true"
    assert retried.parse().id == first.id
    await ask(openai, *HISTORY, YES, {"role": "assistant", "content": "3: yes"}, YES, headers=THREAD)
    assert await replies(client) == ["1: ping", "3: yes", "5: yes"]


async def test_without_history_the_retry_count_marks_a_retry(openai: AsyncOpenAI, client: AsyncClient) -> None:
    for count in ("0", "0", "1", "2"):
        await ask(openai, YES, headers={**THREAD, "X-Stainless-Retry-Count": count})
    assert await replies(client) == ["1: yes", "3: yes"]


async def test_a_key_identifies_a_retry(openai: AsyncOpenAI, client: AsyncClient) -> None:
    for key in ("k-1", "k-1", "k-2", ""):
        await ask(openai, YES, headers={**THREAD, "Idempotency-Key": key})
    assert await replies(client) == ["1: yes", "3: yes", "5: yes"]


async def test_ignored_parameters_give_warnings(openai: AsyncOpenAI) -> None:
    tool: Any = {"type": "function", "function": {"name": "f", "parameters": {}}}
    raw = await openai.chat.completions.with_raw_response.create(
        model="papers",
        messages=[*HISTORY, YES],
        tools=[tool],
        temperature=0.2,
        presence_penalty=0,  # type: ignore[list-item]
    )
    warnings = ["tools_not_used", "temperature_not_used", "instructions_not_used"]
    assert raw.headers["x-turnkeep-warnings"].split(", ") == warnings
    assert set(warnings) <= set(turn_of(raw.parse())["warnings"])
