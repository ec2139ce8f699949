"""Names that a message takes out: "except", "without", "but not". What is left is all else of that kind, of the named
advertisers where any are; a filter holds what stays in, so that no sum needs to know of it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from turnkeep_agents.campaigns.reading.names import ORDER, Mention, Names, Owners
from turnkeep_agents.campaigns.requests import Dimension

type Filters = Mapping[Dimension, tuple[str, ...]]

_OUT = re.compile(
    r"\b(?:except(?:ing)?(?:\s+for)?|exclud(?:e|es|ed|ing)|without|(?:but|and|just)\s+not|not\s+(?:counting|including)"
    r"|other\s+than|apart\s+from|aside\s+from|leaving\s+out|leave\s+out|ignoring|ignore|minus|excl\.?|omit(?:ting)?)"
    r"\s+(?:(?:for|of|in|the|all|our|those|from)\s+)*[\"']?$",
    re.I,
)
MOST_LEFT = 60
"""Names that a filter may hold: it lasts in the thread."""
_CHAIN = re.compile(r"[\"']?\s*(?:,|and|or|nor|&|,\s*and)\s*(?:the\s+)?[\"']?", re.I)


def parted(text: str, mentions: Iterable[Mention]) -> tuple[list[Mention], list[Mention]]:
    """The mentions that stay in, and those that are taken out; a row of names goes out as a whole."""
    kept: list[Mention] = []
    out: list[Mention] = []
    for mention in sorted(mentions, key=lambda each: each.at):
        is_chained = bool(out) and _CHAIN.fullmatch(text[out[-1].to : mention.at]) is not None
        (out if is_chained or _OUT.search(text[: mention.at]) else kept).append(mention)
    return kept, out


def without(
    filters: Filters, out: Mapping[Dimension, Sequence[str]], names: Names, owners: Owners
) -> dict[Dimension, tuple[str, ...]]:
    """`filters` with these names taken out, empty where none of a kind is left."""
    left = dict(filters)
    for kind, gone in out.items():
        advertisers = set(left.get("advertiser", ()))
        known = owners.get(kind, {})
        is_any = not advertisers or not known
        owned = (name for name in names.get(kind, ()) if is_any or advertisers & set(known.get(name, ())))
        all_ = left.get(kind) or tuple(owned)
        left[kind] = tuple(name for name in all_ if name not in gone)
    return {kind: left[kind] for kind in ORDER if kind in left}
