"""Inner calls: each has a name, its own limits, and a typed result, several tool calls, or text. What cannot be used is
asked for once more with the reason, and a typed result as plain JSON where the server or its model seems to know no
tools. Calls that the user should not see carry LangGraph's tag for that."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeAlias, TypeVar

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ValidationError

from turnkeep.errors import ModelError, ModelFault, ModelTruncated
from turnkeep.models.endings import BROKEN_CALL
from turnkeep.models.faults import is_refused_request
from turnkeep.texts import printable_in

R = TypeVar("R", bound=BaseModel)


INNER_CALL = "inner_call"
MODEL_REFUSED = "model_refused"

Asked: TypeAlias = Runnable[LanguageModelInput, AIMessage]

_WRAPPING = re.compile(r"^(?:```\w*\n|<tool_call>)|(?:\n```|</tool_call>)$")


@dataclass(frozen=True)
class TextCall:
    """A call whose answer is prose."""

    name: str
    temperature: float
    max_tokens: int
    visible: bool = True


@dataclass(frozen=True)
class TypedCall(Generic[R]):
    """A call whose answer is a `result`; the user never sees it."""

    name: str
    result: type[R]
    temperature: float = 0.0
    max_tokens: int = 400


@dataclass(frozen=True)
class ToolsCall:
    """A call in which the model may call several of `tools`, or answer in prose; the user never sees it."""

    name: str
    tools: tuple[type[BaseModel], ...]
    temperature: float = 0.0
    max_tokens: int = 500


@dataclass(frozen=True)
class ToolsAnswer:
    """Either `calls`, valid ones in their order, or `text`."""

    calls: tuple[BaseModel, ...]
    text: str = ""


@dataclass(frozen=True)
class TextAnswer:
    """`text` is never empty; a refusal of the model is text too, with a warning.
    `id` is that of the streamed message: a state message with it is not streamed again."""

    text: str
    id: str
    warnings: tuple[str, ...] = ()

    @property
    def message(self) -> AIMessage:
        """The answer as it belongs into the state."""
        return AIMessage(self.text, id=self.id)


async def ask_text(model: BaseChatModel, call: TextCall, messages: Sequence[BaseMessage]) -> TextAnswer:
    """The model's prose; raises ModelFault."""
    config = _config(call.name, visible=call.visible)
    message = await model.ainvoke(
        _marked(messages, call.name), config, temperature=call.temperature, max_tokens=call.max_tokens
    )
    text = message.text.strip()
    if not text:
        raise ModelError("The model's answer was empty.")
    return TextAnswer(text, str(message.id), warnings_of(message))


def warnings_of(message: AIMessage) -> tuple[str, ...]:
    """Codes for what its reader should know of an answer."""
    return (MODEL_REFUSED,) if message.additional_kwargs.get("refusal") else ()


async def stream_text(
    model: BaseChatModel, call: TextCall, messages: Sequence[BaseMessage]
) -> AsyncIterator[AIMessage]:
    """The pieces of the model's prose as they come, for whoever checks them before the user sees them. Raises
    ModelFault."""
    config = _config(call.name, visible=False)
    asked = _marked(messages, call.name)
    async for piece in model.astream(asked, config, temperature=call.temperature, max_tokens=call.max_tokens):
        yield piece


async def ask_tools(model: BaseChatModel, call: ToolsCall, messages: Sequence[BaseMessage]) -> ToolsAnswer:
    """What the model calls or says; calls that cannot be used are asked for once more, then left out. Raises
    ModelFault, for an answer without calls and text as well."""
    bound = model.bind_tools([tool_of(tool) for tool in call.tools])
    bound = bound.bind(temperature=call.temperature, max_tokens=call.max_tokens)
    asked, config = _marked(messages, call.name), _config(call.name, visible=False)
    message = await bound.ainvoke(asked, config)
    calls, wrong = _read_calls(call.tools, message)
    if wrong:
        complaint = HumanMessage(f"Your calls could not be used: {wrong}. Call again, with valid arguments.")
        message = await bound.ainvoke([*asked, complaint], config)
        again, _ = _read_calls(call.tools, message)
        calls = again or calls
    text = message.text.strip()
    if not calls and not text:
        raise ModelError(f"The model gave no usable result for the inner call {call.name}.")
    return ToolsAnswer(tuple(calls), "" if calls else text)


def _read_calls(tools: Sequence[type[BaseModel]], message: AIMessage) -> tuple[list[BaseModel], str]:
    """The calls that can be used, and what is wrong with the others."""
    by_name = {tool.__name__: tool for tool in tools}
    is_broken = message.invalid_tool_calls or message.additional_kwargs.get(BROKEN_CALL)
    calls: list[BaseModel] = []
    wrong = ["the arguments were not valid JSON"] if is_broken else []
    for each in message.tool_calls:
        try:
            calls.append(by_name[each["name"]].model_validate(printable_in(each["args"])))
        except KeyError:
            wrong.append(f"there is no tool {each['name']}")
        except ValidationError as error:
            wrong.append(_faults(error))
    return calls, "; ".join(wrong)


