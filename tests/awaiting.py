"""Waits for what another task or process does."""

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

PATIENCE_SECONDS, PAUSE_SECONDS = 60, 0.01


async def until(holds: Callable[[], Any]) -> None:
    """Return once the condition, which may be asynchronous, is true. Raise TimeoutError if it never is."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (await found if isawaitable(found := holds()) else found):
            await asyncio.sleep(PAUSE_SECONDS)
