"""A ChatBedrockConverse that rejects truncated and unreadable answers. Requires the extra `bedrock`; uses no API key.
LangChain runs its calls in threads: a cancelled call ends with the next chunk or the timeout."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from botocore.eventstream import ParserError
from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, NoRegionError, ReadTimeoutError
from botocore.parsers import ResponseParserError
from langchain_aws import ChatBedrockConverse
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as SocketTimeout

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated
from turnkeep.models.answer_reader import REASONING_TOKENS, Reader
from turnkeep.models.faults import RETRY_AFTER_SECONDS, TOO_LONG
from turnkeep.models.outgoing import outgoing
from turnkeep.models.written import Habit
from turnkeep.settings import Settings

_REASONING_MODEL = re.compile(r"openai\.gpt-|deepseek\.r1")
_FAILED = "The call to Bedrock failed ({})."

_BUSY = ("throttlingexception", "serviceunavailableexception", "modelnotreadyexception")
_UNREADABLE = (ParserError, ResponseParserError, ValueError, LookupError, TypeError, AttributeError)


def bedrock_chat(name: str, settings: Settings) -> ChatBedrockConverse:
    """Return model or inference profile `name` in this process's region; raise ModelError if no region is set."""
    config = Config(
        connect_timeout=5,
        read_timeout=settings.models.timeout_seconds,
        retries={"mode": "standard", "total_max_attempts": settings.models.max_retries + 1},
    )
    make: Callable[..., Any] = boto3.Session().client
    try:
        client = make("bedrock-runtime", config=config)
    except NoRegionError:
        raise ModelError("Bedrock needs a region: set AWS_REGION.") from None
    client.meta.events.register("provide-client-params.bedrock-runtime", lambda params, **_: outgoing(params))
    return CheckedChatBedrock(model_id=name, client=client, bedrock_client=client)


class CheckedChatBedrock(ChatBedrockConverse):
    """Raises ModelFault, and nothing else, for any failure of a call. Its messages, which may be stored, have no HTTP
    headers of the answer."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with self._model_faults():
            result = super()._generate(*args, **self._adapted(kwargs))
        for generation in result.generations:
            generation.message.response_metadata.pop("ResponseMetadata", None)
        return Reader(kwargs, Habit()).whole(result)

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        reader = Reader(kwargs, Habit())
        with self._model_faults():
            for chunk in super()._stream(*args, **self._adapted(kwargs)):
                chunk.message.response_metadata.pop("ResponseMetadata", None)
                reader.see(chunk)
                yield chunk
        yield from reader.rest()

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: dict[str, Any] | str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Use the strictest tool choice that the model supports; with a weaker one, an answer may contain no call."""
        known, choice = self.supports_tool_choice_values or (), tool_choice
        wanted = next(iter(choice)) if isinstance(choice, dict) else choice if choice in ("auto", "any") else "tool"
        if choice is not None and wanted not in known:
            choice = next((weaker for weaker in ("any", "auto") if weaker in known), None)
        return super().bind_tools(tools, tool_choice=choice, **kwargs)

    def _adapted(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Drop the JSON schema: few models support it, and the prompt repeats it. Add reasoning to the token limit."""
        adapted = {name: value for name, value in kwargs.items() if name != "response_format"}
        if _REASONING_MODEL.search(self.model_id) and adapted.get("max_tokens"):
            adapted["max_tokens"] += REASONING_TOKENS
        return adapted

    @contextmanager
    def _model_faults(self) -> Iterator[None]:
        try:
            yield
        except (BotoCoreError, ClientError, HTTPError, OSError, *_UNREADABLE) as error:
            raise _fault_of(error) from error


def _fault_of(error: Exception) -> ModelFault:
    match error:
        case ContextOverflowError():
            return ModelError(TOO_LONG)
        case ClientError():
            return _fault_of_answer(error)
        case ConnectTimeoutError() | ReadTimeoutError() | SocketTimeout():
            return ModelTimeout()
        case ConnectionError():  # the class that langchain-aws raises
            return ModelTruncated("The answer broke off before its end.")
        case BotoCoreError() | HTTPError() | OSError():
            return ModelError(_FAILED.format(type(error).__name__))
    return ModelError("The model's answer could not be read.")


def _fault_of_answer(error: ClientError) -> ModelFault:
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")  # absent for an event of a stream
    if code.lower() == "modeltimeoutexception":  # events of a stream begin their codes with a small letter
        return ModelTimeout()
    is_busy = code.lower() in _BUSY or status in (429, 503)
    return ModelBusy(retry_after=RETRY_AFTER_SECONDS) if is_busy else ModelError(_FAILED.format(code))
