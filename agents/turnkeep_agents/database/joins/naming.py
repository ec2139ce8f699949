"""Names of tables and columns as words: `customerLocationId`, `CUSTOMER_LOCATION_ID` and `customer-location id` are the
same four. Abbreviations stay as they are."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from unicodedata import normalize

from turnkeep.blocks.words import singular

KEY_WORDS = frozenset({"id", "key", "code", "uuid", "guid", "no", "nr", "num", "number", "fk", "pk", "sk", "oid"})
"""What the last word of a column is where it holds the key of something."""

LIKENESS = 0.85  # of two spellings of one name: "workorders" is workOrder, "order" is not

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-zß-öø-ÿ\d])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")


def name_words(name: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case; one that is all signs is a word itself."""
    return tuple(word.lower() for word in written_words(name))


def written_words(name: str) -> tuple[str, ...]:
    """The same in the case in which they are written."""
    found = tuple(_WORD.findall(_HUMPS.sub(" ", normalize("NFC", name))))
    return found or ((name,) if name else ())


def thing_words(table: str) -> tuple[str, ...]:
    """What one row of `table` is called: its name with the last word in the singular."""
    *before, last = name_words(table) or ("",)
    return (*before, singular(last))


def is_named_after(table: str, others: Iterable[str]) -> bool:
    """Whether its name holds those of all `others`, as that of a table does which brings them together."""
    words = set(map(singular, name_words(table)))
    return all(words >= set(map(singular, name_words(other))) for other in others)


def is_key_like(name: str) -> bool:
    """Whether a column of this name holds the key of something: its last word says so, and others say of what."""
    words = name_words(name)
    return len(words) > 1 and words[-1] in KEY_WORDS


def nearest_names(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Those of `known` that `names` mean, by nearest spelling; what is like none is left out."""
    folded = {name.casefold(): name for name in known}
    found = (get_close_matches(name.casefold(), folded, n=1, cutoff=LIKENESS) for name in names)
    return list(dict.fromkeys(folded[match[0]] for match in found if match))
