"""Places in a message: its words, and the phrases in it that point at something said before."""

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Literal

from turnkeep.blocks.words import singular, words

type Way = Literal["it", "they", "nth", "first", "last", "described", "pair", "all", "other", "others", "previous"]

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+")
_JOINS = frozenset("-_./@:&+\\\u2010\u2011")
# What may stand behind a noun phrase that is complete: the grammar's words, and verbs of what things do.
AFTER = frozenset(
    words(
        """
        and or but nor than then as is are was were be been do does did has have had can could will would should may
        might must isn aren wasn weren doesn don didn hasn haven won to in on at by for from with without under over
        about against versus vs into if when while because since so that which who too also again instead please now
        yet still not only better worse cheaper available more less s support supports cost costs come comes work works
        offer offers include includes last lasts weigh weighs compare compares perform performs run runs fit fits look
        looks use uses need needs sell sells get gets spend spends deliver delivers
        """
    )
)


@dataclass(frozen=True)
class Phrase:
    """Words from `at` up to `next`. `words` tell the thing from others, folded; `is_certain` where nothing but a
    reference can be meant; `prefix` and `suffix` go around the names in place of the phrase."""

    way: Way
    at: int
    next: int
    number: int = 0
    words: tuple[str, ...] = ()
    is_plural: bool = False
    is_certain: bool = False
    prefix: str = ""
    suffix: str = ""


class Words:
    """The words of a message and their places. `nouns` are words that name kinds of things, `names` parts of names;
    both folded, in the singular."""

    def __init__(self, text: str, nouns: Set[str] = frozenset(), names: Set[str] = frozenset()):
        self.text, self.nouns, self.known = text, nouns, nouns | names
        self.spans = [found.span() for found in _WORD.finditer(text)]
        self.raw = [text[start:end] for start, end in self.spans]
        self.folded = ["".join(words(word)) for word in self.raw]
        ends = [0, *(end for _, end in self.spans)]
        self.before = [text[end:start] for end, (start, _) in zip(ends, self.spans, strict=False)]
        self._follows = [gap.isspace() for gap in self.before]

    def __len__(self) -> int:
        return len(self.spans)

    def next(self, at: int) -> str:
        """The word where it follows the one before it in the same breath, else nothing."""
        return self.folded[at] if at < len(self) and self._follows[at] else ""

    def is_joined(self, at: int) -> bool:
        """Whether the word is the later part of one like `second-hand` or `it.example`."""
        return 0 < at < len(self) and self.before[at] in _JOINS

    def ends(self, at: int) -> bool:
        """Whether a noun phrase may end before the word."""
        return not self.is_joined(at) and (not self.next(at) or self.folded[at] in AFTER)

    def is_known(self, at: int) -> bool:
        return singular(self.next(at)) in self.known

    def is_name(self, at: int) -> bool:
        """Whether the word is written as a name, or one that things are called by."""
        return self.raw[at][0].isupper() or singular(self.folded[at]) in self.nouns

    def place(self, at: int, end: int) -> tuple[int, int]:
        """Where the words from `at` up to `end` stand, with the sign before a number."""
        start = self.spans[at][0]
        return start - (self.text[start - 1 : start] == "#"), self.spans[end - 1][1]
