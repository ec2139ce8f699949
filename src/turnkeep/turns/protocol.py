"""A run in LangGraph's streaming protocol, version 2: messages as content blocks, and the lifecycle of the run."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, TypeAlias

from langchain_core.language_models._compat_bridge import achunks_to_events
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from turnkeep.records import JSON
from turnkeep.turns.request import INTERRUPT
from turnkeep.turns.wire import MESSAGES_TUPLE

Shown: TypeAlias = tuple[str, list[str], Any]  # method, namespace, data


class ProtocolEvents:
    """Converts the events of a run of the graph `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: dict[tuple[str, ...], _Blocks] = {}
        self._asked: dict[str, Shown] = {}

    def begin(self) -> Iterator[Shown]:
        """Begin an attempt, and discard what is left of an earlier one."""
        yield from self._abandon("The run begins again.")
        self._asked.clear()
        yield self._lifecycle("running")

    def part(self, mode: str, namespace: list[str], data: Any) -> Iterator[Shown]:
        """Convert an output of the graph. Questions are kept until they are stored, and can be answered."""
        if mode == MESSAGES_TUPLE:
            yield from self._message(namespace, *data)
        elif mode == "updates" and INTERRUPT in data:
            for each in data[INTERRUPT]:
                asked = {"interrupt_id": each["id"], "payload": each["value"], "value": each["value"]}
                self._asked.setdefault(each["id"], ("input.requested", namespace, asked))  # the inner graph first
        elif mode == "values" and isinstance(data, dict):
            yield from self._finished(tuple(namespace))
            yield mode, namespace, {name: value for name, value in data.items() if name != INTERRUPT}
        else:
            yield mode, namespace, data

    def end(self, event: str) -> Iterator[Shown]:
        for inner in {key[:-1] for key in self._open}:
            yield from self._finished(inner)
        yield from self._asked.values()
        yield self._lifecycle(event)

    def _abandon(self, why: str) -> Iterator[Shown]:
        yield from (("messages", [*key[:-1]], {"event": "error", "message": why}) for key in self._open)
        self.close()

    def close(self) -> None:
        for blocks in self._open.values():
            blocks.close()
        self._open.clear()

    def fail(self, event: str, why: str) -> Iterator[Shown]:
        yield from self._abandon(why)
        yield self._lifecycle(event, error=why)

    def _lifecycle(self, event: str, **more: str) -> Shown:
        return "lifecycle", [], {"event": event, "graph_name": self._name, **more}

    def _message(self, namespace: list[str], message: JSON, metadata: JSON) -> Iterator[Shown]:
        """Convert what a model writes, in pieces or as a whole. Other messages are only in the values."""
        is_whole = message["type"] == "ai" and "ls_model_type" in metadata
        if not is_whole and message["type"] != "AIMessageChunk":
            return
        key = (*namespace, str(message.get("id")))
        blocks = self._open.setdefault(key, _Blocks(key[-1]))
        piece = message | {"type": "AIMessageChunk", "chunk_position": None}  # else it is taken for a whole message
        yield from (("messages", namespace, each) for each in blocks.add(piece))
        if is_whole or message.get("chunk_position") == "last":
            yield from self._finish(key)

    def _finished(self, namespace: tuple[str, ...]) -> Iterator[Shown]:
        for key in [key for key in self._open if key[:-1] == namespace]:
            yield from self._finish(key)

    def _finish(self, key: tuple[str, ...]) -> Iterator[Shown]:
        yield from (("messages", [*key[:-1]], each) for each in self._open.pop(key).add(None))


class _Blocks:
    """Content blocks of one message, by LangChain's own conversion, which is driven one piece at a time."""

    def __init__(self, message_id: str) -> None:
        self._pieces = deque[ChatGenerationChunk | None]()
        self._events = achunks_to_events(self._source(), message_id=message_id)
        self._next: Any = None

    def add(self, piece: JSON | None) -> Iterator[Mapping[str, Any]]:
        """Yield the events of the next piece, or of the end."""
        message = AIMessageChunk.model_validate(piece) if piece else None
        self._pieces.append(ChatGenerationChunk(message=message) if message else None)
        while True:
            self._next = self._next or anext(self._events)
            try:
                self._next.send(None)
            except StopIteration as event:
                self._next = None
                yield event.value
            except StopAsyncIteration:
                return
            else:
                return  # it waits for a piece

    def close(self) -> None:
        if self._next:
            self._next.close()

    async def _source(self) -> AsyncIterator[ChatGenerationChunk]:
        while True:
            while not self._pieces:
                await asyncio.sleep(0)
            if (piece := self._pieces.popleft()) is None:
                return
            yield piece
