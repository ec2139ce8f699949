"""Reads one answer of a model, whole or streamed, in any server's format. Callers get prose without reasoning, tool
calls with an object of arguments, and never a truncated answer: client libraries return those as if complete."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from turnkeep.errors import ModelError, ModelTruncated
from turnkeep.models.faults import TOO_LONG
from turnkeep.models.written import Habit, Prose, arguments_of, calls_in
from turnkeep.texts import printable_in

REASONING_TOKENS = 4_000  # added to the token limit of models that reason within it

_COMPLETE = re.compile(
    r"stop(_sequence|_token|_word)?|eos(_token)?|eot(_token)?|end(_turn|_of_turn|_of_text)?|completed?|finish(ed)?|done"
    r"|tool_(calls?|use)|function_call"
)
_AT_LIMIT = re.compile(r"length|(max|model|context|token)(_output|_completion)?_(tokens?|length|limit)")
_CUT_OFF: Mapping[str, str] = {
    "content_filter": "The provider's content filter cut the answer off.",
    "content_filtered": "The provider's content filter cut the answer off.",
    "guardrail_intervened": "A guardrail of the provider took the answer's place.",
    "model_context_window_exceeded": TOO_LONG,
}
_DONE = re.compile(rb"(?:^|\n)data: ?\[DONE\]")
_LEAST_LETTERS_A_TOKEN = 2


class Reader:
    """`asked` are the arguments of the call that is answered."""

    def __init__(self, asked: Mapping[str, Any], habit: Habit) -> None:
        tools = [tool.get("function") or tool.get("toolSpec") or {} for tool in asked.get("tools") or ()]
        self._names = {str(tool.get("name")) for tool in tools}
        self._limit = asked.get("max_tokens") or asked.get("max_completion_tokens")
        self._prose = Prose(habit, has_tools=bool(tools))
        self._calls: list[Any] = []
        self._ending, self._last_bytes = "", b""
        self._tokens = self._letters = 0

    def whole(self, result: ChatResult) -> ChatResult:
        """Return the result if its answers are complete; a null `finish_reason` means that the server reports none."""
        if not result.generations:
            raise ModelError("The model's answer was empty.")
        for generation in result.generations:
            message = self._seen(generation)
            self._check_ending(is_done=(generation.generation_info or {}).get("finish_reason") == "")
            if isinstance(message.content, str):
                last = self._last(self._prose.see(message.content), has_calls=bool(message.tool_calls))
                message.content, message.tool_calls = last.content, message.tool_calls or last.tool_calls
        return result

    def see(self, chunk: ChatGenerationChunk) -> None:
        """Remove from a chunk the text that cannot be sent yet. Arguments of calls wait until they are complete."""
        message = self._seen(chunk)
        if isinstance(message.content, str):
            message.content = self._prose.see(message.content)
        for piece in getattr(message, "tool_call_chunks", ()):
            self._call_of(piece)["args"] += piece["args"] or ""
            piece["args"] = ""

    def rest(self) -> Iterator[ChatGenerationChunk]:
        """Yield the last chunk of a stream; raise ModelFault unless the answer is complete."""
        if not (self._ending or self._letters):
            raise ModelError("The model's answer was empty or could not be read.")
        self._check_ending(is_done=bool(_DONE.search(self._last_bytes)))
        last = self._last("", has_calls=bool(self._calls))
        if last.content or last.tool_call_chunks:
            yield ChatGenerationChunk(message=last)

    def watch(self, response: Any) -> None:
        """Observe the bytes of an HTTP response: the client library does not expose the end mark of a stream."""
        iter_bytes, aiter_bytes = response.iter_bytes, response.aiter_bytes

        async def awatched() -> AsyncIterator[bytes]:
            async for data in aiter_bytes():
                yield self._see_bytes(data)

        response.iter_bytes, response.aiter_bytes = lambda: map(self._see_bytes, iter_bytes()), awatched

    def _see_bytes(self, data: bytes) -> bytes:
        self._last_bytes = (self._last_bytes + data)[-64:]
        return data

    def _seen(self, generation: ChatGeneration) -> Any:
        message: Any = generation.message
        message.content = printable_in(message.content)
        self._letters += len(message.text)
        info, metadata = generation.generation_info or {}, message.response_metadata
        word = info.get("finish_reason") or metadata.get("stopReason") or metadata.get("status")
        self._ending = str(word).lower() if word and word != "null" else self._ending
        if isinstance(message, AIMessage) and message.usage_metadata:
            self._tokens = message.usage_metadata["output_tokens"]
        return message

    def _call_of(self, piece: ToolCallChunk) -> Any:
        """Return the call that the chunk continues. Some servers use one index for all calls."""
        for call in self._calls:
            if call["index"] == piece["index"] and (not piece["id"] or call["id"] in (None, "", piece["id"])):
                return call
        self._calls.append({**piece, "args": ""})
        return self._calls[-1]

    def _check_ending(self, *, is_done: bool) -> None:
        """Raise ModelTruncated unless the answer is complete. `is_done` counts if the server sends no finish reason and
        the answer is below the token limit."""
        letters = self._letters + sum(len(call["args"]) for call in self._calls)
        is_short = not self._limit or (self._tokens or letters // _LEAST_LETTERS_A_TOKEN) < self._limit
        if _COMPLETE.fullmatch(self._ending) or (is_done and is_short and not self._ending):
            return
        if _AT_LIMIT.fullmatch(self._ending):
            error = ModelTruncated("The answer ran into its token limit.")
            error.at_limit = True
            raise error
        if re.fullmatch(r"\w{1,40}", self._ending):
            new = f"The answer broke off, or its end has a new name: “{self._ending}”."
            raise ModelTruncated(_CUT_OFF.get(self._ending, new))
        raise ModelTruncated("The answer broke off before its end.")

    def _last(self, text: str, *, has_calls: bool) -> AIMessageChunk:
        text += self._prose.rest()
        calls = [tool_call_chunk(args=_as_json(one["args"]), id=one["id"], index=one["index"]) for one in self._calls]
        for at, (name, given) in enumerate(() if has_calls else calls_in(self._prose.tail + text, self._names)):
            calls.append(tool_call_chunk(name=name, args=_as_json(given), id=f"call_{uuid4().hex}", index=at))
            text = ""
        return AIMessageChunk(content=text, tool_call_chunks=calls)


def _as_json(arguments: Any) -> str:
    """Return the JSON of an object. LangChain rejects any other text, and would complete a truncated object."""
    found = arguments_of(arguments)
    return f"not an object: {arguments}" if found is None else json.dumps(found)


def plain_calls(message: Mapping[str, Any], *, is_whole: bool) -> list[Any]:
    """Return the tool calls of a wire message as the client library expects them. Streamed text stays unchanged."""
    calls = [*(message.get("tool_calls") or ())]
    if old := message.get("function_call"):
        calls.append({"id": f"call_{uuid4().hex}" if is_whole else None, "function": old})
    for at, call in enumerate(calls):
        function = {**(call.get("function") or {})}
        given = function.get("arguments")
        if is_whole or not isinstance(given, str | None):
            function["arguments"] = _as_json(given)
        index = at if call.get("index") is None else call["index"]
        calls[at] = {**call, "index": index, "function": function}
    return calls
