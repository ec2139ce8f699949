"""Reading of a message: one typed call, checked by code. Misspelt names become the nearest ones; unknown names are left
out, and the ranking of tables stands in."""

from collections.abc import Collection, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from turnkeep.models.calls import TypedCall
from turnkeep_agents.database.joins.naming import nearest_names

Route: TypeAlias = Literal["sql", "rag", "general"]
Kind = Literal["sql", "more_rows", "manual", "about_conversation", "change", "general"]
ROUTES: Mapping[str, Route] = {"sql": "sql", "more_rows": "sql", "manual": "rag"}  # others are general
TALK = frozenset({"about_conversation", "change", "general"})
Name = Annotated[str, Field(max_length=80)]


class Ask(BaseModel):
    """One thing that the message asks."""

    kind: Kind
    question: str = Field(max_length=4_200)  # a whole message, as prompts show it
    goes_on: bool
    words: list[Name] = Field(max_length=20)
    tables: list[Name] = Field(max_length=20)
    pages: list[Name] = Field(max_length=10)
    rows: Literal["first", "next", "previous", "all"] = Field(description="for more_rows; else first")


class Reading(BaseModel):
    """What the newest message asks."""

    language: Name = Field(description="of the newest message, as ISO 639-1: it")
    asks: list[Ask] = Field(min_length=1, max_length=3)


READ_CALL = TypedCall("database.read", Reading, max_tokens=900)


def check(reading: Reading, *, tables: Collection[str], pages: Collection[str], has_shown: bool) -> Reading:
    """Return the reading with existing names. `has_shown`: whether there is a result to continue from."""
    asks = []
    for ask in reading.asks:
        known = {
            "kind": "about_conversation" if ask.kind == "more_rows" and not has_shown else ask.kind,
            "tables": nearest_names(ask.tables, tables),
            "pages": nearest_names((page.partition("#")[0] for page in ask.pages), pages),
            "goes_on": ask.goes_on and has_shown,
        }
        asks.append(ask.model_copy(update=known))
    return reading.model_copy(update={"asks": asks})
