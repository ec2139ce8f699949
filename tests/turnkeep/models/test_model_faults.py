from typing import Any

import pytest
from langchain_core.exceptions import OutputParserException
from langgraph.errors import GraphRecursionError

from turnkeep.errors import ModelBusy, ModelError, ModelTimeout, ModelTruncated, Superseded, TurnkeepError
from turnkeep.models.faults import as_fault


def library_error(module: str, name: str, **fields: Any) -> Exception:
    """An exception of a library that need not be installed."""
    error: Exception = type(name, (Exception,), {"__module__": module, **fields})("secret upstream text")
    return error


KNOWN = [
    (library_error("anthropic", "RateLimitError"), ModelBusy),
    (library_error("openai", "APIStatusError", status_code=503), ModelBusy),
    (library_error("anthropic", "APIStatusError", status_code=529), ModelBusy),
    (library_error("httpx", "ReadTimeout"), None),
    (library_error("langchain_openai.chat_models", "StreamChunkTimeoutError"), ModelTimeout),
    (library_error("openai", "LengthFinishReasonError"), ModelTruncated),
    (OutputParserException("secret upstream text"), ModelError),
    (GraphRecursionError("secret upstream text"), ModelError),
    (ValueError("No generation chunks were returned"), ModelError),
]


@pytest.mark.parametrize(("error", "expected"), KNOWN)
def test_a_library_error_is_named_without_its_text(error: Exception, expected: type[TurnkeepError] | None) -> None:
    fault = as_fault(error)
    assert type(fault) is (expected or type(None))
    assert "secret" not in str(fault)


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("x"), TimeoutError(), RuntimeError("x")])
def test_an_error_of_the_graph_itself_is_no_model_fault(error: Exception) -> None:
    assert as_fault(error) is None


def test_an_error_of_another_library_with_a_known_name_is_no_model_fault() -> None:
    assert as_fault(library_error("redis.exceptions", "AuthenticationError")) is None


def test_an_error_of_our_own_stays_itself() -> None:
    error = Superseded()
    assert as_fault(error) is error


def test_a_recursion_error_says_that_the_agent_did_not_end() -> None:
    fault = as_fault(GraphRecursionError("x"))
    assert fault is not None
    assert "did not come to an end" in (fault.detail or "")


def test_a_context_that_llama_cpp_names_too_long_is_named_so() -> None:
    error = library_error("openai", "BadRequestError", status_code=400, type="exceed_context_size_error")
    fault = as_fault(error)
    assert fault is not None
    assert fault.detail == "The conversation is longer than the model can read."
