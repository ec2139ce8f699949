"""Inner calls: each has a name, its own limits, and a typed result or text. A typed result that cannot be used is
asked for once more with the reason. Calls that the user should not see carry LangGraph's tag for that."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ValidationError

from turnkeep.errors import ModelError

INNER_CALL = "inner_call"
MODEL_REFUSED = "model_refused"

_FENCE = re.compile(r"^```\w*\n|\n```$")


@dataclass(frozen=True)
class TextCall:
    """A call whose answer is prose."""

    name: str
    temperature: float
    max_tokens: int
    visible: bool = True


@dataclass(frozen=True)
class TypedCall[R: BaseModel]:
    """A call whose answer is a `result`; the user never sees it."""

    name: str
    result: type[R]
    temperature: float = 0.0
    max_tokens: int = 400


@dataclass(frozen=True)
class TextAnswer:
    """`text` is never empty; a refusal of the model is text too, with a warning. `id` is that of the streamed message:
    a state message with it is not streamed again."""

    text: str
    id: str
    warnings: tuple[str, ...] = ()


async def ask_text(
    model: BaseChatModel, call: TextCall, messages: Sequence[BaseMessage], *, run_id: UUID | None = None
) -> TextAnswer:
    """The model's prose; raises ModelFault. The id of the answer is derived from `run_id`."""
    config = _config(call.name, visible=call.visible)
    if run_id:
        config["run_id"] = run_id
    message = await model.ainvoke(
        _marked(messages, call.name), config, temperature=call.temperature, max_tokens=call.max_tokens
    )
    text = _storable(message.text).strip()
    if not text:
        raise ModelError("The model's answer was empty.")
    warnings = (MODEL_REFUSED,) if message.additional_kwargs.get("refusal") else ()
    return TextAnswer(text, message.id or str(run_id), warnings)


async def ask_typed[R: BaseModel](model: BaseChatModel, call: TypedCall[R], messages: Sequence[BaseMessage]) -> R:
    """The model's result; raises ModelFault, after one repair also for a result that cannot be used."""
    bound = model.bind_tools([call.result], tool_choice=call.result.__name__).bind(
        temperature=call.temperature, max_tokens=call.max_tokens
    )
    config = _config(call.name, visible=False)
    asked = _marked(messages, call.name)
    first = await bound.ainvoke(asked, config)
    result = _read(call.result, first)
    if isinstance(result, call.result):
        return result
    complaint = f"Your last answer could not be used: {result}. Call {call.result.__name__} once, with valid arguments."
    second = await bound.ainvoke([*asked, HumanMessage(complaint)], config)
    result = _read(call.result, second)
    if isinstance(result, call.result):
        return result
    raise ModelError(f"The model gave no usable result for the inner call {call.name}.")


def inner_call_of(messages: Sequence[BaseMessage]) -> str | None:
    """Which inner call a model is asked for. The name is on a message, because LangChain gives a model that streams no
    metadata; no provider is sent it."""
    marks = (message.additional_kwargs.get(INNER_CALL) for message in reversed(messages))
    return next(filter(None, marks), None)


def _marked(messages: Sequence[BaseMessage], name: str) -> list[BaseMessage]:
    *earlier, last = messages
    return [*earlier, last.model_copy(update={"additional_kwargs": {**last.additional_kwargs, INNER_CALL: name}})]


def _config(name: str, *, visible: bool) -> RunnableConfig:
    return RunnableConfig(run_name=name, tags=[] if visible else [TAG_NOSTREAM])


def _read[R: BaseModel](kind: type[R], message: AIMessage) -> R | str:
    """The result in `message`, or why there is none."""
    arguments = _arguments(kind.__name__, message)
    if isinstance(arguments, str):
        return arguments
    try:
        return kind.model_validate(arguments)
    except ValidationError as error:
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


def _arguments(name: str, message: AIMessage) -> dict[str, Any] | str:
    if message.additional_kwargs.get("refusal"):
        return "it was a refusal"
    for tool_call in message.tool_calls:
        if tool_call["name"] == name:
            return tool_call["args"]
    if message.tool_calls:
        return "it called an unknown tool"
    if message.invalid_tool_calls:
        return "the arguments were not valid JSON"
    return _json_object(message.text)


def _json_object(text: str) -> dict[str, Any] | str:
    """Some local servers ignore `tool_choice`; their models then write the object as text."""
    try:
        found = json.loads(_FENCE.sub("", text.strip()))
    except ValueError:
        return "it called no tool"
    return found if isinstance(found, dict) else "it called no tool"


def _storable(text: str) -> str:
    """Without lone surrogates and NUL, which JSON can spell and UTF-8 stores cannot hold."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
