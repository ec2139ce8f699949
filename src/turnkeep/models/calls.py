"""Inner calls: each has a name, limits, and a typed result, tool calls, or text.
An unusable answer is retried once with the reason, as plain JSON if the model seems not to support tools."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ValidationError

from turnkeep.errors import ModelError, ModelFault
from turnkeep.models.faults import is_refused_request
from turnkeep.models.written import calls_in, is_like_a_call, objects_in
from turnkeep.texts import printable_in

R = TypeVar("R", bound=BaseModel)

INNER_CALL = "inner_call"

_UNUSABLE = "The model gave no usable result for the inner call {}."
_TOOLS_IN_PROMPT = """You have these tools: {tools}
Write each call as a JSON object, {{"name": ..., "arguments": {{...}}}}, and nothing else. \
Without a call, answer in prose."""


@dataclass(frozen=True)
class TextCall:
    name: str
    temperature: float
    max_tokens: int
    visible: bool = True


@dataclass(frozen=True)
class TypedCall(Generic[R]):
    """A call that returns a `result`, which the user never sees."""

    name: str
    result: type[R]
    temperature: float = 0.0
    max_tokens: int = 400


@dataclass(frozen=True)
class ToolsCall:
    """A call in which the model may call several of `tools`, or answer in prose, which the user never sees."""

    name: str
    tools: tuple[type[BaseModel], ...]
    temperature: float = 0.0
    max_tokens: int = 500


@dataclass(frozen=True)
class ToolsAnswer:
    """Either valid `calls` in their order, or `text`."""

    calls: tuple[BaseModel, ...]
    text: str = ""


@dataclass(frozen=True)
class TextAnswer:
    """`text` is not empty; a refusal is text with a warning. A state message with `id` is not streamed again."""

    text: str
    id: str
    warnings: tuple[str, ...] = ()

    @property
    def message(self) -> AIMessage:
        return AIMessage(self.text, id=self.id)


async def ask_text(model: BaseChatModel, call: TextCall, messages: Sequence[BaseMessage]) -> TextAnswer:
    """Return the model's prose; raise ModelFault."""
    asked, config, limits = _prepared(call, messages, visible=call.visible)
    message = await model.ainvoke(asked, config, **limits)
    text = message.text.strip()
    if not text:
        raise ModelError("The model's answer was empty.")
    return TextAnswer(text, str(message.id), warnings_of(message))


def warnings_of(message: AIMessage) -> tuple[str, ...]:
    return ("model_refused",) if message.additional_kwargs.get("refusal") else ()


def stream_text(model: BaseChatModel, call: TextCall, messages: Sequence[BaseMessage]) -> AsyncIterator[AIMessage]:
    """Yield pieces of prose, which the caller checks before the user sees them. Raise ModelFault."""
    asked, config, limits = _prepared(call, messages)
    return model.astream(asked, config, **limits)


async def ask_tools(model: BaseChatModel, call: ToolsCall, messages: Sequence[BaseMessage]) -> ToolsAnswer:
    """Return calls or text. Unusable calls are retried once, then dropped. Raise ModelFault, also if there is neither.
    If the server rejects tools, the prompt describes them."""
    tools: list[dict[str, Any]] = [tool_of(tool) for tool in call.tools]
    asked, config, limits = _prepared(call, messages)
    bound = model.bind_tools(tools).bind(**limits)
    try:
        message = await bound.ainvoke(asked, config)
    except ModelFault as fault:
        if not is_refused_request(fault):
            raise
        bound = model.bind(**limits)
        asked.append(HumanMessage(_TOOLS_IN_PROMPT.format(tools=json.dumps([tool["function"] for tool in tools]))))
        message = await bound.ainvoke(asked, config)
    calls, wrong = _read_calls(call.tools, message)
    if wrong:
        complaint = HumanMessage(f"Your calls could not be used: {wrong}. Call again, with valid arguments.")
        message = await bound.ainvoke([*asked, complaint], config)
        again, wrong = _read_calls(call.tools, message)
        calls = again or calls
    text = message.text.strip()
    if not calls and (wrong or not text):
        raise ModelError(_UNUSABLE.format(call.name))
    return ToolsAnswer(tuple(calls), "" if calls else text)


