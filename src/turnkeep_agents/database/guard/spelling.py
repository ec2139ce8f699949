"""What a misspelt name may have been, best first: the same letters in another spelling, then nearly the same."""

from collections.abc import Iterable
from difflib import get_close_matches

from turnkeep_agents.database.guard.catalogue import bare

NEAR = 0.8
SHORTEST_PART = 4


def same(name: str, names: Iterable[str]) -> str | None:
    """The only one of `names` that differs in case, underscores, blanks or a plural's s alone."""
    key = _stem(bare(name))
    found = [each for each in names if _stem(bare(each)) == key]
    return found[0] if len(found) == 1 else None


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one that was probably meant."""
    keys = {bare(each): each for each in names}
    found = get_close_matches(bare(name), keys, n=1, cutoff=NEAR)
    return keys[found[0]] if found else None


def nearest_or_part(name: str, names: Iterable[str]) -> str | None:
    """The same, or the only one that begins or ends with `name`, or `name` with it."""
    names = list(names)
    found, key = nearest(name, names), bare(name)
    if found:
        return found
    keys = {bare(each): each for each in names}
    parts = [each for other, each in keys.items() if _is_part(key, other) or _is_part(other, key)]
    return parts[0] if len(parts) == 1 else None


def _is_part(short: str, long: str) -> bool:
    return len(short) >= SHORTEST_PART and (long.startswith(short) or long.endswith(short))


def _stem(key: str) -> str:
    return key[:-1] if key.endswith("s") and len(key) > SHORTEST_PART else key
