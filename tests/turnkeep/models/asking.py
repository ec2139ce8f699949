"""A model at the test's own server, and its answer in each mode."""

import asyncio
from typing import Any

from pydantic import SecretStr
from wire import WireServer

from turnkeep.models.chat import chat_models
from turnkeep.settings import Settings
from turnkeep.tuning import ModelTuning

MODES = ["invoke", "ainvoke", "stream", "astream"]
CLAUDE = "us.anthropic.claude-haiku-4-5-20251001-v1:0"


def settings_of(server: WireServer, *, key: str = "k", timeout_seconds: float = 15, max_retries: int = 0) -> Settings:
    tuning = ModelTuning(timeout_seconds=timeout_seconds, max_retries=max_retries)
    secret = SecretStr(key)
    return Settings(model="openai:m", openai_base_url=server.base_url, openai_api_key=secret, models=tuning)


def model_of(server: WireServer, **more: Any) -> Any:
    return chat_models(settings_of(server, **more), "papers").main


def bedrock(name: str = CLAUDE, *, timeout_seconds: float = 15, max_retries: int = 0) -> Any:
    """At the server that AWS_ENDPOINT_URL_BEDROCK_RUNTIME names."""
    tuning = ModelTuning(timeout_seconds=timeout_seconds, max_retries=max_retries)
    return chat_models(Settings(model=f"bedrock:{name}", models=tuning), "papers").main


async def asked(model: Any, mode: str, messages: Any = "hello") -> str:
    """The text of its answer."""
    match mode:
        case "invoke":
            return str((await asyncio.to_thread(model.invoke, messages)).text)
        case "ainvoke":
            return str((await model.ainvoke(messages)).text)
        case "stream":
            return await asyncio.to_thread(lambda: "".join(chunk.text for chunk in model.stream(messages)))
        case _:
            return "".join([chunk.text async for chunk in model.astream(messages)])
