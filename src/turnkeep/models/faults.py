"""Maps exceptions of model and graph libraries to faults, without the text of the original exception.
Classes are matched by name, so no library is imported here and a missing one costs nothing."""

from collections.abc import Mapping

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated, TurnkeepError

RETRY_AFTER_SECONDS = 5  # if the server does not send a time
TOO_LONG = "The conversation is longer than the model can read."

_FAULTS: Mapping[str, tuple[type[ModelFault], str | None]] = {
    **dict.fromkeys(
        ("APITimeoutError", "StreamChunkTimeoutError", "ModelTimeoutError", "TimeoutException"), (ModelTimeout, None)
    ),
    **dict.fromkeys(("RateLimitError", "ModelRateLimitError"), (ModelBusy, None)),
    "LengthFinishReasonError": (ModelTruncated, "The answer ran into its token limit."),
    "ContentFilterFinishReasonError": (ModelTruncated, "The provider's content filter cut the answer off."),
    "OutputParserException": (ModelError, "The model's answer did not have the form that was asked for."),
    "AuthenticationError": (ModelError, "The model's server does not accept the API key of this deployment."),
    "PermissionDeniedError": (ModelError, "The API key of this deployment may not use this model."),
    "NotFoundError": (ModelError, "The model's server does not know the model of this deployment."),
    **dict.fromkeys(
        ("OpenAIContextOverflowError", "OpenAIAPIContextOverflowError", "ContextOverflowError"), (ModelError, TOO_LONG)
    ),
    "BadRequestError": (ModelError, "The model's server refused the request."),
    "APIConnectionError": (ModelError, "The connection to the model's server failed."),
    "TransportError": (ModelError, "A connection that the agent needs failed."),
    "GraphRecursionError": (ModelError, "The agent did not come to an end within its steps."),
    **dict.fromkeys(("OpenAIError", "AnthropicError", "ModelError", "HTTPError"), (ModelError, None)),
}


def as_fault(error: BaseException) -> TurnkeepError | None:
    """Return the fault for `error`, None if no model or graph library raised it."""
    if isinstance(error, TurnkeepError):
        return error
    if isinstance(error, ValueError) and str(error).startswith("No generation chunks were returned"):
        return ModelError("The model's answer was empty or could not be read.")
    return _of_library(error) if _is_from_library(type(error)) else None


def _of_library(error: BaseException) -> ModelFault | None:
    if getattr(error, "status_code", None) in (429, 503, 529):
        if getattr(error, "code", None) == "insufficient_quota":
            return ModelError("The model account of this deployment has no quota left.")
        headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
        seconds = headers.get("retry-after", "")
        return ModelBusy(retry_after=int(seconds) if seconds.isascii() and seconds.isdigit() else RETRY_AFTER_SECONDS)
    if getattr(error, "type", None) == "exceed_context_size_error":  # llama.cpp's; it has no class of its own
        return ModelError(TOO_LONG)
    for kind in type(error).__mro__:
        if kind.__name__ in _FAULTS and _is_from_library(kind):
            fault, detail = _FAULTS[kind.__name__]
            made = fault(detail)
            made.at_limit = kind.__name__ == "LengthFinishReasonError"
            return made
    return None


def is_refused_request(fault: ModelFault) -> bool:
    """Return whether the server rejected the request, so that one without tools may succeed (httpx or botocore)."""
    answer = getattr(fault.__cause__, "response", None)
    metadata = answer.get("ResponseMetadata", {}) if isinstance(answer, dict) else {}
    status = getattr(fault.__cause__, "status_code", None) or metadata.get("HTTPStatusCode")
    return status in (400, 422) or (status in (404, 500, 501) and "tool" in str(fault.__cause__).lower())


def _is_from_library(kind: type) -> bool:
    """Return whether a library defines the class or a base of it. LangGraph's SDK calls servers, not models."""
    modules = [base.__module__ for base in kind.__mro__]
    libraries = ("openai", "anthropic", "langchain", "langgraph", "httpx", "httpcore")
    return any(name.startswith(libraries) for name in modules) and not modules[0].startswith("langgraph_sdk")
