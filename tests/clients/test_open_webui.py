"""Open WebUI's requests as its server sends them: the whole chat each time, the chat's id in a header, and calls of its
own beside the chat for a title, tags and what to ask next."""

import json
import uuid
from typing import Any

import httpx
import pytest

SAID = ("Where is my parcel", "yes", "yes")


def headers(chat: str) -> dict[str, str]:
    """With ENABLE_FORWARD_USER_INFO_HEADERS, as its server forwards them."""
    user = {"Name": "Ann", "Id": str(uuid.uuid4()), "Email": "ann@example.org", "Role": "user"}
    told = {f"X-OpenWebUI-User-{name}": value for name, value in user.items()}
    return {"Authorization": "Bearer none", **told, "X-OpenWebUI-Chat-Id": chat}


def chat_body(messages: list[dict[str, str]]) -> dict[str, Any]:
    return {"stream": True, "model": "parcels", "messages": messages, "stream_options": {"include_usage": True}}


def task_body(kind: str, messages: list[dict[str, str]]) -> dict[str, Any]:
    """A title's prompt has more room than the others' in its templates; their form is one."""
    history = "\n".join(f"{message['role'].upper()}: {message['content']}" for message in messages)
    prompt = (
        f"### Task:\nGive a {kind}.\n### Output:\nJSON\n### Chat History:\n<chat_history>\n{history}\n</chat_history>"
    )
    room = {"max_completion_tokens": 1000} if kind == "title" else {}
    return {"model": "parcels", "messages": [{"role": "user", "content": prompt}], "stream": False, **room}


def streamed(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    choices = [choice for line in lines[:-1] for choice in json.loads(line)["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def turns(url: str, thread: str) -> list[str]:
    return [turn["message"] for turn in httpx.get(f"{url}/threads/{thread}/turns").json()["turns"]]


def test_a_chat_of_three_messages_is_one_thread_of_three_turns(url: str) -> None:
    chat, messages = str(uuid.uuid4()), []
    models = httpx.get(f"{url}/v1/models", headers=headers(chat)).json()["data"]
    assert "parcels" in [model["id"] for model in models]
    for text in SAID:
        messages.append({"role": "user", "content": text})
        answer = httpx.post(f"{url}/v1/chat/completions", json=chat_body(messages), headers=headers(chat), timeout=30)
        messages.append({"role": "assistant", "content": streamed(answer)})
        for kind in ("title", "list of tags", "list of follow-up questions"):
            task = httpx.post(f"{url}/v1/chat/completions", json=task_body(kind, messages), headers=headers(chat))
            assert task.status_code == 200, task.text
    assert [message["content"] for message in messages[1::2]] == [f"you said {text}" for text in SAID]
    assert turns(url, chat) == list(SAID)


@pytest.mark.parametrize("named", ["by its form", "by the header"])
def test_its_title_is_an_answer_that_it_can_read_and_stores_nothing(url: str, named: str) -> None:
    chat, told = str(uuid.uuid4()), {"X-Turnkeep-Task": "title_generation"} if named == "by the header" else {}
    said = [{"role": "user", "content": SAID[0]}, {"role": "assistant", "content": "In Turin"}]
    body = task_body("title", said)
    answer = httpx.post(f"{url}/v1/chat/completions", json=body, headers=headers(chat) | told).json()
    assert json.loads(answer["choices"][0]["message"]["content"])["title"] == SAID[0]
    assert httpx.get(f"{url}/threads/{chat}").status_code == 404


def test_a_message_that_is_sent_again_because_its_answer_got_lost_is_one_turn(url: str) -> None:
    chat, messages = str(uuid.uuid4()), [{"role": "user", "content": "hello"}]
    first, again = (
        streamed(httpx.post(f"{url}/v1/chat/completions", json=chat_body(messages), headers=headers(chat), timeout=30))
        for _ in range(2)
    )
    assert first == again == "you said hello"
    assert turns(url, chat) == ["hello"]
