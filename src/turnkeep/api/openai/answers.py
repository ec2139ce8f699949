"""A turn in the words of both wires. Beside them stands the object `turnkeep` with all else that a turn holds: sources,
SQL and rows, warnings, cost. An end that means success leaves only when the turn is kept."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from turnkeep.api.openai.bodies import METADATA_CHARACTERS
from turnkeep.api.views import TurnView
from turnkeep.errors import StoreUnavailable, Unsettled
from turnkeep.records import JSON, Source, Turn

LEASE_SECONDS = 30
_NOT_KEPT = "The reply was written but could not be kept; send the same request again."


def kept(turn: Turn) -> Turn:
    """Raises for a turn that should be kept and is not. These wires have no word for it, and who goes on from it would
    find nothing; of an error OpenAI's own clients try again, and then it is kept, or replayed."""
    wait = LEASE_SECONDS if turn.retry_token else 1  # a turn that waits to be stored holds its thread
    if turn.persisted is None:
        raise Unsettled(retry_after=wait)
    if turn.thread_id and not turn.persisted:
        raise StoreUnavailable(_NOT_KEPT, retry_after=wait)
    return turn


def warned(turn: Turn, warning: str) -> Turn:
    return replace(turn, warnings=(*turn.warnings, warning))


def extension(turn: Turn) -> JSON:
    """The turn as other routes show it, without what the answer says anyway."""
    shown = TurnView.of(turn).bounded().as_json()
    return {name: value for name, value in shown.items() if name not in ("message", "reply")}


def metadata_of(turn: Turn, given: JSON | None) -> JSON:
    """What the client sent, and in short where the turn lies and what there is to know of it."""
    told = {"thread_id": turn.thread_id, "turn": turn.number, "warnings": ", ".join(turn.warnings)}
    short = {f"turnkeep_{name}": str(value)[:METADATA_CHARACTERS] for name, value in told.items() if value}
    return {**(given or {}), **short}


def usage_of(turn: Turn, asked: str, answered: str) -> JSON:
    used = turn.usage
    total = used.input_tokens + used.output_tokens
    return {asked: used.input_tokens, answered: used.output_tokens, "total_tokens": total}


def citations(turn: Turn) -> list[JSON]:
    """Of a Response: a source with a web address is cited there, any other as a file."""
    return [_citation(source, *place) for source in turn.sources for place in _places(source, turn.reply)]


def _citation(source: Source, start: int, end: int) -> JSON:
    if not source.url:
        return {"type": "file_citation", "file_id": source.id, "filename": source.title, "index": end}
    address = {"url": source.url, "title": source.title}
    return {"type": "url_citation", **address, "start_index": start, "end_index": end}


def _places(source: Source, reply: str) -> Iterator[tuple[int, int]]:
    """Where the reply names the source, as "[1706.03762]" or by its address; the end where it is cited without."""
    names = [rf"\[{re.escape(source.id)}\](?!\()", *([re.escape(source.url)] if source.url else [])]
    found = [match.span() for match in re.finditer("|".join(names), reply)]
    yield from found or ([(len(reply), len(reply))] if source.cited else [])


def url_citations(turn: Turn) -> list[JSON]:
    """Of a chat completion, which knows web addresses only."""
    found = [each for each in citations(turn) if each.pop("type") == "url_citation"]
    return [{"type": "url_citation", "url_citation": each} for each in found]


class Draft:
    """The text that a client was shown so far: it is never taken back."""

    def __init__(self) -> None:
        self._text = ""

    def add(self, text: str) -> str:
        self._text += text
        return text

    def rest_of(self, reply: str) -> str:
        """What is still to be shown of the reply; one that is another than was shown follows it as a paragraph."""
        if reply.startswith(self._text):
            return reply[len(self._text) :]
        return f"\n\n{reply}" if self._text.strip() != reply.strip() else ""


def compact(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
