"""Typical calls of OpenAI's Python SDK. `openai_calls.mjs` does the same in JavaScript; both must return the same."""

from typing import Any

from openai import APIStatusError, OpenAI

AGENT = "parcels"


def call(url: str, thread: str, key: str = "none") -> dict[str, Any]:
    with OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0) as client:
        return {
            "models": AGENT in [model.id for model in client.models.list()],
            "model": client.models.retrieve(AGENT).id,
            **chats(client, thread),
            **responses(client),
            **refusals(client),
        }


def chats(client: OpenAI, thread: str) -> dict[str, Any]:
    messages: list[Any] = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "you said one"},
        {"role": "user", "content": "two"},
    ]
    whole = client.chat.completions.create(model=AGENT, messages=messages)
    stream = client.chat.completions.create(
        model=AGENT, messages=messages, stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    on_thread = client.chat.completions.create(model=AGENT, messages=messages[:1], metadata={"thread_id": thread})
    return {
        "chat": whole.choices[0].message.content,
        "chat object": [whole.object, whole.model, whole.choices[0].finish_reason, whole.choices[0].message.role],
        "chat streamed": "".join(pieces),
        "chat in pieces": len(pieces) > 2,
        "chat ends": [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1],
        "chat usage": [chunk.usage is not None for chunk in chunks][-1],
        "chat on a thread": on_thread.choices[0].message.content,
    }


def responses(client: OpenAI) -> dict[str, Any]:
    conversation = client.conversations.create(metadata={"about": "parcels"}).id
    first = client.responses.create(model=AGENT, input="one", conversation=conversation)
    with client.responses.stream(model=AGENT, input="two", conversation=conversation) as stream:
        kinds = [event.type for event in stream]
        second = stream.get_final_response()
    third = client.responses.create(model=AGENT, input="yes", conversation=conversation)
    alone = client.responses.create(model=AGENT, input="alpha")
    chained = client.responses.create(model=AGENT, input="beta", previous_response_id=alone.id)
    unstored = client.responses.create(model=AGENT, input="gamma", store=False)
    items = client.conversations.items.list(conversation, order="asc").data
    about = client.conversations.update(conversation, metadata={"about": "more"})
    return {
        "conversation": [first.output_text, second.output_text, third.output_text],
        "response": [first.object, first.status, first.model, first.output[0].type],
        "response events": list(dict.fromkeys(kinds)),
        "response read again": client.responses.retrieve(second.id).output_text,
        "response input": [item.content[0].text for item in client.responses.input_items.list(second.id).data],  # type: ignore[union-attr]
        "chained": [alone.output_text, chained.output_text, chained.previous_response_id == alone.id],
        "unstored": [unstored.output_text, refused(lambda: client.responses.retrieve(unstored.id))],
        "items": [[item.role, item.content[0].text] for item in items],  # type: ignore[union-attr]
        "conversation read": client.conversations.retrieve(conversation).id == conversation,
        "conversation updated": about.metadata,
        "conversation deleted": client.conversations.delete(conversation).deleted,
        "conversation gone": refused(lambda: client.conversations.retrieve(conversation)),
    }


def refusals(client: OpenAI) -> dict[str, Any]:
    hello: list[Any] = [{"role": "user", "content": "hello"}]
    chat = client.chat.completions
    tool: Any = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    return {
        "unknown model": refused(lambda: chat.create(model="nobody", messages=hello)),
        "unknown model asked for": refused(lambda: client.models.retrieve("nobody")),
        "temperature of five": refused(lambda: chat.create(model=AGENT, messages=hello, temperature=5)),
        "two answers": refused(lambda: chat.create(model=AGENT, messages=hello, n=2)),
        "no message": refused(lambda: chat.create(model=AGENT, messages=[])),
        "unknown response": refused(lambda: client.responses.retrieve("resp_nothing")),
        "tools": chat.create(model=AGENT, messages=hello, tools=[tool]).choices[0].message.content,
        "a failure": refused(
            lambda: client.responses.create(model=AGENT, input="fail", conversation=client.conversations.create().id)
        ),
    }


def refused(call: Any) -> list[Any]:
    """Return class, status and code of the error."""
    try:
        return ["nothing", call().id]
    except APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code]
