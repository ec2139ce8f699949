"""The demo model: a real chat model (streams, calls tools, reports usage) that answers by rules, offline and
deterministically. Each inner call of an agent has one rule, which works from the parts of the prompt. Without a rule,
the model gives a plain answer to the last message."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from turnkeep.kit.excerpts import cut
from turnkeep.models.calls import inner_call_of
from turnkeep.records import JSON
from turnkeep.tokens import estimate_tokens

Answer: TypeAlias = str | JSON | list[JSON]
Rule: TypeAlias = Callable[[JSON], Answer]
"""Maps the parts of a prompt to the answer: text, the fields of a typed result, or calls of tools, each `{"name": ...,
"args": {...}}`."""

GROUP = "turnkeep.demo"
ASKED_BYTES = 60

_WORD_WITH_SPACE = re.compile(r"\S+\s*|^\s+")
_BY_TYPE: Mapping[str, Any] = {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}, "null": None}


def demo_model(agent: str) -> "DemoChatModel":
    """Return a model with the agent's rules from entry points; without any it gives plain answers."""
    rules: dict[str, Rule] = {"memory.fold": fold}
    for point in entry_points(group=GROUP, name=agent):
        rules |= point.load()()
    return DemoChatModel(rules=rules)


def fold(parts: JSON) -> JSON:
    """Summarise messages that no prompt shows any more: the user's questions, shortened."""
    asked = [cut(one["content"], ASKED_BYTES) for one in parts["conversation"] if one["role"] == "user"]
    return {"messages": f"Asked: {'; '.join(asked) or 'nothing'}", "merged": " ".join(parts["memory"])}


class DemoChatModel(BaseChatModel):
    """`rules` are keyed by inner call; see `calls.py`."""

    rules: Mapping[str, Rule] = Field(default_factory=dict, exclude=True)

    @property
    def _llm_type(self) -> str:
        return "demo"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self._answer(messages, kwargs)
        return ChatResult(generations=[ChatGeneration(message=message)], llm_output={"model_name": "demo"})

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, run_manager, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        whole = self._answer(messages, kwargs)
        for word in _WORD_WITH_SPACE.findall(whole.text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        calls = [
            tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index)
            for index, call in enumerate(whole.tool_calls)
        ]
        last = AIMessageChunk(
            content="",
            tool_call_chunks=calls,
            usage_metadata=whole.usage_metadata,
            response_metadata=whole.response_metadata,
        )
        yield ChatGenerationChunk(message=last)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, **kwargs):
            await asyncio.sleep(0)
            yield chunk

    def _answer(self, messages: list[BaseMessage], kwargs: Mapping[str, Any]) -> AIMessage:
        rule = self.rules.get(inner_call_of(messages) or "")
        tool = _chosen_tool(messages, kwargs)
        if rule:
            answer: Answer = rule(_parts(messages))
        elif tool:
            answer = _arguments(tool, _last_text(messages))
        else:
            answer = _plain_answer(messages)
        return _message(messages, answer, tool)


def _parts(messages: Sequence[BaseMessage]) -> JSON:
    for message in reversed(messages):
        if "parts" in message.additional_kwargs:
            parts: JSON = message.additional_kwargs["parts"]
            return parts
    return {"query": _last_text(messages)}


def _message(messages: Sequence[BaseMessage], answer: Answer, tool: JSON | None) -> AIMessage:
    text = answer if isinstance(answer, str) else ""
    calls = _calls(answer, tool["name"] if tool else "answer", len(messages))
    read = sum(estimate_tokens(message.text) for message in messages)
    written = estimate_tokens(text or json.dumps(answer))
    return AIMessage(
        content=text,
        tool_calls=calls,
        usage_metadata=UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written),
        response_metadata={
            "finish_reason": "tool_calls" if calls else "stop",
            "model_name": "demo",
            "model_provider": "demo",
        },
    )


def _calls(answer: Answer, name: str, turn: int) -> list[ToolCall]:
    """Build tool calls with ids that are unique across the turns of a conversation."""
    if isinstance(answer, str):
        return []
    called = answer if isinstance(answer, list) else [{"name": name, "args": answer}]
    return [tool_call(name=one["name"], args=one["args"], id=f"call_{turn}_{at}") for at, one in enumerate(called)]


def _chosen_tool(messages: Sequence[BaseMessage], kwargs: Mapping[str, Any]) -> JSON | None:
    """Return the tool that the caller forces, else one that the user's last message names."""
    tools: dict[str, JSON] = {tool["function"]["name"]: tool["function"] for tool in kwargs.get("tools") or []}
    choice = kwargs.get("tool_choice")
    if choice in tools:
        return tools[choice]
    if choice in ("any", "required") and tools:
        return next(iter(tools.values()))
    if not messages or not isinstance(messages[-1], HumanMessage):
        return None
    answer = set(re.findall(r"\w+", messages[-1].text.lower()))
    return next((tool for name, tool in tools.items() if set(name.lower().split("_")) <= answer), None)


def _arguments(tool: JSON, text: str) -> JSON:
    """Return arguments that fit the schema of `tool`: the user's text for every text field."""
    schema = tool.get("parameters", {})
    fields: JSON = schema.get("properties", {})
    return {name: _fitting(fields[name], text) for name in schema.get("required", fields) if name in fields}


def _fitting(schema: JSON, text: str) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "minimum" in schema:
        return schema["minimum"]
    return _BY_TYPE.get(schema.get("type", "string"), text)


def _plain_answer(messages: Sequence[BaseMessage]) -> str:
    text = _last_text(messages)
    if messages and isinstance(messages[-1], ToolMessage):
        return f"The result is: {text}"
    return f'You wrote: "{text}"' if text else "There was nothing to answer."


def _last_text(messages: Sequence[BaseMessage]) -> str:
    return messages[-1].text.strip() if messages else ""
