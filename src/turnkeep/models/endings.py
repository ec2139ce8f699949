"""How an answer ended. Client libraries pass truncated answers on as if they were complete; these checks do not."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from turnkeep.errors import ModelError, ModelTruncated
from turnkeep.texts import printable_in

BROKEN_CALL = "broken_call"  # in `additional_kwargs` if a call's JSON was invalid: LangChain drops what it cannot read

REASONING_TOKENS = 4_000  # added to the token limit of models that reason within it


@dataclass(frozen=True)
class Endings:
    """One provider's endings: complete, at the token limit, and details for those cut off. `read` finds one."""

    read: Callable[[ChatGeneration], str | None]
    whole: frozenset[str]
    at_limit: str
    cut_off: Mapping[str, str]

    def check(self, ending: str | None) -> None:
        """Raise ModelTruncated unless it is the ending of a complete answer."""
        if ending not in self.whole:
            detail = self.cut_off.get(ending or "", "The answer broke off before its end.")
            raise ModelTruncated(detail, at_limit=ending == self.at_limit)

    def checked(self, result: ChatResult) -> ChatResult:
        """Return the result if all its answers are complete."""
        if not result.generations:
            raise ModelError("The model's answer was empty.")
        for generation in result.generations:
            self.check(self.read(generation))
            generation.message.content = printable_in(generation.message.content)
        return result


class StreamEnd:
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
        """Yield a last piece that marks a broken tool call."""
        if not all(map(_is_json, filter(None, self._arguments.values()))):
            yield ChatGenerationChunk(message=AIMessageChunk(content="", additional_kwargs={BROKEN_CALL: True}))

    def check(self) -> None:
        """Raise ModelFault unless the stream ended with a complete answer."""
        if self._is_empty:
            raise ModelError("The model's answer was empty or could not be read.")
        self._endings.check(self._ending)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
