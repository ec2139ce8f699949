"""The size of responses. Lambda turns a body of more than 6,291,556 bytes, as a JSON string, into a 502. `JsonRoute`
therefore rejects more than ANSWER_BYTES."""

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel

from turnkeep.errors import AnswerTooLarge
from turnkeep.http.sse import compact

View = TypeVar("View")

ANSWER_BYTES = 5_000_000
PART_BYTES = 4_900_000  # of turns, states or items; the rest is for other fields


def answered_bytes(body: bytes) -> int:
    """Return the length of a body in Lambda's response, where quotes, backslashes and line ends are escaped."""
    return len(body) + sum(body.count(escaped) for escaped in (b'"', b"\\", b"\n"))


def size_of(view: Any) -> int:
    """Return the length of one view in Lambda's response."""
    text = view.model_dump_json(exclude_unset=True) if isinstance(view, BaseModel) else compact(view)
    return answered_bytes(text.encode(errors="replace"))


def check_size(body: bytes) -> None:
    if 2 * len(body) > ANSWER_BYTES < answered_bytes(body):
        raise AnswerTooLarge


def fitting(views: Iterable[View]) -> tuple[list[View], bool]:
    """Return the first views that fit into one response, at least one, and whether any are left."""
    taken: list[View] = []
    size = 0
    for view in views:
        size += size_of(view)
        if taken and size > PART_BYTES:
            return taken, True
        taken.append(view)
    return taken, False
