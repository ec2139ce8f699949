"""Whether a message leans on what was said, and what it says on its own. Rules first: a message that stands alone costs
no model call. Where it does not, or the rules are unsure, a model rewrites it if there is one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, BaseMessage
from pydantic import BaseModel, Field, StringConstraints

from turnkeep.blocks.followups import FollowUp, depends_on_history
from turnkeep.blocks.prompting import ConversationFormatter, PromptBuilder
from turnkeep.blocks.referents import Referents, Thing, Unclear, named, resolve
from turnkeep.blocks.reformulation import standalone_query
from turnkeep.models.calls import TypedCall, try_typed

MOST_CHARACTERS = 1_000  # of a message that are read, and of a standalone query
QUERY_CHARACTERS = 2_000  # with the names that rules put in
LEANS_ON_CHARACTERS = 200  # of the last message, where a query has to show what it goes on from
HISTORY_TOKENS = 2_000
REFORMULATION_FAILED = "reformulation_failed"

READ = """You read the newest message of a conversation. First judge whether it can be understood without the \
conversation. If it cannot, rewrite it so that it can: put in the names, periods and conditions that it takes from \
the conversation, and keep the rest of its wording and its language. Add nothing that nobody said, and answer nothing. \
If it can be understood as it is, repeat it unchanged."""
FOCUS_NOTE = "Spoken of last: {names}."
LISTED_NOTE = "The last list, in its order: {names}."


class Reading(BaseModel):
    """What the message says on its own."""

    depends_on_history: bool = Field(description="true if it cannot be understood without the conversation")
    standalone_query: Annotated[str, StringConstraints(strip_whitespace=True)] = Field(
        min_length=1, max_length=MOST_CHARACTERS, description="the message, rewritten so that it needs no conversation"
    )


POINTS_BACK = "it points at what was spoken of"

READ_CALL = TypedCall("understand.read", Reading)


@dataclass(frozen=True)
class Understood:
    """`standalone_query` is for people and prompts, `search_query` for a retriever. `things` are those that the message
    names or points at; `unclear` is what points at none or several. `reason` is a few words for the ledger."""

    is_follow_up: bool
    reason: str
    standalone_query: str
    search_query: str
    things: tuple[Thing, ...] = ()
    warnings: tuple[str, ...] = ()
    unclear: tuple[Unclear, ...] = ()


async def understand(
    message: str,
    history: Sequence[AnyMessage],
    referents: Referents,
    *,
    window: int,
    model: BaseChatModel | None,
) -> Understood:
    """`history` is what was said before, of which `window` turns count; without `model` rules do all. Of a message over
    1,000 characters the beginning is read. Raises ModelFault."""
    said = message[:MOST_CHARACTERS]
    asked, replies = (_newest(history, who, window) for who in ("human", "ai"))
    found = depends_on_history(said, asked, replies=replies)
    by_rules = _by_rules(said, asked, referents, found)
    if model is None or (found.is_sure and not by_rules.is_follow_up):
        return by_rules
    reading = await try_typed(model, READ_CALL, _prompt(said, history, referents, window))
    if reading is None:
        return replace(by_rules, warnings=(REFORMULATION_FAILED,))
    return _by_model(said, reading, by_rules, referents)


def _newest(history: Sequence[AnyMessage], who: str, window: int) -> list[str]:
    texts = [str(earlier.text) for earlier in history if earlier.type == who]
    return texts[max(0, len(texts) - window) :]


def _by_rules(said: str, asked: Sequence[str], referents: Referents, found: FollowUp) -> Understood:
    resolved = resolve(said, referents)
    things, unclear = resolved.things, resolved.unclear
    if resolved.replaced:
        query = resolved.text[:QUERY_CHARACTERS]
        return Understood(True, POINTS_BACK, query, standalone_query(query, asked), things, unclear=unclear)
    if asked and unclear:
        found = FollowUp(True, POINTS_BACK)
    elif things and not found.is_sure:
        found = FollowUp(False, "it names what it asks about", is_sure=False)
    if not found.is_follow_up:
        search = said if found.is_sure or things else standalone_query(said, asked)
        return Understood(False, found.reason, said, search, things, unclear=unclear)
    focus = [thing["name"] for thing in referents["focus"]]
    search = "\n".join([standalone_query(said, asked), *focus])
    return Understood(True, found.reason, _leaning(said, focus, asked), search, things, unclear=unclear)


def _leaning(said: str, focus: Sequence[str], asked: Sequence[str]) -> str:
    """The message with what it goes on from in brackets."""
    last = [text[:LEANS_ON_CHARACTERS].strip() for text in asked[-1:]]
    context = "; ".join([*([", ".join(focus)] if focus else []), *filter(None, last)])
    return f"{said} ({context})" if context else said


def _by_model(said: str, reading: Reading, by_rules: Understood, referents: Referents) -> Understood:
    if not reading.depends_on_history:
        return Understood(False, "the model says that it stands alone", said, said, named(said, referents))
    query = by_rules.standalone_query if reading.standalone_query == said else reading.standalone_query
    things = named(query, referents) or by_rules.things
    unclear = tuple(phrase for phrase in by_rules.unclear if not phrase.things)
    reason = by_rules.reason if by_rules.is_follow_up else "the model says that it goes on"
    return Understood(True, reason, query, query, things, unclear=unclear)


def _prompt(said: str, history: Sequence[AnyMessage], referents: Referents, window: int) -> list[BaseMessage]:
    prompt = PromptBuilder(READ).with_conversation(ConversationFormatter(window, HISTORY_TOKENS), history)
    return prompt.with_notes(_notes(referents)).with_query(said, label="Message").messages()


def _notes(referents: Referents) -> list[str]:
    focus = "; ".join(thing["name"] for thing in referents["focus"])
    listed = "; ".join(f"{place}. {thing['name']}" for place, thing in enumerate(referents["listed"], 1))
    notes = [FOCUS_NOTE.format(names=focus)] if focus else []
    return [*notes, LISTED_NOTE.format(names=listed)] if listed else notes
