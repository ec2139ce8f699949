"""What the demo model answers where neither the database nor the manual is asked: small talk, what it can do, sums and
dates. Of the world it claims nothing: a model with a key does that."""

import re
from collections.abc import Callable, Mapping
from datetime import date

from turnkeep_agents.database import prompts
from turnkeep_agents.database.reckoning import reckon, tell_date
from turnkeep_agents.database.signs.smalltalk import SmallTalk, small_talk
from turnkeep.blocks.languages import is_english
from turnkeep.records import JSON

MOST_CHARACTERS = 1_000
LONGEST_DATE = 10  # of an ISO date
NOTHING_HERE = "There is nothing yet that I could answer from: no table that I may read, and no manual."
ONLY_ENGLISH = "I read English only, as long as no model is set."

_DEMO = (
    "I am the demo model: I answer from the database and from the user manual only, by rules. "
    "With a model key, general questions are answered too."
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|heya?o?|hiya|howdy|yo|greetings|good\s+(?:morning|afternoon|evening|day|night)|goodnight)\b"
    r"|^\W*how(?:'s|s|\s+is|'ve|\s+are|\s+have)?\s+(?:it|things|life|you|ya|everything|your)\b",
    re.IGNORECASE,
)
_LEAVE = re.compile(
    r"\b(?:bye|goodbye|good\s?night|farewell|see\s+(?:you|ya)|until\s+next|take\s+care)\b", re.IGNORECASE
)
_THANKS = re.compile(
    r"\b(?:thanks?|thank\s+you|thankful|thx|cheers|appreciate\w*|gratitude|grateful|owe\s+you|big\s+help|much\s+obliged)\b"
    r"|^\W*(?:ok|okay|great|perfect|nice|cool|got\s+it|good|fine|super|all\s+right|alright)\W*$",
    re.IGNORECASE,
)
_ABILITIES = re.compile(
    r"\b(?:what|which|how)\b.{0,40}\b(?:can|could|do|may|are)\b.{0,12}\b(?:you|i)\b.{0,12}"
    r"\b(?:do|help|ask|able|know|answer|offer|capable)\b"
    r"|^\W*(?:help|menu|options|start)\W*$|\bhow\s+do(?:es)?\s+(?:this|you)\s+work\b|\b(?:can|could)\s+you\s+help\b"
    r"|\bask\s+(?:you|the\s+(?:ai|bot|assistant))\b",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:who|what)\s+are\s+you\b|\byour\s+(?:\w+\s+)?(?:name|age|creator|maker|birthday|nickname)\b"
    r"|\bare\s+you\b.{0,30}\b(?:bot|robot|human|person|machine|computer|real|ai|alive|artificial|model)\b"
    r"|\b(?:who|what)\b.{0,30}\b(?:made|built|created|programmed|designed|developed|trained)\s+you\b"
    r"|\bcall\s+you\b|\bhow\s+old\s+are\s+you\b|\byou\b.{0,12}\b(?:bot|robot|human)\b",
    re.IGNORECASE,
)


def general_answer(parts: JSON) -> str:
    """The answer from the question and the notes of a prompt; its figures are reckoned or stand in the notes."""
    question = parts["query"][:MOST_CHARACTERS]
    today = _noted(parts, prompts.TODAY)[:LONGEST_DATE]
    reckoned = reckon(question) or (tell_date(question, date.fromisoformat(today)) if today else None)
    if reckoned:
        return reckoned
    if not is_english(question):
        return f"{ONLY_ENGLISH} {_offer(parts)}"
    kind = small_talk(question)
    told = (
        _SMALL_TALK[kind] if kind else next((tell for says, tell in _TALK.items() if says.search(question)), _unknown)
    )
    return told(_offer(parts))


def _noted(parts: JSON, title: str) -> str:
    return next((note.removeprefix(title).strip() for note in parts["notes"] if note.startswith(title)), "")


def _offer(parts: JSON) -> str:
    """From the notes: what the database and the manual hold."""
    data, manual = _noted(parts, prompts.ABOUT_DATA), _noted(parts, prompts.ABOUT_MANUAL)
    about = [f"about {of} ({held.rstrip('.')})" for of, held in (("the data", data), ("the manual", manual)) if held]
    if not about and {prompts.NO_DATA, prompts.NO_MANUAL} <= set(parts["notes"]):
        return NOTHING_HERE
    unknown = "about the data" if prompts.NO_MANUAL in parts["notes"] else "about the data and the manual"
    return f"You can ask me {' and '.join(about or [unknown])}."


def _greet(offer: str) -> str:
    return f"Hello! {offer}"


def _take_leave(offer: str) -> str:
    return "Goodbye! This conversation is kept for a while, so you can go on with it."


def _welcome(offer: str) -> str:
    return "You're welcome! If there is more you would like to know from the data or the manual, just ask."


def _introduce(offer: str) -> str:
    return f"{_DEMO} {offer}"


def _offer_help(offer: str) -> str:
    return f"I turn questions about the data into SQL that is checked before it runs, and quote the manual. {offer}"


def _unknown(offer: str) -> str:
    return f"That is neither in the database nor in the manual. {_DEMO} {offer}"


_TALK: Mapping[re.Pattern[str], Callable[[str], str]] = {
    _SELF: _introduce,
    _ABILITIES: _offer_help,
    _LEAVE: _take_leave,
    _THANKS: _welcome,
    _GREETING: _greet,
}
_SMALL_TALK: Mapping[SmallTalk, Callable[[str], str]] = {
    "greeting": _greet,
    "thanks": _welcome,
    "leave": _take_leave,
}
