"""OpenAI's client raises errors as the right class, with code and parameter."""

import json
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import openai as sdk
import pytest
from fastapi import FastAPI, Request
from httpx import AsyncClient
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import AsyncOpenAI
from scripted import ScriptedRun, complete, token
from starlette.testclient import TestClient

from bare_app import bare_app
from turnkeep.errors import (
    BudgetExceeded,
    ModelTruncated,
    NotFound,
    ThreadBusy,
    TurnkeepError,
    Unauthorized,
)
from turnkeep.http.openai.bodies import ChatCompletion, NewResponse
from turnkeep.records import Principal
from turnkeep.store.codec import Codec
from turnkeep.turns import TurnRequest

PING: Any = [{"role": "user", "content": "ping"}]
IMAGE = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}

type Openai = Callable[[FastAPI], AsyncOpenAI]


@pytest.mark.parametrize(
    ("changes", "param", "code"),
    [
        ({"logprobs": True}, "logprobs", "unsupported_parameter"),
        ({"modalities": ["text", "audio"]}, "modalities", "unsupported_parameter"),
        ({"response_format": {"type": "json_object"}}, "response_format", "unsupported_parameter"),
        ({"tools": [TOOL], "tool_choice": "required"}, "tool_choice", "unsupported_parameter"),
        ({"messages": IMAGE}, "messages.0.content", "unsupported_parameter"),
        ({"messages": [{"role": "poet", "content": "ping"}]}, "messages.0.role", "unsupported_parameter"),
        ({"messages": [*PING, {"role": "assistant", "content": "pong"}]}, "messages", "unsupported_parameter"),
        ({"stream": "yes"}, "stream", "invalid_request"),
        ({"messages": [{"role": "user", "content": "\0"}]}, None, "invalid_request"),
        ({"metadata": {"thread_id": "no such id!"}}, None, "invalid_id"),
    ],
)
async def test_an_invalid_chat_completion_names_the_parameter(
    openai: AsyncOpenAI, changes: dict[str, Any], param: str | None, code: str
) -> None:
    with pytest.raises(sdk.BadRequestError) as raised:
        await openai.chat.completions.create(**{"model": "papers", "messages": PING, **changes})
    assert (raised.value.param, raised.value.code) == (param, code)
    assert raised.value.type == "invalid_request_error"


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"background": True}, "background"),
        ({"text": {"format": {"type": "json_object"}}}, "text.format"),
        ({"conversation": "t1", "previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": "t1", "store": False}, "store"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "input.0.content"),
    ],
)
async def test_an_invalid_response_names_the_parameter(
    openai: AsyncOpenAI, changes: dict[str, Any], param: str
) -> None:
    with pytest.raises(sdk.BadRequestError) as raised:
        await openai.responses.create(**{"model": "papers", "input": "ping", **changes})
    assert raised.value.param == param


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("embeddings", b"{}", (404, "not_found")),
        ("chat/completions/x", b"{}", (404, "not_found")),
        ("conversations/c1/none", b"{}", (404, "not_found")),
        ("responses", b"{", (400, "invalid_json")),
    ],
)
async def test_an_invalid_request_has_openais_error_format(
    client: AsyncClient, path: str, body: bytes, expected: tuple[int, str]
) -> None:
    answer = await client.post(f"/v1/{path}", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == expected


async def test_unsupported_operations_of_conversations_are_rejected(openai: AsyncOpenAI) -> None:
    item: Any = {"role": "user", "content": "ping"}
    with pytest.raises(sdk.BadRequestError, match="responses only"):
        await openai.conversations.create(items=[item])
    conversation = (await openai.conversations.create()).id
    first = await openai.responses.create(model="papers", input="ping", conversation=conversation)
    await openai.responses.create(model="papers", input="ping", conversation=conversation)
    with pytest.raises(sdk.BadRequestError, match="responses only"):
        await openai.conversations.items.create(conversation, items=[item])
    with pytest.raises(sdk.BadRequestError, match="whole conversation"):
        await openai.conversations.items.delete("msg_1_user", conversation_id=conversation)
    with pytest.raises(sdk.BadRequestError, match="whole conversation"):
        await openai.responses.delete(first.id)
    with pytest.raises(sdk.BadRequestError, match="background"):
        await openai.responses.cancel(first.id)


@pytest.mark.parametrize(
    ("fault", "raised_as", "wait"),
    [
        (Unauthorized(), sdk.AuthenticationError, None),
        (BudgetExceeded(retry_after=60), sdk.RateLimitError, "60"),
        (ThreadBusy(retry_after=1), sdk.ConflictError, "1"),
        (ModelTruncated(), sdk.InternalServerError, None),
    ],
)
async def test_each_of_our_errors_is_raised_as_its_class(
    make_app: Callable[..., FastAPI],
    openai_of: Openai,
    fault: TurnkeepError,
    raised_as: type[sdk.APIStatusError],
    wait: str | None,
) -> None:
    def authenticate(_: Request) -> Principal:
        raise fault

    async with openai_of(make_app(authenticate=authenticate)) as openai:
        with pytest.raises(raised_as) as raised:
            await openai.models.list()
    assert (raised.value.code, raised.value.response.headers.get("retry-after")) == (fault.code, wait)


class NoThreads:
    def create(self, *_: Any, **__: Any) -> None:
        raise NotFound


class Played:
    """Turns with a single run that plays these steps."""

    def __init__(self, *steps: Any) -> None:
        self.budget = SimpleNamespace(now=lambda: 0)
        self._steps = list(steps)

    async def start(self, _: TurnRequest) -> ScriptedRun:
        return ScriptedRun(self._steps)


@pytest.mark.parametrize("wire", ["chat", "responses"])
async def test_an_error_during_a_stream_is_raised(
    make_app: Callable[..., FastAPI], openai_of: Openai, wire: str
) -> None:
    async with openai_of(make_app(turns=Played(token("po"), ModelTruncated()))) as openai:
        stream: Any
        if wire == "chat":
            stream = await openai.chat.completions.create(model="papers", messages=PING, stream=True)
        else:
            stream = await openai.responses.create(model="papers", input="ping", conversation="t1", stream=True)
        with pytest.raises(sdk.APIError) as raised:
            _ = [event async for event in stream]
    assert raised.value.code == "model_truncated"


@pytest.mark.parametrize(
    ("drafts", "shown"),
    [(("po", "ng"), "pong"), (("po",), "pong"), ((), "pong"), (("pong ",), "pong "), (("ping",), "ping\n\npong")],
)
async def test_streamed_text_is_completed_and_never_retracted(
    make_app: Callable[..., FastAPI], openai_of: Openai, drafts: tuple[str, ...], shown: str
) -> None:
    async with openai_of(make_app(turns=Played(*map(token, drafts), complete()))) as openai:
        stream = await openai.chat.completions.create(model="papers", messages=PING, stream=True)
        assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == shown


async def test_no_error_quotes_the_request(client: AsyncClient) -> None:
    answer = await client.post("/v1/responses", json={"model": "papers", "input": {"said": "zebra"}, "top_p": "zebra"})
    assert answer.status_code == 400
    assert "zebra" not in json.dumps(answer.json())


@cache
def playing() -> TestClient:
    heads = SimpleNamespace(codec=Codec(b"secret-of-the-test"))
    app = bare_app(turns=Played(complete()), store=SimpleNamespace(threads=NoThreads(), heads=heads))
    return TestClient(app, raise_server_exceptions=False)


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["user", "text", "t1"])
NAMES = st.sampled_from(["role", "content", "type", "text", "id", "format", "include_usage", "thread_id", "task"])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3))
FIELDS = st.sampled_from(
    [*NewResponse.model_fields, *ChatCompletion.model_fields, "n", "tools", "tool_choice", "items"]
)


@given(
    st.sampled_from(["/v1/chat/completions", "/v1/responses", "/v1/conversations"]),
    st.dictionaries(FIELDS, VALUES, max_size=4),
    st.booleans(),
)
@settings(max_examples=150, derandomize=True, database=None)
def test_no_body_makes_the_server_fail(path: str, body: dict[str, Any], is_whole: bool) -> None:
    good = {"model": "papers", "messages": PING, "input": "ping"} if is_whole else {}
    answer = playing().post(path, json={**good, **body})
    assert answer.status_code < 500
    assert answer.status_code == 200 or {"message", "type", "param", "code"} <= answer.json()["error"].keys()
