"""Wishes to have the data changed, which nothing here can do: an imperative verb of change, and behind it something
that the schema knows. What is said about the answer, its columns, filters and order, is none."""

import re
from dataclasses import dataclass

from turnkeep_agents.database.vocabulary import Vocabulary, content_stems
from turnkeep.blocks.grammar import word_class
from turnkeep.blocks.words import singular, words

MOST_CHARACTERS = 400

_LEAD = re.compile(
    r"^\W*(?:(?:please|now|then|ok(?:ay)?|so|and|also|just|well|hey|hi|hello|kindly|yes|no|go ahead and|let's|let us"
    r"|(?:can|could|would|will) you|(?:i|we)(?:'d| would)? (?:want|need|like) you to"
    r"|(?:ignore|forget|disregard) [^,.;]{1,60}(?:,| and| then))\b[\s,]*)*",
    re.IGNORECASE,
)
_CHANGES = word_class("delete erase wipe purge truncate destroy insert update alter modify overwrite rename edit")
"""Verbs that mean nothing else in a talk about data."""
_MAKES = word_class("add create register record enter issue hire")
_TAKES = word_class("remove drop clear")
_SETS = word_class("set change")
_HANDLES = word_class(
    "cancel close reopen approve reject assign reassign unassign schedule reschedule postpone book mark move archive"
    " restore increase decrease reduce extend correct void transfer promote complete send pay replace reset merge"
)
_VERBS = _CHANGES | _MAKES | _TAKES | _SETS | _HANDLES

_OF_THE_ANSWER = word_class(
    "filter filters condition conditions restriction restrictions criterion criteria limit limits grouping groupings"
    " sort sorting column columns list lists report reports overview summary chart graph page pages view result results"
    " answer question period range day week month quarter year ones total totals average count header heading breakdown"
)
_ORDERS = re.compile(r"\b(?:ascending|descending|alphabetical\w*|(?:larg|small|new|old|high|low)est)\b", re.IGNORECASE)
_END = re.compile(
    r"\s(?:to|from|into|in|on|at|of|for|with|by|as|called|named|whose|that|who|which|where|until|because)\b"
    r"|(?<!everything)(?<!all)\sabout\b|[.,;:!?](?:\s|$)",
    re.IGNORECASE,
)
_DETERMINED = re.compile(
    r"^(?:(?:the|this|that|these|those|all|every|each|both|my|our|his|her|their|its)\b|(?-i:[A-Z])[\w.-]*\d|#?\d)",
    re.IGNORECASE,
)
_ANY = re.compile(r"^(?:an?|another|one|some|any|new|more)\b|^\d+ (?:new|more)\b", re.IGNORECASE)
_ONE_RECORD = re.compile(r"\b[A-Za-z]{0,6}[-#]?\d[\w-]*\b")
_ALL = re.compile(r"^(?:all|every|each|everything)\b", re.IGNORECASE)
_POINTS = re.compile(
    r"^(?:them|it|these|those|this|that|everything)(?: all)?$|^all of (?:them|these|those|it)$", re.IGNORECASE
)
_SQL = re.compile(
    r"\b(?:delete\s+from|drop\s+(?:table|view|database|index|column|user)|truncate\s+table|insert\s+into"
    r"|update\s+[\w.`\"]+\s+set|alter\s+(?:table|user|database)|create\s+(?:or\s+replace\s+)?(?:table|view|index|user"
    r"|trigger)|replace\s+into|grant\s+\w+\s+(?:on|to))\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?:^|[;)])\s*(?:update|delete|insert|replace|drop|alter|create|truncate|grant|revoke|merge|rename)\s+[\w`\"]",
    re.IGNORECASE,
)
_ASKS = re.compile(r"^\W*(?:how|what|why|when|where|who|which|can i|may i|should|is|are|does|do)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """`is_of_any` where no particular record is meant, as in the words of somebody who looks for instructions;
    `names_table` where the things are called as a table is."""

    is_of_any: bool
    names_table: bool = True


def is_change(sql: str) -> bool:
    """Whether SQL that was refused was to change data or schema."""
    return _STATEMENT.search(sql) is not None


def wish_for_change(message: str, names: Vocabulary, *, goes_on: bool) -> Wish | None:
    """`goes_on`: whether rows were shown last, at which the message may point, or whose list it may want changed."""
    said = " ".join(message[:MOST_CHARACTERS].replace("\u2019", "'").split())
    if _ASKS.match(said):
        return None
    if _SQL.search(said):
        return Wish(is_of_any=False)
    verb, _, rest = _LEAD.sub("", said, count=1).partition(" ")
    verb, rest = verb.lower(), rest.strip()
    if verb not in _VERBS or not rest:
        return None
    thing = _END.split(f"{rest} ", maxsplit=1)[0].strip(" '\"?!.")
    if _POINTS.match(thing):
        return Wish(is_of_any=False) if goes_on and verb in _CHANGES | _HANDLES else None
    if _is_of_the_answer(thing, rest) or not _is_known(verb, thing, names):
        return None
    names_table = not names.tables.isdisjoint(_stems(thing))
    return _wish(verb, thing, rest, goes_on=goes_on, names_table=names_table)


def _wish(verb: str, thing: str, rest: str, *, goes_on: bool, names_table: bool) -> Wish | None:
    is_record, is_of_any = bool(_ONE_RECORD.search(thing)), bool(_ANY.match(thing))
    is_determined = is_record or bool(_DETERMINED.match(thing))
    if verb in _MAKES and not is_of_any:
        return None
    if verb in _TAKES and goes_on and not (is_record or _ALL.match(thing) or "table" in words(thing)):
        return None
    if verb in _SETS and not re.search(r"\b(?:to|from|into|as|on)\b", rest):
        return None
    if verb in _HANDLES and not (is_determined or is_of_any):
        return None
    return Wish(is_of_any, names_table)


def _is_of_the_answer(thing: str, rest: str) -> bool:
    said = words(thing)
    is_table = said[:1] == ["table"]
    return not is_table and (not _OF_THE_ANSWER.isdisjoint(said[-1:] + said[:2]) or _ORDERS.search(rest) is not None)


def _is_known(verb: str, thing: str, names: Vocabulary) -> bool:
    """What is made new has to be called as a table; else a column, a value or a number does."""
    stems = _stems(thing)
    if not names.tables.isdisjoint(stems):
        return True
    return verb not in _MAKES and (not names.data.isdisjoint(stems) or names.names_value(thing))


def _stems(thing: str) -> list[str]:
    return content_stems(" ".join(map(singular, words(thing)))) + content_stems(thing)
