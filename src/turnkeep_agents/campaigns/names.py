"""What a user calls a thing, by the nearest spelling of the warehouse."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from turnkeep.blocks.words import words
from turnkeep_agents.campaigns.requests import Dimension

ORDER: tuple[Dimension, ...] = ("advertiser", "insertion_order", "audience", "line_item", "creative", "size")
ALIKE, NEAR = 0.8, 0.5  # as difflib measures it, of 1
MOST_MEANT = 12

type Names = Mapping[Dimension, Sequence[str]]
type Meant = tuple[Dimension, tuple[str, ...]]


def find_name(said: str, names: Names) -> Meant | None:
    """A whole name of any dimension; else those that hold all its words, as in "Lookbook"; else the same in the
    nearest spelling, as in "oakmer"."""
    asked = words(said)
    if not asked:
        return None
    return _holding(asked, names, whole=True) or _holding(asked, names) or _spelled(asked, names)


def nearest(said: str, names: Names) -> list[str]:
    every = {name.lower(): name for dimension in ORDER for name in names[dimension]}
    return [every[each] for each in get_close_matches(said.lower(), every, 3, NEAR)]


def _holding(asked: Sequence[str], names: Names, *, whole: bool = False) -> Meant | None:
    for dimension in ORDER:
        held = [(name, words(name)) for name in names[dimension]]
        found = [name for name, own in held if (own == asked if whole else set(asked) <= set(own))]
        if found:
            return dimension, tuple(found[:MOST_MEANT])
    return None


def _spelled(asked: Sequence[str], names: Names) -> Meant | None:
    known = {word for dimension in ORDER for name in names[dimension] for word in words(name)}
    spelled = [near[0] for word in asked if (near := get_close_matches(word, known, 1, ALIKE))]
    return _holding(spelled, names) if len(spelled) == len(asked) else None
