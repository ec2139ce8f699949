"""SDKs with keys against an emulated deployment."""

from typing import Any

import httpx
import openai
import pytest
from deployed_site import KEY, OTHER_KEY
from langgraph_sdk import get_client
from langgraph_sdk.errors import APIStatusError, NotFoundError
from openai import OpenAI
from site_of_clients import Site

REFUSED = (APIStatusError, httpx.HTTPStatusError)
"""Errors of LangGraph's Python SDK; the second one from `wait` and `join`."""


@pytest.fixture
def stack(deployment: Site) -> str:
    return deployment.url


async def test_langgraphs_sdk_does_not_find_the_data_of_others(stack: str) -> None:
    async with get_client(url=stack, api_key=KEY) as ann, get_client(url=stack, api_key=OTHER_KEY) as bob:
        thread = (await ann.threads.create())["thread_id"]
        run = await ann.runs.create(thread, "parcels", input={"messages": [{"role": "user", "content": "hello"}]})
        await ann.runs.join(thread, run["run_id"])
        for about_thread in (bob.threads.get, bob.threads.get_state, bob.threads.copy, bob.threads.delete):
            with pytest.raises(NotFoundError):
                await about_thread(thread)
        for about_run in (bob.runs.get, bob.runs.join, bob.runs.cancel):
            with pytest.raises(REFUSED) as refused:
                await about_run(thread, run["run_id"])
            assert refused.value.response.status_code == 404
        assert thread not in [one["thread_id"] for one in await bob.threads.search(limit=100)]


def test_openais_sdk_does_not_find_the_data_of_others(stack: str) -> None:
    with openai_client(stack, KEY) as ann, openai_client(stack, OTHER_KEY) as bob:
        conversation = ann.conversations.create().id
        made = ann.responses.create(model="parcels", input="one", conversation=conversation)
        for call in (bob.responses.retrieve, bob.responses.delete, bob.responses.input_items.list):
            with pytest.raises(openai.NotFoundError):
                call(made.id)
        with pytest.raises(openai.NotFoundError):
            bob.responses.create(model="parcels", input="two", previous_response_id=made.id)
        with pytest.raises(openai.NotFoundError):
            bob.conversations.retrieve(conversation)


async def test_two_megabytes_of_history_are_accepted_or_rejected_by_name(stack: str) -> None:
    long = [{"role": "user", "content": "x" * 20_000}] * 100
    async with get_client(url=stack, api_key=KEY) as client:
        thread = (await client.threads.create())["thread_id"]
        with pytest.raises(REFUSED) as refused:
            await client.runs.wait(thread, "parcels", input={"messages": long})
    assert refused.value.response.status_code == 413
    with openai_client(stack, KEY) as other:
        messages: Any = [*long, {"role": "user", "content": "hello"}]
        answer = other.chat.completions.create(model="parcels", messages=messages)
    assert answer.choices[0].message.content == "you said hello"


def openai_client(url: str, key: str) -> OpenAI:
    return OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)


def test_requests_without_a_key_are_unauthorized(stack: str) -> None:
    assert httpx.post(f"{stack}/assistants/search", json={}).status_code == 401
    assert httpx.get(f"{stack}/v1/models").status_code == 401
