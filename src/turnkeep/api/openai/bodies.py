"""What OpenAI's clients may send. They send more with every release, so unknown fields are let through: what has no
effect is told by a warning, and what a client would rely on and not get is refused. An agent reads and writes text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from turnkeep.api.openai.errors import UnsupportedParameter
from turnkeep.api.schemas import AgentName, check_id, check_message
from turnkeep.errors import InvalidRequest
from turnkeep.records import JSON
from turnkeep.turns.request import GraphCall

METADATA_KEYS, METADATA_CHARACTERS = 16, 512
_WITHOUT_EFFECT = (
    *("tools", "functions", "instructions", "temperature", "top_p", "max_tokens", "max_completion_tokens", "stop"),
    *("max_output_tokens", "max_tool_calls", "seed", "presence_penalty", "frequency_penalty", "logit_bias"),
    *("reasoning", "reasoning_effort", "verbosity", "web_search_options", "prediction"),
)
_DEFAULTS = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
_REFUSED = ("logprobs", "top_logprobs", "background", "prompt", "audio")
_TYPES = {"user": "human", "assistant": "ai"}
_INSTRUCTIONS, _TOOLS, _TEXTS = ("system", "developer"), ("tool", "function"), ("text", "input_text", "output_text")


class Body(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    metadata: dict[str, Any] | None = None


class Run(Body):
    stream: bool | None = False
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    tool_choice: Any = None

    def check(self) -> tuple[str, ...]:
        """What was sent and has no effect, as "tools_not_used". Raises UnsupportedParameter."""
        if self.tool_choice not in (None, "auto", "none"):
            raise UnsupportedParameter("tool_choice", "An agent calls its own tools only; send auto or none.")
        given = {name: value for name, value in self if value}
        for name in _REFUSED:
            if name in given:
                raise UnsupportedParameter(name, "It cannot be had here; leave it out.")
        return tuple(
            f"{name}_not_used"
            for name in _WITHOUT_EFFECT
            if given.get(name, _DEFAULTS.get(name)) != _DEFAULTS.get(name)
        )


class ChatCompletion(Run):
    model: AgentName
    messages: list[JSON] = Field(min_length=1)
    stream_options: JSON | None = None
    n: int | None = None
    modalities: list[str] | None = None
    response_format: JSON | None = None

    def check(self) -> tuple[str, ...]:
        if self.n not in (None, 1):
            raise UnsupportedParameter("n", "An agent gives one answer; send 1.")
        if self.modalities not in (None, [], ["text"]):
            raise UnsupportedParameter("modalities", "An agent answers in text only.")
        _check_format("response_format", self.response_format)
        return super().check()


class NewResponse(Run):
    model: AgentName | None = None
    input: str | list[JSON]
    conversation: str | JSON | None = None
    previous_response_id: str | None = None
    store: bool | None = True
    text: JSON | None = None

    @property
    def thread_id(self) -> str | None:
        named = self.conversation.get("id") if isinstance(self.conversation, dict) else self.conversation
        return None if self.conversation is None else check_id(str(named), where="conversation")

    def check(self) -> tuple[str, ...]:
        _check_format("text.format", (self.text or {}).get("format"))
        if self.conversation is not None and self.previous_response_id is not None:
            raise UnsupportedParameter("previous_response_id", "Send either it or `conversation`.")
        if self.store is False and (self.conversation is not None or self.previous_response_id is not None):
            raise UnsupportedParameter("store", "What goes on with a conversation is kept. Leave it out.")
        return super().check()


class NewConversation(Body):
    items: list[JSON] | None = None

    def kept(self) -> JSON:
        """The metadata, within OpenAI's bounds; the store has one of 1 KB in all."""
        given = self.metadata or {}
        if len(given) > METADATA_KEYS or any(len(str(value)) > METADATA_CHARACTERS for value in given.values()):
            raise UnsupportedParameter("metadata", "Send at most 16 values of at most 512 characters.")
        return given


def _check_format(param: str, wanted: Any) -> None:
    if isinstance(wanted, dict) and wanted.get("type", "text") != "text":
        raise UnsupportedParameter(param, "An agent answers in text; the object `turnkeep` holds what it found.")


@dataclass(frozen=True)
class Said:
    """`messages` are LangChain's, plain; the last one is the user's."""

    messages: list[JSON]
    warnings: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        return str(self.messages[-1]["content"])

    @property
    def call(self) -> GraphCall | None:
        """All of it for the graph, where it is more than one message."""
        return GraphCall(input={"messages": self.messages}) if len(self.messages) > 1 else None


def read_messages(items: Sequence[JSON], param: str) -> Said:
    """Raises UnsupportedParameter, InvalidRequest, MessageTooLong. What came of a client's own tools is left out."""
    messages: list[JSON] = []
    warnings: dict[str, None] = {}
    for index, item in enumerate(items):
        role, where = item.get("role"), f"{param}.{index}"
        if item.get("type", "message") != "message" or role in _TOOLS:
            warnings["tools_not_used"] = None
        elif role in _INSTRUCTIONS:
            warnings["instructions_not_used"] = None
        elif role not in _TYPES:
            raise UnsupportedParameter(f"{where}.role", "Send user or assistant.")
        elif text := _text(item.get("content"), f"{where}.content"):
            messages.append({"type": _TYPES[role], "content": text})
    if not messages or messages[-1]["type"] != "human":
        raise UnsupportedParameter(param, "The last message has to be the user's, and to hold text.")
    try:
        check_message(messages[-1]["content"])
    except PydanticCustomError as error:
        raise InvalidRequest(f"{param}: {error.message()}") from error
    return Said(messages, tuple(warnings))


def _text(content: Any, param: str) -> str:
    parts = [{"type": "text", "text": content or ""}] if content is None or isinstance(content, str) else content
    if not isinstance(parts, list) or any(
        not isinstance(part, dict) or part.get("type") not in _TEXTS for part in parts
    ):
        raise UnsupportedParameter(param, "An agent reads text only; leave images, sounds and files out.")
    return "\n".join(str(part.get("text") or "") for part in parts)
