"""The body of a run as text: the message of its turn, and whether the body identifies a retry."""

from collections.abc import Iterator
from typing import Any

from pydantic_core import PydanticCustomError

from turnkeep.api.langgraph.bodies import RunBody
from turnkeep.api.schemas import check_message
from turnkeep.api.sse import compact
from turnkeep.errors import InvalidRequest

_HUMAN = ("human", "user")


def shown_message(body: RunBody) -> str:
    """Return the last human message, the answer to a question, or JSON. Raises MessageTooLong, InvalidRequest."""
    command = body.command.said() if body.command else None
    if command:
        text = _text(command.get("resume", command))
    else:
        text = next((_text(content) for content, _ in _heard(body)), _text(body.input) if body.input else "")
    try:
        return text and check_message(text)
    except PydanticCustomError as error:
        raise InvalidRequest(f"input: {error.message()}") from error


def tells_itself(body: RunBody) -> bool:
    """Return whether a checkpoint or message id in the body says what it follows, so the same body is a retry."""
    return body.base is not None or any(message_id for _, message_id in list(_heard(body))[:1])


def _heard(body: RunBody) -> Iterator[tuple[Any, Any]]:
    """Return content and id of human messages, last first. A bare text is one, and a pair names its role."""
    said = body.input.get("messages") or [] if isinstance(body.input, dict) else []
    for message in reversed(said if isinstance(said, list) else [said]):
        match message:
            case str():
                yield message, None
            case [role, content] if role in _HUMAN:
                yield content, None
            case dict() if (message.get("role") or message.get("type")) in _HUMAN:
                yield message.get("content"), message.get("id")


def _text(content: Any) -> str:
    """Return the texts of blocks: [{"type": "text", "text": "hello"}]; of anything else its JSON."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") if isinstance(block, dict) else block for block in blocks]
    return "\n".join(text for text in texts if isinstance(text, str)) or compact(content)
