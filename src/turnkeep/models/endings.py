"""How a model says that its answer is complete. Client libraries hand a broken-off answer on as if it were whole; what
passes here has come to its proper end, and is text that can be stored and shown."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from turnkeep.errors import ModelError, ModelTruncated
from turnkeep.texts import printable_in

BROKEN_CALL = "broken_call"
"""Stands in the `additional_kwargs` of a message whose tool call had arguments that were no JSON, which LangChain mends
by leaving out what it cannot read."""

REASONING_TOKENS = 4_000
"""What a call's token limit grows by for a model that thinks within it."""


@dataclass(frozen=True)
class Endings:
    """The endings of one provider: those of whole answers, the one at the token limit, and what to say of those that
    were cut off. `read` finds the ending of an answer, or of a piece of it."""

    read: Callable[[ChatGeneration], str | None]
    whole: frozenset[str]
    at_limit: str
    cut_off: Mapping[str, str]

    def check(self, ending: str | None) -> None:
        """Raises ModelTruncated unless it is that of a whole answer."""
        if ending not in self.whole:
            detail = self.cut_off.get(ending or "", "The answer broke off before its end.")
            raise ModelTruncated(detail, at_limit=ending == self.at_limit)

    def checked(self, result: ChatResult) -> ChatResult:
        """The result, if all its answers are whole."""
        if not result.generations:
            raise ModelError("The model's answer was empty.")
        for generation in result.generations:
            self.check(self.read(generation))
            generation.message.content = printable_in(generation.message.content)
        return result


class StreamEnd:
    """Watches one stream for its end."""

    def __init__(self, endings: Endings) -> None:
        self._endings = endings
        self._ending: str | None = None
        self._is_empty = True
        self._arguments: dict[int | str | None, str] = {}

    def see(self, chunk: ChatGenerationChunk) -> None:
        self._is_empty = False
        chunk.message.content = printable_in(chunk.message.content)
        self._ending = self._endings.read(chunk) or self._ending
        for piece in getattr(chunk.message, "tool_call_chunks", ()):
            at = piece["index"]
            self._arguments[at] = self._arguments.get(at, "") + (piece["args"] or "")

    def notes(self) -> Iterator[ChatGenerationChunk]:
        """A last piece that tells where a tool call is broken."""
        if not all(map(_is_json, filter(None, self._arguments.values()))):
            yield ChatGenerationChunk(message=AIMessageChunk(content="", additional_kwargs={BROKEN_CALL: True}))

    def check(self) -> None:
        """Raises ModelFault unless the stream came to the end of a whole answer."""
        if self._is_empty:
            raise ModelError("The model's answer was empty or could not be read.")
        self._endings.check(self._ending)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
