"""A ChatOpenAI that rejects truncated and unreadable answers; loaded only by deployments that use it.
langchain-openai 1.7.3 accepts `length`, `content_filter` and streams without an end mark, and leaks parser errors."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from turnkeep.errors import ModelError
from turnkeep.models.answer_reader import REASONING_TOKENS, Reader, plain_calls
from turnkeep.models.faults import as_fault
from turnkeep.models.outgoing import outgoing
from turnkeep.models.written import Habit
from turnkeep.settings import SecretSource, Settings

LONGEST_WAIT_SECONDS = 5
NO_KEY = "unused"  # for servers without keys: the client library requires one

_REASONING_MODEL = re.compile(r"o\d|gpt-(?:5|6)(?!.*chat)")
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_reader: ContextVar[Reader] = ContextVar("reader")


def openai_chat(name: str, settings: Settings) -> ChatOpenAI:
    """Return the model `name` at `settings.openai_base_url`. Every call fetches the key, again if it is rejected.
    Connections are not reused, because each belongs to an event loop that may end before the next call."""
    hooks = _Hooks(settings.key_source)
    return CheckedChatOpenAI(
        model=name,
        base_url=settings.openai_base_url,
        api_key=hooks.key,
        timeout=settings.models.timeout_seconds,
        stream_chunk_timeout=settings.models.timeout_seconds,
        max_retries=settings.models.max_retries,
        stream_usage=True,
        default_headers={"Connection": "close"},
        http_client=openai.DefaultHttpxClient(verify=_trust(), event_hooks={"response": [hooks.see]}),
        http_async_client=openai.DefaultAsyncHttpxClient(verify=_trust(), event_hooks={"response": [hooks.asee]}),
    )


@cache
def _trust() -> SSLContext:
    """Read the certificates once: each reading takes 12 ms of a cold start."""
    return httpx.create_ssl_context()


class CheckedChatOpenAI(ChatOpenAI):
    """Raises ModelFault, and nothing else, for any failure of a call."""

    _habit: Habit = PrivateAttr(default_factory=Habit)

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with self._model_faults():
            return self._new_reader(kwargs).whole(super()._generate(*args, **kwargs))

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with self._model_faults():
            return self._new_reader(kwargs).whole(await super()._agenerate(*args, **kwargs))

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        reader = self._new_reader(kwargs)
        with self._model_faults():
            for chunk in super()._stream(*args, **kwargs):
                reader.see(chunk)
                yield chunk
        yield from reader.rest()

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        reader = self._new_reader(kwargs)
        with self._model_faults():
            async for chunk in super()._astream(*args, **kwargs):
                reader.see(chunk)
                yield chunk
        for last in reader.rest():
            yield last

    def _new_reader(self, asked: Mapping[str, Any]) -> Reader:
        reader = Reader(asked, self._habit)
        _reader.set(reader)
        return reader

    @contextmanager
    def _model_faults(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            raise ModelError("The model's answer could not be read.") from error
        except (openai.OpenAIError, OSError) as error:
            raise as_fault(error) or ModelError("The connection to the model's server failed.") from error

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """Normalise tool calls, and keep a streamed refusal, which the library drops."""
        deltas = [choice.get("delta") or {} for choice in chunk.get("choices") or []]
        for delta in deltas:
            delta["tool_calls"] = plain_calls(delta, is_whole=False)
        converted = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        refusal = next((delta["refusal"] for delta in deltas if delta.get("refusal")), None)
        if converted and refusal:
            _show_refusal(converted.message, refusal)
        return converted

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        for choice in getattr(response, "choices", None) or ():
            sent = choice.message.model_dump(include={"tool_calls", "function_call"}, warnings=False)
            choice.message.tool_calls = plain_calls(sent, is_whole=True)
        result = super()._create_chat_result(response, generation_info)
        for generation in result.generations:
            if refusal := generation.message.additional_kwargs.get("refusal"):
                _show_refusal(generation.message, refusal)
        return result

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        payload = outgoing(payload)
        if _REASONING_MODEL.match(self.model_name):  # it rejects a temperature, and reasons within the token limit
            payload.pop("temperature", None)
            for limit in payload.keys() & {"max_completion_tokens", "max_output_tokens"}:
                payload[limit] += REASONING_TOKENS
        host = urlsplit(self.openai_api_base or "").hostname or "api.openai.com"
        if not host.endswith(("openai.com", "openai.azure.com")) and "max_completion_tokens" in payload:
            payload["max_tokens"] = payload.pop("max_completion_tokens")  # other servers know only the older name
        return payload


def _show_refusal(message: BaseMessage, refusal: str) -> None:
    """Copy the refusal into the text, so that every client displays it."""
    if not message.content:
        message.content = refusal
    message.additional_kwargs["refusal"] = refusal


class _Hooks:
    """Provides the API key, and marks which responses the client library retries."""

    def __init__(self, source: SecretSource) -> None:
        self._source = source

    def key(self) -> str:
        return self._source("") or NO_KEY

    def see(self, response: Any) -> None:
        """Do not retry after a Retry-After that would use up the run's time. Retry if the key was just replaced."""
        if reader := _reader.get(None):
            reader.watch(response)
        wait = response.headers.get("retry-after", "0")
        if not wait.isdigit() or int(wait) > LONGEST_WAIT_SECONDS:
            response.headers["x-should-retry"] = "false"
        elif response.status_code == 401:
            rejected = response.request.headers.get("authorization", "").removeprefix("Bearer ")
            if rejected and self._source(rejected) not in ("", rejected):
                response.headers["x-should-retry"] = "true"

    async def asee(self, response: Any) -> None:
        if response.status_code == 401:
            await asyncio.to_thread(self.see, response)  # fetching a new key may block
        else:
            self.see(response)
