"""What a run's body says, as text: the message of the turn that it makes, and whether it can be told from others."""

import json
from typing import Any

from turnkeep.api.langgraph.bodies import RunBody
from turnkeep.api.schemas import MAX_MESSAGE_BYTES
from turnkeep.errors import MessageTooLong
from turnkeep.records import JSON

_HUMAN = ("human", "user")


def shown_message(body: RunBody) -> str:
    """The last human message, the answer to a question, else what was sent as JSON; "" goes on where the thread
    stands. Raises MessageTooLong."""
    command = body.command.model_dump(include=body.command.model_fields_set) if body.command else {}
    if "resume" in command:
        text = _text(command["resume"])
    elif command:
        text = _compact(command)
    else:
        last = [_said(message) for message in messages_of(body.input) if _is_human(message)]
        text = last[-1] if last else _compact(body.input) if body.input else ""
    if len(text.encode()) > MAX_MESSAGE_BYTES:
        raise MessageTooLong
    return text


def tells_itself(body: RunBody) -> bool:
    """Whether the body says after what it comes, so that the same body again is a retry: by a checkpoint, or by the id
    that a client gave its message."""
    messages = [message for message in messages_of(body.input) if _is_human(message)]
    return body.base is not None or any(isinstance(each, dict) and each.get("id") for each in messages[-1:])


def messages_of(given: JSON | None) -> list[Any]:
    said = (given or {}).get("messages")
    return said if isinstance(said, list) else [] if said is None else [said]


def _is_human(message: Any) -> bool:
    """Texts alone are human messages: ["hello"]; pairs name their role: [["user", "hello"]]."""
    if isinstance(message, list):
        return len(message) == 2 and message[0] in _HUMAN
    return isinstance(message, str) or (isinstance(message, dict) and _role(message) in _HUMAN)


def _role(message: JSON) -> Any:
    return message.get("role") or message.get("type")


def _said(message: Any) -> str:
    return _text(
        message[1] if isinstance(message, list) else message if isinstance(message, str) else message.get("content")
    )


def _text(content: Any) -> str:
    """Of blocks their texts: [{"type": "text", "text": "hello"}]; of anything else its JSON."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [
        block if isinstance(block, str) else block.get("text") for block in blocks if isinstance(block, str | dict)
    ]
    return "\n".join(text for text in texts if isinstance(text, str)) or _compact(content)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
