"""Words that users say and manuals do not. Only a word that hardly any section holds gets others beside it, and counts
twice as much as they: where the manual uses the user's word, that is the one to go by."""

from collections.abc import Iterator

from turnkeep.blocks.rarity import Weights, stem_of
from turnkeep.blocks.words import STOP_WORDS, words

MOST_CHARACTERS = 2_000  # of a query that are reworded
FEW_SECTIONS = 2

_ALIKE = (
    "delete remove erase",
    "edit change modify adjust",
    "create add new make",
    "login log sign signing",
    "accident injury incident",
    "vacation holiday leave",
    "sick sickness illness ill",
    "bill invoice invoicing billing",
    "job order",
    "phone mobile smartphone cellphone",
    "internet connection online offline signal network",
    "password passcode pin",
    "photo picture image",
    "car van truck vehicle",
    "tool machine equipment",
    "worker staff colleague employee technician",
    "client customer",
    "site address location",
    "estimate offer quote",
    "stock inventory warehouse",
    "vendor supplier",
    "buy purchase order",
    "refund reimburse credit",
    "pay payment paid",
    "alert message notification remind reminder",
    "download export",
    "upload import attach attachment",
    "right permission role access",
    "team crew",
    "boss lead manager",
    "cancel stop end",
    "undo revert restore reverse",
    "quit leave resign deactivate",
    "problem error trouble issue",
    "sum total amount",
    "percent percentage rate",
    "weekend sunday saturday",
    "language translation",
    "hour time",
    "calendar schedule plan",
    "begin start",
    "finish complete done",
    "allow permit enable",
    "block lock prevent",
    "combine merge join",
    "duplicate copy double",
    "certificate certification licence license qualification",
    "absent absence leave",
    "safe security protect protection",
    "limit maximum most",
    "cost price rate fee",
    "hotkey shortcut key",
    "sync synchronize",
    "lost stolen",
    "desktop browser computer",
    "tax vat",
)
_BY_STEM: dict[str, set[str]] = {}
for _group in _ALIKE:
    for _word in _group.split():
        _BY_STEM.setdefault(stem_of(_word), set()).update(_group.split())


def alike(stem: str) -> set[str]:
    """Stems of words that may stand for `stem`, itself among them."""
    return {stem, *map(stem_of, _BY_STEM.get(stem, ()))}


def reworded(query: str, weights: Weights) -> str:
    """`query` twice, and once the words that may stand for those of it that `weights` hardly know."""
    asked = query[:MOST_CHARACTERS]
    return "\n".join([asked, asked, " ".join(_others(words(asked), weights))])


def _others(said: list[str], weights: Weights) -> Iterator[str]:
    for word in dict.fromkeys(said):
        stem = stem_of(word)
        if word not in STOP_WORDS and weights.spread(stem) <= FEW_SECTIONS:
            yield from sorted(_BY_STEM.get(stem, set()).difference(said))
