"""OpenAI's SDKs against this server, also when answers are lost."""

import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import openai_calls
import pytest
from node_calls import run_node
from openai import APIConnectionError, OpenAI
from openai_expected import EXPECTED
from proxies import Between
from site_of_clients import Site


@pytest.fixture
def way(url: str) -> Iterator[Between]:
    with Between(url) as network:
        yield network


def messages(url: str, thread: str, headers: dict[str, str] | None = None) -> list[str]:
    """Return the messages of the stored turns."""
    turns = httpx.get(f"{url}/threads/{thread}/turns", headers=headers).json()["turns"]
    return [turn["message"] for turn in turns]


@pytest.mark.parametrize("sdk", ["python", "javascript"])
def test_the_sdk_works_as_with_openai(sdk: str, site: Site) -> None:
    thread = str(uuid.uuid4())
    given = (site.url, thread, site.key or "none")
    assert (openai_calls.call(*given) if sdk == "python" else run_node("openai_calls.mjs", *given)) == EXPECTED
    assert messages(site.url, thread, site.headers) == ["one"]


def test_lost_answers_of_a_conversation_make_no_second_turns(url: str, way: Between) -> None:
    with OpenAI(base_url=f"{way.url}/v1", api_key="none", max_retries=2) as client:
        conversation = client.conversations.create().id
        replies = []
        for text in ("one", "yes", "yes"):
            way.losses = ["503"]
            replies.append(client.responses.create(model="parcels", input=text, conversation=conversation).output_text)
    counts = [each.headers["x-stainless-retry-count"] for each in way.passed if each.path == "/v1/responses"]
    assert counts == ["0", "1"] * 3
    assert replies == ["you said one", "you said yes", "you said yes"]
    assert messages(url, conversation) == ["one", "yes", "yes"]


def test_a_lost_answer_of_a_chat_makes_no_second_turn(url: str, way: Between) -> None:
    thread = str(uuid.uuid4())
    body: Any = {"model": "parcels", "messages": [{"role": "user", "content": "hi"}], "metadata": {"thread_id": thread}}
    with OpenAI(base_url=f"{way.url}/v1", api_key="none", max_retries=2) as client:
        way.losses = ["503"]
        answer = client.chat.completions.create(**body)
        way.losses = ["503"]
        chunks = list(client.chat.completions.create(**{**body, "messages": [*body["messages"] * 3]}, stream=True))
    assert answer.choices[0].message.content == "you said hi"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "you said hi"
    assert messages(url, thread) == ["hi", "hi"]


def test_a_cut_response_makes_no_second_turn(url: str, way: Between) -> None:
    with OpenAI(base_url=f"{way.url}/v1", api_key="none", max_retries=0) as client:
        first = client.responses.create(model="parcels", input="one")
        after: dict[str, Any] = {"model": "parcels", "input": "two", "previous_response_id": first.id}
        way.losses = ["cut"]
        with pytest.raises(APIConnectionError):
            client.responses.create(**after)
        again = client.responses.create(**after)
        once_more = client.responses.create(**after)
    assert again.id == once_more.id
    assert again.output_text == "you said two"
    assert again.conversation is not None
    assert messages(url, again.conversation.id) == ["one", "two"]
