"""The size of an answer. Lambda refuses one of more than 6,291,556 bytes, counted as it sends it: our body as a string
in JSON of its own. The caller would get a 502 for every try, so `JsonRoute` refuses what is over ANSWER_BYTES."""

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel

from turnkeep.api.sse import compact
from turnkeep.errors import AnswerTooLarge

View = TypeVar("View")

ANSWER_BYTES = 5_000_000
PART_BYTES = 4_900_000
"""What the turns, states or items of an answer may take. The rest is for what the answer holds besides."""


def answered_bytes(body: bytes) -> int:
    """Return the length of a body in Lambda's answer: quotes, backslashes and line ends are escaped in it."""
    return len(body) + sum(body.count(escaped) for escaped in (b'"', b"\\", b"\n"))


def size_of(view: Any) -> int:
    """Return the length of one view in Lambda's answer, counted as JSON."""
    text = view.model_dump_json(exclude_unset=True) if isinstance(view, BaseModel) else compact(view)
    return answered_bytes(text.encode(errors="replace"))


def check_size(body: bytes) -> None:
    """Raise AnswerTooLarge for a body over ANSWER_BYTES."""
    if 2 * len(body) > ANSWER_BYTES < answered_bytes(body):
        raise AnswerTooLarge


def fitting(views: Iterable[View]) -> tuple[list[View], bool]:
    """Return the first views that fit into one answer, at least one, and whether others are left. Makes no more of them
    than it needs to know that."""
    taken: list[View] = []
    size = 0
    for view in views:
        size += size_of(view)
        if taken and size > PART_BYTES:
            return taken, True
        taken.append(view)
    return taken, False
