"""Runs a graph of plain functions in one thread. Asynchronously, LangGraph sends each node to a thread, with tasks and
queues around it. This module alone uses names that LangGraph keeps private; without them, graphs run asynchronously."""

import asyncio
import functools
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeAlias, cast

from langchain_core.runnables.config import run_in_executor
from langgraph.config import get_config
from langgraph.graph import START
from langgraph.runtime import RunControl, Runtime

from turnkeep.graphs.own import AnyGraph

with suppress(ImportError):
    from langgraph._internal._constants import CONFIG_KEY_RUNTIME, CONFIG_KEY_STREAM
    from langgraph._internal._runnable import RunnableCallable
    from langgraph.pregel._messages import StreamMessagesHandler
    from langgraph.pregel._tools import StreamToolCallHandler
    from langgraph.pregel.protocol import StreamProtocol

Part: TypeAlias = tuple[tuple[str, ...], str, Any]  # namespace, mode and data, as LangGraph streams them

HAS_NAMES = "StreamProtocol" in globals()
_THREADS = ThreadPoolExecutor(32, thread_name_prefix="graph")


def is_blocking(graph: AnyGraph) -> bool:
    """Return whether all nodes and choices between nodes are plain functions."""
    branches = getattr(getattr(graph, "builder", None), "branches", None)
    if not HAS_NAMES or branches is None or graph.step_timeout is not None:
        return False
    nodes = [node for name, node in graph.nodes.items() if name != START]
    choices = [choice.path for choices in branches.values() for choice in choices.values()]
    is_timed = any(node.timeout or node.cache_policy for node in nodes)
    return not is_timed and all(map(_is_plain, [*(node.bound for node in nodes), *choices]))


def _is_plain(runnable: Any) -> bool:
    """Return whether LangGraph would send this function to a thread."""
    if type(runnable) is not RunnableCallable or runnable.func is None:
        return False
    later = runnable.afunc
    return later is None or (isinstance(later, functools.partial) and later.func is run_in_executor)


async def stream(
    graph: AnyGraph, given: Any, *, config: Any, modes: Collection[str], **more: Any
) -> AsyncIterator[Part]:
    """Yield what `graph.astream` yields with these modes and `subgraphs`. When it is closed, the graph ends where its
    next node would begin."""
    loop, parts, news, control = asyncio.get_running_loop(), deque[Part](), asyncio.Event(), RunControl()

    def take(part: Part) -> None:
        parts.append(part)
        if not news.is_set():
            loop.call_soon_threadsafe(news.set)

    def run() -> None:
        into = _with_sink(graph, config, modes, take) if modes else config
        deque(graph.stream(given, into, stream_mode=[], control=control, **more), maxlen=0)

    def end(done: "asyncio.Future[None]") -> None:
        if not done.cancelled():
            done.exception()  # retrieved, or asyncio would report it if this was closed before
        news.set()

    done = loop.run_in_executor(_THREADS, copy_context().run, run)
    done.add_done_callback(end)
    try:
        while not done.done() or parts:
            await news.wait()
            news.clear()
            while parts:
                yield parts.popleft()
        await done
    finally:
        control.request_drain("no one reads the stream any more")
        done.cancel()


def _with_sink(graph: AnyGraph, config: Any, modes: Collection[str], take: Callable[[Part], None]) -> Any:
    """Return the config with a sink for events, as LangGraph passes it from a graph to the graphs inside it."""

    def write(data: Any) -> None:
        if "custom" in modes:
            take((tuple(get_config()["configurable"]["checkpoint_ns"].split("|")[:-1]), "custom", data))

    sink = {
        CONFIG_KEY_STREAM: StreamProtocol(take, cast(Any, {*modes})),
        CONFIG_KEY_RUNTIME: Runtime(stream_writer=write, store=graph.store),
    }
    kinds = {"messages": StreamMessagesHandler, "tools": StreamToolCallHandler}
    handlers = [kind(take, True, parent_ns=()) for mode, kind in kinds.items() if mode in modes]
    return {**config, "callbacks": [*config["callbacks"], *handlers], "configurable": config["configurable"] | sink}
