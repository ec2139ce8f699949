"""How alike two columns are, by the words of their names and by their kinds."""

from turnkeep_agents.database.joins.naming import KEY_WORDS, name_words
from turnkeep_agents.database.joins.records import Column

COUNTED = 0.93
"""What is left where the word for the key is one for a number, which may be a count or a page as well."""
OTHER_KIND = 0.9
"""What is left of a confidence where the two sides are of different kinds: less than of one that names doubt."""

_NO_KEYS = frozenset({"boolean", "binary"})
_NUMBERS = frozenset({"integer", "number"})
_COUNTING = frozenset({"no", "nr", "num", "number"})


def may_join(column: Column) -> bool:
    """Whether its kind can be that of a key."""
    return column.kind not in _NO_KEYS


def stem(words: tuple[str, ...]) -> tuple[str, ...]:
    """A key's name without the word that says that it is one."""
    return words[:-1] if words[-1:] and words[-1] in KEY_WORDS else words


def ends_with(words: tuple[str, ...], end: tuple[str, ...]) -> bool:
    return bool(end) and words[-len(end) :] == end and len(words) > len(end)


def abbreviates(words: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether the last of `words` are those of `whole`, some of them shortened: dept for department."""
    end = words[-len(whole) :]
    if len(end) < len(whole) or end == whole:
        return False
    return all(short == word or _is_short_for(short, word) for short, word in zip(end, whole, strict=True))


def _is_short_for(short: str, word: str) -> bool:
    """Three letters or more of the word in their order, the first one first."""
    rest = iter(word)
    return 2 < len(short) < len(word) and short[0] == word[0] and all(letter in rest for letter in short)


def fit(one: Column, other: Column) -> float:
    """What kinds and the word for the key leave of a confidence."""
    kinds = {"integer" if column.kind in _NUMBERS else column.kind for column in (one, other)}
    fit = 1.0 if len(kinds) == 1 or "other" in kinds else OTHER_KIND
    return fit * (COUNTED if name_words(other.name)[-1] in _COUNTING else 1.0)
