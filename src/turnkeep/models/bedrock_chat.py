"""A ChatBedrockConverse that rejects unfinished and unreadable answers. It needs the extra `bedrock` and no key.
LangChain runs its calls in threads; a cancelled one ends with the model's next word or its time-out."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, TypeAlias

import boto3
from botocore.config import Config
from botocore.eventstream import ParserError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    ReadTimeoutError,
)
from botocore.parsers import ResponseParserError
from langchain_aws import ChatBedrockConverse
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from urllib3.exceptions import HTTPError
from urllib3.exceptions import TimeoutError as SocketTimeout

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated
from turnkeep.models.endings import REASONING_TOKENS
from turnkeep.models.faults import RETRY_AFTER_SECONDS, TOO_LONG
from turnkeep.models.outgoing import outgoing_messages
from turnkeep.models.reader import Reader
from turnkeep.models.written import Habit
from turnkeep.settings import Settings

CONNECT_SECONDS = 5

_REASONING_MODEL = re.compile(r"openai\.gpt-|deepseek\.r1")
_NO_ACCESS = (
    "This deployment may not invoke its model on Bedrock: its role needs bedrock:InvokeModel, its account access."
)
_NO_CREDENTIALS = "AWS does not accept the credentials of this deployment, or there are none."
_UNKNOWN = "Bedrock does not know the model of this deployment in its region."
_REFUSED = "Bedrock refused the request."
_FAILED = "The connection to Bedrock failed."
_UNREADABLE = "The model's answer could not be read."

_Fault: TypeAlias = tuple[type[ModelFault], str | None]

_BY_CODE: Mapping[str, _Fault] = {  # codes in lower case: stream events begin theirs with a small letter
    "throttlingexception": (ModelBusy, None),
    "serviceunavailableexception": (ModelBusy, None),
    "modelnotreadyexception": (ModelBusy, None),
    "modeltimeoutexception": (ModelTimeout, None),
    "accessdeniedexception": (ModelError, _NO_ACCESS),
    "resourcenotfoundexception": (ModelError, _UNKNOWN),
    "validationexception": (ModelError, _REFUSED),
    "unrecognizedclientexception": (ModelError, _NO_CREDENTIALS),
    "expiredtokenexception": (ModelError, _NO_CREDENTIALS),
    "invalidsignatureexception": (ModelError, _NO_CREDENTIALS),
}

_BY_CLASS: Mapping[tuple[type[Exception], ...], _Fault] = {  # the first match counts
    (ConnectTimeoutError, ReadTimeoutError, SocketTimeout): (ModelTimeout, None),
    (NoCredentialsError, CredentialRetrievalError): (ModelError, _NO_CREDENTIALS),
    (ParamValidationError,): (ModelError, _REFUSED),
    (BotoCoreError, HTTPError): (ModelError, _FAILED),
    (ConnectionError,): (ModelTruncated, "The answer broke off before its end."),  # the class that langchain-aws raises
    (OSError,): (ModelError, _FAILED),
    (ParserError, ResponseParserError, ValueError, LookupError, TypeError, AttributeError): (ModelError, _UNREADABLE),
}

_CAUGHT: tuple[type[Exception], ...] = (ClientError, *chain(*_BY_CLASS))


def bedrock_chat(name: str, settings: Settings) -> ChatBedrockConverse:
    """Return model or inference profile `name` in this process's region; raise ModelError if no region is set."""
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=settings.models.timeout_seconds,
        retries={"mode": "standard", "total_max_attempts": settings.models.max_retries + 1},
    )
    make: Callable[..., Any] = boto3.Session().client
    try:
        client = make("bedrock-runtime", config=config)
    except NoRegionError:
        raise ModelError("Bedrock needs a region: set AWS_REGION.") from None
    return CheckedChatBedrock(model_id=name, client=client, bedrock_client=client)


class CheckedChatBedrock(ChatBedrockConverse):
    """Raises ModelFault, and nothing else, for any failure of a call."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        with self._watched():
            result = super()._generate(outgoing_messages(messages), *args, **self._suited(kwargs))
        for generation in result.generations:
            _forget_transport(generation.message)
        return Reader(kwargs, Habit()).whole(result)

    def _stream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        answer = Reader(kwargs, Habit())
        with self._watched():
            for chunk in super()._stream(outgoing_messages(messages), *args, **self._suited(kwargs)):
                _forget_transport(chunk.message)
                answer.see(chunk)
                yield chunk
        yield from answer.rest()

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: dict[str, Any] | str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Ask for a tool as firmly as the model supports; a weaker choice may return something else."""
        return super().bind_tools(tools, tool_choice=self._understood(tool_choice), **kwargs)

    def _understood(self, choice: dict[str, Any] | str | None) -> dict[str, Any] | str | None:
        known = self.supports_tool_choice_values or ()
        wanted = next(iter(choice)) if isinstance(choice, dict) else choice if choice in ("auto", "any") else "tool"
        if choice is None or wanted in known:
            return choice
        return next((weaker for weaker in ("any", "auto") if weaker in known), None)

    def _suited(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Drop the JSON schema: few models support it, and the prompt repeats it. Add reasoning to the limit."""
        suited = {name: value for name, value in kwargs.items() if name != "response_format"}
        if _REASONING_MODEL.search(self.model_id) and suited.get("max_tokens"):
            suited["max_tokens"] += REASONING_TOKENS
        return suited

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except ModelFault:
            raise
        except _CAUGHT as error:
            raise _fault_of(error) from error


def _fault_of(error: Exception) -> ModelFault:
    if isinstance(error, ContextOverflowError):
        return ModelError(TOO_LONG)
    if isinstance(error, ClientError):
        kind, detail = _answered(error)
    else:
        kind, detail = next(fault for known, fault in _BY_CLASS.items() if isinstance(error, known))
    return kind(detail, retry_after=RETRY_AFTER_SECONDS if kind is ModelBusy else None)


def _answered(error: ClientError) -> _Fault:
    code = str(error.response.get("Error", {}).get("Code", "")).lower()
    return _BY_CODE.get(code) or (ModelBusy if _status(error) in (429, 503) else ModelError, None)


def _status(error: ClientError) -> int:
    """Return the HTTP status, 0 for an event of a stream."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _forget_transport(message: BaseMessage) -> None:
    """Drop the HTTP headers of the answer: the message may be stored."""
    message.response_metadata.pop("ResponseMetadata", None)
