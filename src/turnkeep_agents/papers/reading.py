"""How a message is understood: one typed call, held to its bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, Field

from turnkeep.blocks.documents import Document
from turnkeep.blocks.prompting import ConversationFormatter, Message, PromptBuilder
from turnkeep.models.calls import TypedCall
from turnkeep_agents.papers import prompts
from turnkeep_agents.papers.corpus import Collection

HISTORY_TOKENS = 1_000
MOST_SEARCHES = 3
MOST_CHARACTERS = 500  # of a search or a standalone question


class Reading(BaseModel):
    """What the message asks."""

    question: str = Field(min_length=1)
    kind: Literal["question", "conversation"]
    searches: list[str]
    language: str
    reason: str = Field(description="of the score, a few words")
    score: int = Field(ge=0, le=100)


READ_CALL = TypedCall("papers.read", Reading, max_tokens=500)


@dataclass(frozen=True)
class Heard:
    """What the reading is shown of the thread: `cited` are papers of earlier replies, the newest first."""

    message: str
    history: Sequence[Message]
    cited: Sequence[Document]
    window: int
    now: datetime


def prompt(collection: Collection, threshold: int, heard: Heard) -> list[BaseMessage]:
    system = prompts.READ.format(
        field=collection.field, count=collection.count, titles=prompts.titled(collection.titles), threshold=threshold
    )
    built = PromptBuilder(system).with_conversation(ConversationFormatter(heard.window, HISTORY_TOKENS), heard.history)
    if heard.cited:
        built.with_note(prompts.CITED.format(papers="; ".join(f"[{one.id}] {one.title}" for one in heard.cited)))
    built.with_note(prompts.TODAY.format(date=f"{heard.now:%Y-%m-%d}"))
    return built.with_query(heard.message, label="Message").messages()


def checked(reading: Reading, message: str) -> Reading:
    """The reading within its bounds: a question is searched for by its own words where no search was named."""
    question = reading.question.strip()[:MOST_CHARACTERS] or message[:MOST_CHARACTERS]
    searches = [search.strip()[:MOST_CHARACTERS] for search in reading.searches if search.strip()]
    return reading.model_copy(update={"question": question, "searches": searches[:MOST_SEARCHES] or [question]})
