"""The app with the agents of word_graph.py, and LangGraph's SDK."""

from collections.abc import Callable

import pytest
from fastapi import FastAPI
from httpx import AsyncClient
from langgraph_sdk.client import LangGraphClient
from word_graph import word_agent


@pytest.fixture
def app(make_app: Callable[..., FastAPI]) -> FastAPI:
    return make_app(agent_of=word_agent)


@pytest.fixture
def sdk(client: AsyncClient) -> LangGraphClient:
    return LangGraphClient(client)


@pytest.fixture
async def thread_id(sdk: LangGraphClient) -> str:
    return str((await sdk.threads.create())["thread_id"])
