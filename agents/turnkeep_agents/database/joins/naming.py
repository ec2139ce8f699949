"""Names of tables and columns as words: `customerLocationId`, `CUSTOMER_LOCATION_ID` and `customer-location id` are the
same three. Abbreviations are kept. Also how well two columns fit each other by name and kind."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from unicodedata import normalize

from turnkeep.kit.words import singular
from turnkeep_agents.database.joins.records import Column

KEY_WORDS = frozenset({"id", "key", "code", "uuid", "guid", "no", "nr", "num", "number", "fk", "pk", "sk", "oid"})
LIKENESS = 0.85  # of two spellings of one name: "workorders" is workOrder, "order" is not
COUNTED = 0.93  # share of confidence left where the key word may also mean a count or a page
OTHER_KIND = 0.9  # share of confidence left for two columns of different kinds

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-zß-öø-ÿ\d])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")
_COUNTING = frozenset({"no", "nr", "num", "number"})


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case; a name of signs only is one word."""
    found = tuple(_WORD.findall(_HUMPS.sub(" ", normalize("NFC", name))))
    return tuple(word.lower() for word in found or ((name,) if name else ()))


def thing_words(table: str) -> tuple[str, ...]:
    """Return the name of one row: that of the table with its last word in the singular."""
    *before, last = name_words(table) or ("",)
    return (*before, singular(last))


def is_named_after(table: str, others: Iterable[str]) -> bool:
    """Return whether the name contains those of all `others`, as that of an association table does."""
    words = set(map(singular, name_words(table)))
    return all(words >= set(map(singular, name_words(other))) for other in others)


def is_key_like(name: str) -> bool:
    """Return whether a column name ends in a key word after the name of its table: "customerId"."""
    words = name_words(name)
    return len(words) > 1 and words[-1] in KEY_WORDS


def nearest_names(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Return the nearest spelling in `known` for each name; names that resemble none are left out."""
    folded = {name.casefold(): name for name in known}
    found = (get_close_matches(name.casefold(), folded, n=1, cutoff=LIKENESS) for name in names)
    return list(dict.fromkeys(folded[match[0]] for match in found if match))


# Two columns


def may_join(column: Column) -> bool:
    return column.kind not in ("boolean", "binary")


def stem(words: tuple[str, ...]) -> tuple[str, ...]:
    """Drop the word that marks a key."""
    return words[:-1] if words[-1:] and words[-1] in KEY_WORDS else words


def ends_with(words: tuple[str, ...], end: tuple[str, ...]) -> bool:
    return bool(end) and words[-len(end) :] == end and len(words) > len(end)


def abbreviates(words: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Return whether the last of `words` are those of `whole`, some shortened: dept for department."""
    end = words[-len(whole) :]
    if len(end) < len(whole) or end == whole:
        return False
    return all(short == word or _is_short_for(short, word) for short, word in zip(end, whole, strict=True))


def _is_short_for(short: str, word: str) -> bool:
    """Return whether `short` has three letters or more of `word` in their order, the first one first."""
    rest = iter(word)
    return 2 < len(short) < len(word) and short[0] == word[0] and all(letter in rest for letter in short)


def fit(one: Column, other: Column) -> float:
    """Return the share of a confidence that is left given both kinds and the key word."""
    kinds = {"integer" if column.kind in ("integer", "number") else column.kind for column in (one, other)}
    fit = 1.0 if len(kinds) == 1 or "other" in kinds else OTHER_KIND
    return fit * (COUNTED if name_words(other.name)[-1] in _COUNTING else 1.0)
