"""OpenAI's client of the app, without retries."""

from collections.abc import AsyncIterator, Callable

import httpx2
import pytest
from fastapi import FastAPI
from openai import AsyncOpenAI


@pytest.fixture
def openai_of() -> Callable[[FastAPI], AsyncOpenAI]:
    def client(app: FastAPI) -> AsyncOpenAI:
        http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app))
        return AsyncOpenAI(base_url="http://test/v1", api_key="any", http_client=http, max_retries=0)

    return client


@pytest.fixture
async def openai(app: FastAPI, openai_of: Callable[[FastAPI], AsyncOpenAI]) -> AsyncIterator[AsyncOpenAI]:
    async with openai_of(app) as client:
        yield client
