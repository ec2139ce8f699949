"""A message as a catalogue's words see it: names of products, phrases with their meanings, words that nothing knows.
A misspelt word of the catalogue is read as what it was meant for, and that is remembered, to be said."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches

from turnkeep_agents.products.catalogue.products import Catalogue
from turnkeep_agents.products.filters import MOST_WORDS
from turnkeep_agents.products.reading.lexicon import Span, Token, read_tokens
from turnkeep_agents.products.reading.measures import unit_of, with_digits
from turnkeep_agents.products.reading.names import Unknown, is_code
from turnkeep.blocks.words import STOP_WORDS, words

MOST_CHARACTERS = 2_000  # of a message that is read; the model sees all of it
MOST_NAMES = 5
SHORTEST_MISSPELT, LIKENESS = 5, 0.8
WORD_CHARACTERS = 30

_SELLS = frozenset(words("sell have carry stock offer got buy any"))
_ASKS = frozenset(words("what which many"))
_AFTER_NOUN = frozenset(
    words("do does have has can are is under below over above with without for from in between around that by")
)
_LEADS = frozenset(words("want need buy get find show have sell about and or then now instead"))
_ARTICLES = frozenset(words("a an the any some"))
# Words of wishes that say nothing of the product itself.
CHATTER = frozenset(
    words(
        """
        want need look looking search searching find show give get buy buying purchase order sell carry stock offer
        recommend suggest recommendation suggestion advice advise help please thank thanks good great nice decent fine
        option model product item thing stuff kind type sort brand make maker category price cost much many like love
        prefer interested interest know tell see hear list let us cheap cheaper cheapest affordable expensive best top
        better new latest newest old available availability today now currently right still already ever really very
        quite too just maybe perhaps also well use using used work working something anything someone one two per
        under over below above less than least most more max maximum min minimum around about between up range budget
        dollar dollars bucks usd money spend afford pay compare comparison versus vs difference different same similar
        hi hello hey ok okay yes sure every everything whole full thinking thought think question wondering wonder
        able possible would could might shall ll ve re don doesn isn aren t s m d don't what's that's its it's
        come comes go going goes does did done be been being got made make makes say says said ask asking asked
        lot lots bit little few several couple another other others else again instead rather only even though
        detail details information info feature features spec specs specification describe description explain
        suitable perfect ideal excellent quality reliable solid proper wanna gonna gift present shop store catalogue
        catalog here there where when who whom why day days person people friend recommend value popular
        after before during into onto upon while toward towards am versions version
        nothing none play plays one two three four five six seven eight nine ten run runs way ideas idea sets ones fine
        first last lasts long rate rated
        highest lowest largest biggest smallest lightest longest higher lower larger bigger smaller lighter
        longer heavier newer older size number amount total count together both either neither without not no except
        """
    )
)


class Reading:
    """`near` are the categories that the thread speaks of."""

    def __init__(self, message: str, catalogue: Catalogue, near: Sequence[str] = ()):
        self.text = with_digits(message[:MOST_CHARACTERS])
        self.catalogue, self.near = catalogue, near
        self.misspelt: list[tuple[str, str]] = []
        self.tokens = [self._spelled(token) for token in read_tokens(self.text)]
        self.mentions, self.unknown = catalogue.names.find(self.tokens)
        places = [(name.start, name.end) for name in self.mentions]
        places += [(name.start, name.end) for name in self.unknown]
        self.named = {at for start, end in places for at in range(start, end)}
        self.spans: list[Span] = list(catalogue.lexicon.scan(self.tokens, self.named))

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where these tokens stand in the text."""
        return self.tokens[start].start, self.tokens[end - 1].end

    def said(self, start: int, end: int) -> str:
        """These tokens as they are written, in lower case unless all are capitals."""
        first, last = self.place(start, end)
        written = self.text[first:last]
        return written if written.isupper() else written.lower()

    @property
    def hidden(self) -> list[tuple[int, int]]:
        """The places of names and values, whose numbers are no limits."""
        places = [self.place(name.start, name.end) for name in self.mentions]
        places += [self.place(name.start, name.end) for name in self.unknown]
        return places + [self.place(span.start, span.end) for span in self.spans if span.of("value")]

    def leftover(self, places: Sequence[tuple[int, int]]) -> tuple[list[str], list[str]]:
        """The words outside of `places` that are left to search for, and those that no product's text holds."""
        rest = [self.tokens[at] for at in self._free() if not self._is_inside(self.tokens[at], places)]
        known, strange = dict[str, None](), dict[str, None]()
        for token in rest:
            found = known if self.catalogue.lexicon.knows(token.root) else strange
            found[token.text.lower()[:WORD_CHARACTERS]] = None
        return list(known)[:MOST_WORDS], list(strange)

    def strangers(self, places: Sequence[tuple[int, int]], *, has_wishes: bool = False) -> list[Unknown]:
        """Outside of `places`, what is asked for like a product and occurs in none: a word with a capital inside a
        sentence or with a digit, with the number behind it; the word before a category; what is asked whether it is
        sold; beside other wishes, what "a" or "an" leads to."""
        free = [at for at in self._free() if not self._is_inside(self.tokens[at], places)]
        new = [at for at in free if not self.catalogue.lexicon.knows(self.tokens[at].root)]
        heads = [at for at in new if has_wishes and self.is_head(at)]
        found = [self._stranger(at, heads) for at in new if at in heads or self._is_name(at) or self._is_wanted(at)]
        return found[:MOST_NAMES]

    def _is_inside(self, token: Token, places: Sequence[tuple[int, int]]) -> bool:
        return any(start <= token.start < end for start, end in places)

    def _free(self) -> list[int]:
        used = {at for span in self.spans for at in range(span.start, span.end)} | self.named
        return [at for at, token in enumerate(self.tokens) if at not in used and says_something(token)]

    @property
    def has_own_head(self) -> bool:
        return any(self.is_head(at) for at in self._free())

    def is_head(self, at: int) -> bool:
        """Whether it ends a noun phrase that is what the message is about: one that begins with "a", or a plural that
        the message begins with."""
        first = at - 1
        while first >= 0 and self.tokens[first].text.lower() not in STOP_WORDS:
            first -= 1
        if first < 0:
            is_plural = self.tokens[at].text.lower() != self.tokens[at].root
            return is_plural and self._ends_phrase(at)
        if self.tokens[first].text.lower() not in ("a", "an"):
            return False
        before = self.tokens[first - 1].text.lower() if first else ""
        return self._ends_phrase(at) and (not before or before in _LEADS)

    def _ends_phrase(self, at: int) -> bool:
        after = self.tokens[at + 1].text.lower() if at + 1 < len(self.tokens) else ""
        is_last = not after or self.text[self.tokens[at].end :].lstrip()[:1] in ("?", ".", "!", ",")
        return is_last or after in _AFTER_NOUN

    def _stranger(self, at: int, heads: Collection[int] = ()) -> Unknown:
        end = at + 1
        is_number = end < len(self.tokens) and self.tokens[end].text.isdigit()
        end += is_number and self.tokens[end].start - self.tokens[at].end == 1
        start, stop = self.place(at, end)
        return Unknown(at, end, self.text[start:stop][:WORD_CHARACTERS], is_kind=at in heads or self._is_asked_for(at))

    def _is_name(self, at: int) -> bool:
        token = self.tokens[at]
        before = self.text[: token.start].rstrip()
        has_capital = token.text[0].isupper() and bool(before) and before[-1] not in ".?!:"
        return has_capital or (is_code(token.text) and not token.text[0].isdigit())

    def _is_wanted(self, at: int) -> bool:
        return self._is_asked_for(at) or any(span.start == at + 1 and span.of("category") for span in self.spans)

    def _is_asked_for(self, at: int) -> bool:
        """Whether it is a noun behind a verb of selling, "what" or "which"."""
        verb = at - 1
        while verb >= 0 and self.tokens[verb].text.lower() in _ARTICLES:
            verb -= 1
        leads = _SELLS if verb < at - 1 else _SELLS | _ASKS
        is_led = verb >= 0 and self.tokens[verb].root in leads
        return is_led and self._ends_phrase(at)

    def _spelled(self, token: Token) -> Token:
        """The token, with the root of the catalogue's word that it was meant for where it is misspelt."""
        lexicon = self.catalogue.lexicon
        is_known = lexicon.knows(token.root) or lexicon.meanings((token.root,)) or not says_something(token)
        if is_known or len(token.root) < SHORTEST_MISSPELT or not token.root.isalpha():
            return token
        near = get_close_matches(token.root, _beginning(lexicon.terms, token.root[0]), 1, LIKENESS)
        if not near:
            return token
        self.misspelt.append((token.text, near[0]))
        return replace(token, root=near[0])


def _beginning(terms: Collection[str], letter: str) -> list[str]:
    return [term for term in terms if term[0] == letter]


def says_something(token: Token) -> bool:
    word = token.text.lower()
    is_chatter = word in CHATTER or token.root in CHATTER or word in STOP_WORDS
    return len(word) > 1 and not is_chatter and not word.isdigit() and unit_of(word) is None