def _read_calls(kinds: Sequence[type[R]], message: AIMessage) -> tuple[list[R], str]:
    """Return the usable calls, and what is wrong with the others. The server parsed them, or the model wrote them as
    text; of a single kind, an object without the name of the tool is a call too."""
    by_name = {kind.__name__: kind for kind in kinds}
    made = [(each["name"], each["args"]) for each in message.tool_calls] or [*calls_in(message.text, by_name)]
    if not made and len(kinds) == 1:
        made = [(kinds[0].__name__, found) for _, found in objects_in(message.text)]
    is_broken = message.invalid_tool_calls or (not made and is_like_a_call(message.text))
    calls, wrong = list[R](), ["the arguments were not valid JSON"] if is_broken else []
    for name, arguments in made:
        if name not in by_name:
            wrong.append(f"there is no tool {name}")
            continue
        try:
            calls.append(by_name[name].model_validate(printable_in(arguments)))
        except ValidationError as error:
            wrong += [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    return calls, "; ".join(wrong)


async def ask_typed(model: BaseChatModel, call: TypedCall[R], messages: Sequence[BaseMessage]) -> R:
    """Return the model's result. Raise ModelFault, also if the result is still unusable after one retry."""
    result = await try_typed(model, call, messages)
    if result is None:
        raise ModelError(_UNUSABLE.format(call.name))
    return result


async def try_typed(model: BaseChatModel, call: TypedCall[R], messages: Sequence[BaseMessage]) -> R | None:
    """Like `ask_typed`, but return None for an unusable result. Raise ModelFault."""
    asked, config, limits = _prepared(call, messages)
    by_tool = model.bind_tools([tool_of(call.result)], tool_choice=call.result.__name__).bind(**limits)
    try:
        first = await by_tool.ainvoke(asked, config)
    except ModelFault as fault:  # often prose instead of a tool call, or a server that rejects tools
        if not fault.at_limit and not is_refused_request(fault):
            raise
        first = AIMessage("")
    results, wrong = _read_calls((call.result,), first)
    if results:
        return results[0]
    if first.tool_calls or first.invalid_tool_calls:
        again, how = by_tool, f"Call {call.result.__name__} once, with valid arguments."
    else:  # local servers enforce a JSON schema where they do not enforce a tool
        schema = tool_of(call.result)["function"]["parameters"]
        form = {"type": "json_schema", "json_schema": {"name": call.result.__name__, "schema": schema}}
        again = model.bind(response_format=form, **limits)
        how = f"Answer with one JSON object and nothing else. It has to fit this schema: {json.dumps(schema)}"
    complaint = HumanMessage(f"Your last answer could not be used: {wrong or 'it called no tool'}. {how}")
    results, _ = _read_calls((call.result,), await again.ainvoke([*asked, complaint], config))
    return next(iter(results), None)


_OMITTED = frozenset({"default", "minItems", "maxItems", "minimum", "maximum", "maxLength", "minLength", "title"})


@cache
def tool_of(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the schema without defaults, bounds and "or null", a fifth of its tokens. Validation keeps them."""
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
    kept = {name: _compact(value) for name, value in schema.items() if name not in _OMITTED and name != "properties"}
    if "properties" in schema:  # a property may be called "title" or "default"
        kept["properties"] = {name: _compact(value) for name, value in schema["properties"].items()}
    return kept


def inner_call_of(messages: Sequence[BaseMessage]) -> str | None:
    """Return the inner call's name from a message: streaming models get no metadata. It is not sent to providers."""
    marks = (message.additional_kwargs.get(INNER_CALL) for message in reversed(messages))
    return next(filter(None, marks), None)


def _prepared(
    call: TextCall | TypedCall[Any] | ToolsCall, messages: Sequence[BaseMessage], *, visible: bool = False
) -> tuple[list[BaseMessage], RunnableConfig, dict[str, Any]]:
    """Return the messages, of which the last names the call, how LangGraph streams it, and its limits."""
    *earlier, last = messages
    marked = last.model_copy(update={"additional_kwargs": {**last.additional_kwargs, INNER_CALL: call.name}})
    config = RunnableConfig(run_name=call.name, tags=[] if visible else [TAG_NOSTREAM])
    return [*earlier, marked], config, {"temperature": call.temperature, "max_tokens": call.max_tokens}
