"""Bodies of OpenAI's clients. Unknown fields are accepted, because every release sends more. Some ignored fields give a
warning. Fields that a client would rely on, but that have no effect here, are rejected."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from turnkeep.errors import InvalidRequest
from turnkeep.http.openai.error_format import UnsupportedParameter
from turnkeep.http.schemas import AgentName, check_id, check_message
from turnkeep.records import JSON

_ONLY: JSON = {
    **dict.fromkeys(("background", "logprobs", "top_logprobs", "prompt", "audio"), (False, 0)),
    **{name: ({"type": "text"},) for name in ("response_format", "text.format")},
    "n": (1,),
    "modalities": (["text"],),
    "tool_choice": ("auto", "none"),
}
"""Accepted values of fields that a client would rely on."""
_WITHOUT_EFFECT = (
    *("tools", "functions", "instructions", "temperature", "top_p", "max_tokens", "max_completion_tokens", "stop"),
    *("max_output_tokens", "max_tool_calls", "seed", "presence_penalty", "frequency_penalty", "logit_bias"),
    *("reasoning", "reasoning_effort", "verbosity", "web_search_options", "prediction"),
)
_DEFAULTS = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
_TYPES = {"user": "human", "assistant": "ai"}
_TEXTS = ("text", "input_text", "output_text", "refusal")


class Body(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    metadata: dict[str, Any] | None = None


class ChatRequest(Body):
    model: AgentName | None = None
    stream: bool | None = False
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    text: JSON | None = None

    def check(self) -> list[str]:
        """Return warnings for ignored fields, such as "tools_not_used"; raise UnsupportedParameter."""
        given: JSON = dict(self)
        given["text.format"] = (self.text or {}).get("format")
        for name, values in _ONLY.items():
            if given.get(name) not in (None, *values):
                only = json.dumps(values[0])
                raise UnsupportedParameter(name, f"Send {only}. An agent answers once, in text, with its own tools.")
        sent = [name for name in _WITHOUT_EFFECT if given.get(name) and given[name] != _DEFAULTS.get(name)]
        return [f"{name}_not_used" for name in sent]


class ChatCompletion(ChatRequest):
    model: AgentName
    messages: list[JSON] = Field(min_length=1)
    stream_options: JSON | None = None


class NewResponse(ChatRequest):
    input: str | list[JSON]
    conversation: str | JSON | None = None
    previous_response_id: str | None = None
    store: bool | None = True

    @property
    def thread_id(self) -> str | None:
        named = self.conversation.get("id") if isinstance(self.conversation, dict) else self.conversation
        return None if self.conversation is None else check_id(str(named), where="conversation")

    def check(self) -> list[str]:
        if self.conversation is not None and self.previous_response_id is not None:
            raise UnsupportedParameter("previous_response_id", "Send either `previous_response_id` or `conversation`.")
        if self.store is False and (self.conversation is not None or self.previous_response_id is not None):
            raise UnsupportedParameter("store", "Omit `store`. A response in a conversation is always stored.")
        return super().check()


class NewConversation(Body):
    items: list[JSON] | None = None


def read_messages(items: Sequence[JSON], param: str) -> tuple[list[JSON], list[str]]:
    """Return the messages in LangChain's form, the user's newest last, and warnings for ignored ones. Raise
    UnsupportedParameter, InvalidRequest or MessageTooLong."""
    messages: list[JSON] = []
    warnings: list[str] = []
    for index, item in enumerate(items):
        role, where = str(item.get("role")), f"{param}.{index}"
        if item.get("type", "message") != "message" or role in ("tool", "function"):
            warnings.append("tools_not_used")
        elif role in ("system", "developer"):
            warnings.append("instructions_not_used")
        elif role not in _TYPES:
            raise UnsupportedParameter(f"{where}.role", "Send user or assistant.")
        elif text := _text(item.get("content"), f"{where}.content"):
            messages.append({"type": _TYPES[role], "content": text})
    if not messages or messages[-1]["type"] != "human":
        raise UnsupportedParameter(param, "The last message must be the user's and contain text.")
    try:
        check_message(messages[-1]["content"])
    except PydanticCustomError as error:
        raise InvalidRequest(f"{param}: {error.message()}") from error
    return messages, warnings


def _text(content: Any, param: str) -> str:
    parts = [{"type": "text", "text": content or ""}] if content is None or isinstance(content, str) else content
    is_text = isinstance(parts, list) and all(isinstance(each, dict) and each.get("type") in _TEXTS for each in parts)
    if not is_text:
        raise UnsupportedParameter(param, "Agents read text only. Omit images, audio and files.")
    return "\n".join(str(each.get("text") or each.get("refusal") or "") for each in parts)
