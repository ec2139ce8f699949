"""What tables, columns and measures are called: `work_orders` as an alias of SQL, "work orders" in a sentence. Only
English words are put into the plural, and a name with other letters than theirs stays as it is written."""

from collections.abc import Sequence

from turnkeep_agents.database.joins.naming import name_words, thing_words, written_words

SUFFIXES = frozenset({"id", "fk", "uuid", "guid", "key"})
"""Last words of a column that points somewhere; without them it is called after what it points at."""

_SIBILANTS = ("s", "x", "z", "ch", "sh")
_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women", "staff": "staff"}


def plural(words: Sequence[str]) -> tuple[str, ...]:
    """The words of one thing, of several: "work order", "work orders"."""
    *before, last = words or ("row",)
    return (*before, _plural(last))


def one_of(table: str) -> tuple[str, ...]:
    """What one row of a table is called, in words."""
    return thing_words(table) if table.isascii() else column_words(table)


def many_of(table: str) -> tuple[str, ...]:
    return plural(one_of(table))


def column_words(column: str) -> tuple[str, ...]:
    return (name_words(column) if column.isascii() else written_words(column)) or (column,)


def link_words(column: str) -> tuple[str, ...]:
    """What a column that points at rows is called, without the word that says that it is a key."""
    words = column_words(column)
    return words[:-1] if len(words) > 1 and words[-1] in SUFFIXES else words


def alias(*words: str) -> str:
    return "_".join(words)


def _plural(word: str) -> str:
    if not word.isascii():
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(_SIBILANTS) else f"{word}s"
