"""Reads a message: one typed call, limited to valid values."""

from typing import Literal

from pydantic import BaseModel, Field

from turnkeep.models.calls import TypedCall

MOST_SEARCHES = 3
MOST_CHARACTERS = 500  # of a search or a standalone question


class Reading(BaseModel):
    """What the message asks."""

    question: str = Field(min_length=1)
    kind: Literal["question", "conversation"]
    searches: list[str]
    breadth: Literal["few", "many"]
    years: list[int]
    language: str
    reason: str = Field(description="of the score, a few words")
    score: int = Field(ge=0, le=100)


READ_CALL = TypedCall("papers.read", Reading, max_tokens=500)


def checked(reading: Reading, message: str) -> Reading:
    """Return the reading within its limits: without a search, the question itself is the search."""
    question = reading.question.strip()[:MOST_CHARACTERS] or message[:MOST_CHARACTERS]
    searches = [search.strip()[:MOST_CHARACTERS] for search in reading.searches if search.strip()]
    return reading.model_copy(update={"question": question, "searches": searches[:MOST_SEARCHES] or [question]})