def _faults(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


async def ask_typed(model: BaseChatModel, call: TypedCall[R], messages: Sequence[BaseMessage]) -> R:
    """The model's result; raises ModelFault, after one repair also for a result that cannot be used."""
    result = await try_typed(model, call, messages)
    if result is None:
        raise ModelError(f"The model gave no usable result for the inner call {call.name}.")
    return result


async def try_typed(model: BaseChatModel, call: TypedCall[R], messages: Sequence[BaseMessage]) -> R | None:
    """The same for a caller that can do without: None for a result that cannot be used. Raises ModelFault."""
    asked, config = _marked(messages, call.name), _config(call.name, visible=False)
    by_tool = _by_tool(model, call)
    first = await _first_answer(by_tool, asked, config)
    result = _read(call.result, first)
    if isinstance(result, call.result):
        return result
    knows_tools = bool(first.tool_calls or first.invalid_tool_calls)
    again = by_tool if knows_tools else _by_schema(model, call)
    how = f"Call {call.result.__name__} once, with valid arguments." if knows_tools else _in_words(call.result)
    complaint = HumanMessage(f"Your last answer could not be used: {result}. {how}")
    result = _read(call.result, await again.ainvoke([*asked, complaint], config))
    return result if isinstance(result, call.result) else None


async def _first_answer(bound: Asked, asked: list[BaseMessage], config: RunnableConfig) -> AIMessage:
    """An empty answer stands for one that ran into its limit, which is what prose in place of a tool call often comes
    to, and for a request that the server refused, which is what some do with tools."""
    try:
        return await bound.ainvoke(asked, config)
    except ModelFault as fault:
        is_at_limit = isinstance(fault, ModelTruncated) and fault.at_limit
        if not is_at_limit and not is_refused_request(fault):
            raise
    return AIMessage("")


def _by_tool(model: BaseChatModel, call: TypedCall[R]) -> Asked:
    bound = model.bind_tools([tool_of(call.result)], tool_choice=call.result.__name__)
    return bound.bind(temperature=call.temperature, max_tokens=call.max_tokens)


def _by_schema(model: BaseChatModel, call: TypedCall[R]) -> Asked:
    """Servers of local models hold a model to a schema that they would not hold to a tool."""
    schema = {"name": call.result.__name__, "schema": _schema_of(call.result)}
    form = {"type": "json_schema", "json_schema": schema}
    return model.bind(response_format=form, temperature=call.temperature, max_tokens=call.max_tokens)


def _in_words(kind: type[BaseModel]) -> str:
    return f"Answer with one JSON object and nothing else. It has to fit this schema: {json.dumps(_schema_of(kind))}"


def _schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    schema: dict[str, Any] = tool_of(kind)["function"]["parameters"]
    return schema


_IDLE = frozenset({"default", "minItems", "maxItems", "minimum", "maximum", "maxLength", "minLength", "title"})


@cache
def tool_of(kind: type[BaseModel]) -> dict[str, Any]:
    """The schema without what a model does not need to fill it, a fifth of its tokens: defaults, bounds, "or null".
    Validation keeps them."""
    tool = convert_to_openai_tool(kind)
    tool["function"]["parameters"] = _compact(tool["function"]["parameters"])
    return tool


def _compact(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_compact(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(kinds) == 1:
        return _compact({**kinds[0], **{name: value for name, value in schema.items() if name != "anyOf"}})
    kept = {name: _compact(value) for name, value in schema.items() if name not in _IDLE and name != "properties"}
    if "properties" in schema:  # whose names may be those of what is left out
        kept["properties"] = {name: _compact(value) for name, value in schema["properties"].items()}
    return kept


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


def _read(kind: type[R], message: AIMessage) -> R | str:
    """The result in `message`, or why there is none."""
    arguments = _arguments(kind.__name__, message)
    if isinstance(arguments, str):
        return arguments
    try:
        return kind.model_validate(printable_in(arguments))
    except ValidationError as error:
        return _faults(error)


def _arguments(name: str, message: AIMessage) -> dict[str, Any] | str:
    if message.additional_kwargs.get("refusal"):
        return "it was a refusal"
    if message.additional_kwargs.get(BROKEN_CALL):
        return "the arguments were not valid JSON"
    for tool_call in message.tool_calls:
        if tool_call["name"] == name:
            return tool_call["args"]
    if message.tool_calls:
        return "it called an unknown tool"
    if message.invalid_tool_calls:
        return "the arguments were not valid JSON"
    return _json_object(name, message.text)


def _json_object(name: str, text: str) -> dict[str, Any] | str:
    """Some local servers ignore `tool_choice`; their models then write the object, or the whole call, as text."""
    try:
        found = json.loads(_WRAPPING.sub("", text.strip()))
    except ValueError:
        return "it called no tool"
    if not isinstance(found, dict):
        return "it called no tool"
    arguments = found.get("arguments", found.get("parameters")) if found.get("name") == name else None
    return arguments if isinstance(arguments, dict) else found
