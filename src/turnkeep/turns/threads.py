"""Threads for the synchronous store. They are separate because blocking nodes fill those of the event loop."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = ThreadPoolExecutor(32, thread_name_prefix="store")  # for turns and for background runs


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    run = functools.partial(copy_context().run, call, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, run)


def monotonic() -> float:
    """Return the running event loop's time in seconds, `time.monotonic` unless the loop has another clock."""
    return asyncio.get_running_loop().time()


async def looks(pause: float, until: float) -> AsyncIterator[None]:
    """Yield now, and after growing pauses of at most two seconds while the next one ends by `until`."""
    while True:
        yield
        if monotonic() + pause > until:
            return
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 2.0)
