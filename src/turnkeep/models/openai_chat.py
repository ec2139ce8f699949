"""A ChatOpenAI that rejects unfinished and unreadable answers. Loaded only by deployments that use it.
langchain-openai 1.7.3 accepts `length`, `content_filter` and streams that merely end, and leaks parser errors."""

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

from turnkeep.errors import ModelError, ModelFault
from turnkeep.locations import SecretSource
from turnkeep.models.endings import REASONING_TOKENS
from turnkeep.models.faults import as_fault
from turnkeep.models.outgoing import outgoing
from turnkeep.models.reader import Reader, plain_calls
from turnkeep.models.written import Habit
from turnkeep.settings import Settings

LONGEST_WAIT_SECONDS = 5
NO_KEY = "unused"  # for servers without keys: the client library requires one

_REASONING_MODEL = re.compile(r"o\d|gpt-(?:5|6)(?!.*chat)")
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_reader: ContextVar[Reader] = ContextVar("reader")


def openai_chat(name: str, settings: Settings) -> ChatOpenAI:
    """Return the model `name` at `settings.openai_base_url`. Every call asks for the key, again if it is refused.
    Connections are not kept, because each belongs to an event loop that may end before the next call."""
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
        with self._watched():
            return self._answer(kwargs).whole(super()._generate(*args, **kwargs))

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with self._watched():
            return self._answer(kwargs).whole(await super()._agenerate(*args, **kwargs))

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        answer = self._answer(kwargs)
        with self._watched():
            for chunk in super()._stream(*args, **kwargs):
                answer.see(chunk)
                yield chunk
        yield from answer.rest()

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        answer = self._answer(kwargs)
        with self._watched():
            async for chunk in super()._astream(*args, **kwargs):
                answer.see(chunk)
                yield chunk
        for last in answer.rest():
            yield last

    def _answer(self, asked: Mapping[str, Any]) -> Reader:
        reader = Reader(asked, self._habit)
        _reader.set(reader)
        return reader

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except ModelFault:
            raise
        except _UNREADABLE as error:
            raise ModelError("The model's answer could not be read.") from error
        except (openai.OpenAIError, OSError) as error:
            raise as_fault(error) or ModelError("The connection to the model's server failed.") from error

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """Make calls plain, and keep a streamed refusal, which the library drops."""
        deltas = [choice.get("delta") or {} for choice in chunk.get("choices") or []]
        for delta in deltas:
            delta["tool_calls"] = plain_calls(delta, is_whole=False)
        converted = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        refusal = next((delta["refusal"] for delta in deltas if delta.get("refusal")), None)
        if converted and refusal:
            _speak_refusal(converted.message, refusal)
        return converted

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        """Make calls plain, and copy refusals into the text."""
        for choice in getattr(response, "choices", None) or ():
            sent = choice.message.model_dump(include={"tool_calls", "function_call"}, warnings=False)
            choice.message.tool_calls = plain_calls(sent, is_whole=True)
        result = super()._create_chat_result(response, generation_info)
        for generation in result.generations:
            if refusal := generation.message.additional_kwargs.get("refusal"):
                _speak_refusal(generation.message, refusal)
        return result

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        return _suited(outgoing(payload), self.model_name, self.openai_api_base)


def _suited(payload: dict[str, Any], model: str, base_url: str | None) -> dict[str, Any]:
    """Reasoning models take no temperature and reason within the token limit; other servers use its older name."""
    if _REASONING_MODEL.match(model):
        payload.pop("temperature", None)
        for limit in payload.keys() & {"max_completion_tokens", "max_output_tokens"}:
            payload[limit] += REASONING_TOKENS
    host = urlsplit(base_url or "").hostname or "api.openai.com"
    if not host.endswith(("openai.com", "openai.azure.com")) and "max_completion_tokens" in payload:
        payload["max_tokens"] = payload.pop("max_completion_tokens")
    return payload


def _speak_refusal(message: BaseMessage, refusal: str) -> None:
    """Copy the refusal into the text, so that every client sees it."""
    if not message.content:
        message.content = refusal
    message.additional_kwargs["refusal"] = refusal


class _Hooks:
    """Gives the client library its key, and marks which answers to retry."""

    def __init__(self, source: SecretSource) -> None:
        self._source = source

    def key(self) -> str:
        return self._source("") or NO_KEY

    def see(self, response: Any) -> None:
        """Never retry after a Retry-After that would use up the run's time; retry if the key was just replaced."""
        if reader := _reader.get(None):
            reader.watch(response)
        wait = response.headers.get("retry-after", "0")
        if not wait.isdigit() or int(wait) > LONGEST_WAIT_SECONDS:
            response.headers["x-should-retry"] = "false"
        elif response.status_code == 401 and self._is_replaced(response.request.headers.get("authorization", "")):
            response.headers["x-should-retry"] = "true"

    async def asee(self, response: Any) -> None:
        if response.status_code == 401:
            await asyncio.to_thread(self.see, response)  # a new key may come from afar
        else:
            self.see(response)

    def _is_replaced(self, authorization: str) -> bool:
        refused = authorization.removeprefix("Bearer ")
        return bool(refused) and self._source(refused) not in ("", refused)
