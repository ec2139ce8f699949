"""LangGraph's own suite for checkpointers, base and extended, on DynamoDB Local."""

import functools
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from langgraph.checkpoint.conformance.initializer import RegisteredCheckpointer
from langgraph.checkpoint.conformance.report import ProgressCallbacks
from langgraph.checkpoint.conformance.validate import validate
from saver_graphs import Open

SUITES = ("put", "put_writes", "get_tuple", "list", "delete_thread", "delete_for_runs", "copy_thread", "prune")


@pytest.mark.parametrize("open_saver", ["without botocore's layers", "through botocore"], indirect=True)
@pytest.mark.parametrize("suite", SUITES)
async def test_langgraphs_conformance_suite_passes(open_saver: Open, suite: str) -> None:
    async def factory() -> AsyncGenerator[Any]:
        yield open_saver()

    results: list[tuple[str, bool, str | None]] = []
    heard = ProgressCallbacks(on_test_result=functools.partial(lambda kept, _, *result: kept.append(result), results))
    await validate(RegisteredCheckpointer("ours", factory), capabilities={suite}, progress=heard)
    assert results
    assert [result for result in results if not result[1]] == []
