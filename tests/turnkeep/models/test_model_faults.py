from typing import Any

import httpx
import pytest
from langchain_core.exceptions import OutputParserException
from langgraph.errors import GraphRecursionError
from langgraph_sdk.errors import UnprocessableEntityError

from turnkeep.errors import ModelBusy, ModelError, ModelFault, ModelTimeout, ModelTruncated, Superseded
from turnkeep.models.faults import as_fault


def library_error(module: str, name: str, **fields: Any) -> Exception:
    """An exception of a library that need not be installed."""
    error: Exception = type(name, (Exception,), {"__module__": module, **fields})("secret upstream text")
    return error


TOO_LONG = library_error("openai", "BadRequestError", status_code=400, type="exceed_context_size_error")  # llama.cpp's
KNOWN = [
    (library_error("anthropic", "RateLimitError"), ModelBusy, ""),
    (library_error("openai", "APIStatusError", status_code=503), ModelBusy, ""),
    (library_error("anthropic", "APIStatusError", status_code=529), ModelBusy, ""),
    (library_error("langchain_openai.chat_models", "StreamChunkTimeoutError"), ModelTimeout, ""),
    (library_error("openai", "LengthFinishReasonError"), ModelTruncated, ""),
    (OutputParserException("secret upstream text"), ModelError, ""),
    (GraphRecursionError("secret upstream text"), ModelError, "did not come to an end"),
    (ValueError("No generation chunks were returned"), ModelError, ""),
    (TOO_LONG, ModelError, "longer than the model can read"),
]


@pytest.mark.parametrize(("error", "expected", "detail"), KNOWN)
def test_a_library_error_becomes_its_fault_without_its_text(
    error: Exception, expected: type[ModelFault], detail: str
) -> None:
    fault = as_fault(error)
    assert isinstance(fault, ModelFault)
    assert type(fault) is expected
    assert detail in (fault.detail or "")
    assert "secret" not in f"{fault} {fault.detail}"


UNKNOWN = [library_error("redis.exceptions", "AuthenticationError"), library_error("httpx", "ReadTimeout")]
ASKED_IN_A_NODE = httpx.Response(422, request=httpx.Request("POST", "http://api/runs"))
UNKNOWN += [UnprocessableEntityError("secret", response=ASKED_IN_A_NODE, body=None)]


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), TimeoutError(), RuntimeError("x"), *UNKNOWN])
def test_errors_of_the_graph_and_of_other_libraries_are_not_model_faults(error: Exception) -> None:
    assert as_fault(error) is None
    ours = Superseded()
    assert as_fault(ours) is ours
