"""One line of a conversation, cut into words and mentions. `code` is the line as the rules match it: plain words in
lower case, each mention as its number and its kinds, `<3TV>`; what a rule has understood is taken out of it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date

from turnkeep.agents.database.reading.lexicon import EXACT, Lexicon, Meaning
from turnkeep.agents.database.reading.periods import Stretch, find_periods
from turnkeep.agents.database.reading.profiles import DATED, NUMERIC, Profile
from turnkeep.agents.database.reading.vocabulary import NUMBERS, is_function_word
from turnkeep.blocks.grammar import word_class
from turnkeep.blocks.words import words

MOST_CHARACTERS = 1_500
TAKEN = "|"
ITEM = r"<\d+[A-Z]+>"

_SIMPLER = {**dict.fromkeys(range(0x2010, 0x2016), "-"), **dict.fromkeys(range(0x2018, 0x201C), "'")}
_SIMPLER |= {**dict.fromkeys(range(0x201C, 0x2020), '"'), ord("<"): " < ", ord(">"): " > ", ord("|"): " "}
_CONTRACTIONS = (
    (r"\b(ca)n't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"(\w)n't\b", r"\1 not"),
    (r"\b(what|who|where|how|when|there|that|it|here)'s\b", r"\1 is"),
    (r"\b(\w+)'(?:re)\b", r"\1 are"),
    (r"\b(i|we|you|they)'(?:ve|d|ll|m)\b", r"\1"),
    (
        r"\b(?:order|sort|rank|arrange)(?:ed)?((?: it| them| these| those| that| this| the list| all)?) by\b",
        r"sort\1 by",
    ),
    (r"\bin order of\b", "sort by"),
    (r"\be-mail", "email"),
)
_QUOTED = re.compile(r"\"([^\"]{1,80})\"|(?<!\w)'([^']{2,80})'(?!\w)")
_CODE = re.compile(r"(?<![\w-])(?:[A-Za-z]{1,6}[-/]\d[\w/-]*|[A-Z]{1,6}\d{2,}[\w-]*|#\s?\d+)(?!\w)")
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<sign>[$\u20ac\xa3]\s?)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<factor>k|m)?\b"
    r"(?P<unit>\s?(?:dollars|euros|pounds|usd|eur|gbp|bucks)\b|\s?%|\s?percent\b)?",
    re.I,
)
_WORD = re.compile(r"[^\W_]+|[,;:.?!<>=]|'s\b")
_INNER = frozenset(["of", "and", "the", "&", "de", "von", "van"])
_PARTED = re.compile(r"\b(\w+) (?:were|was|are|is|have been|has been|had been) (\w+ed|lost|spent|paid|driven|sold)\b")
_ONE_AFTER = word_class("than least most exactly top only just least")


@dataclass(frozen=True)
class Mention:
    """A part of the line that means something in the schema, or is a number, a name, a code or a time."""

    text: str
    kinds: str
    meanings: tuple[Meaning, ...] = ()
    number: float = 0
    stretch: Stretch | None = None

    def of(self, *sorts: str) -> tuple[Meaning, ...]:
        return tuple(one for one in self.meanings if one.sort in sorts)


@dataclass
class Line:
    """The mentions of a line and what is left to be understood of it."""

    text: str
    mentions: list[Mention]
    code: str

    def at(self, item: str) -> Mention:
        return self.mentions[int(re.sub(r"\D", "", item))]

    def code_of(self, mention: Mention) -> str:
        """How the mention stands in the code; a sign that never does where it is none of this line."""
        at = next((at for at, one in enumerate(self.mentions) if one is mention), None)
        return "<>" if at is None else f"<{at}{mention.kinds}>"

    def items(self, code: str | None = None) -> list[str]:
        return re.findall(ITEM, self.code if code is None else code)

    def search(self, pattern: str) -> re.Match[str] | None:
        return re.search(pattern, self.code)

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first place of the pattern, which is understood now."""
        found = re.search(pattern, self.code)
        if found:
            self.code = f"{self.code[: found.start()]} {TAKEN} {self.code[found.end() :]}"
            self.code = re.sub(r"\s+", " ", self.code)
        return found

    def drop(self, item: str) -> None:
        self.code = self.code.replace(item, TAKEN)


def kind(letters: str) -> str:
    """A pattern for mentions of one of these kinds: T table, C column, D date, L link, B yes or no, V value, N number,
    M money, P period, Q name, I code."""
    return rf"<\d+[A-Z]*[{letters}][A-Z]*>"


def plain(text: str) -> str:
    """`text` with the simplest signs, one space between words, and nothing contracted."""
    text = re.sub(r"\s+", " ", text[:MOST_CHARACTERS].translate(_SIMPLER)).strip()
    for pattern, simple in _CONTRACTIONS:
        text = re.sub(pattern, simple, text, flags=re.I)
    return text


def whole_names(text: str, lexicon: Lexicon) -> str:
    """The text with names of columns put together that an auxiliary stands within: days were lost."""
    for found in _PARTED.finditer(text):
        for pair in ((found[1], found[2]), (found[2], found[1])):
            known = lexicon.meanings([word.lower() for word in pair])
            if any(one.sort == "column" and one.weight >= EXACT for one in known):
                return text.replace(found[0], " ".join(pair), 1)
    return text


def read_line(
    text: str, lexicon: Lexicon, profiles: dict[str, Profile], today: date, allowed: Collection[str] | None
) -> Line:
    """The line with all its mentions."""
    return _Cutter(plain(text), lexicon, profiles, today, allowed).line()


class _Cutter:
    def __init__(
        self,
        text: str,
        lexicon: Lexicon,
        profiles: dict[str, Profile],
        today: date,
        allowed: Collection[str] | None,
    ):
        self._text, self._lexicon, self._profiles, self._allowed = text, lexicon, profiles, allowed
        self._fixed = {start: (end, mention) for start, end, mention in self._find_fixed(today)}
        self._tokens = [found for found in _WORD.finditer(text) if not self._is_inside(found.start())]
        self._said = ["".join(words(token[0])) or token[0] for token in self._tokens]
        self._mentions: list[Mention] = []
        letters = [token[0] for token in self._tokens if token[0][0].isalpha()]
        self._has_capitals = sum(word[0].isupper() for word in letters) <= max(2, 0.7 * len(letters))

    def line(self) -> Line:
        parts: list[str] = []
        at = 0
        pending = sorted(self._fixed.items())
        while at < len(self._tokens) or pending:
            start = self._tokens[at].start() if at < len(self._tokens) else len(self._text)
            if pending and pending[0][0] <= start:
                parts.append(self._put(pending.pop(0)[1][1]))
                continue
            at, part = self._next(at)
            parts.append(part)
        return Line(self._text, self._mentions, " ".join(part for part in parts if part))

    def _put(self, mention: Mention) -> str:
        self._mentions.append(mention)
        return f"<{len(self._mentions) - 1}{mention.kinds}>"

    def _find_fixed(self, today: date) -> Iterator[tuple[int, int, Mention]]:
        """Quoted names, times, codes and numbers; of two that overlap the first counts."""
        taken: list[tuple[int, int]] = []
        for start, end, mention in self._candidates(today):
            if all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
                yield start, end, mention

    def _candidates(self, today: date) -> Iterator[tuple[int, int, Mention]]:
        for found in _QUOTED.finditer(self._text):
            yield *found.span(), self._named(found[1] or found[2])
        for found in _CODE.finditer(self._text):
            if not find_periods(found[0].lower(), today):
                yield *found.span(), self._coded(found[0].lstrip("# "))
        for stretch in find_periods(self._text.lower(), today):
            yield stretch.at, stretch.to, _timed(self._text, stretch)
        for found in _NUMBER.finditer(self._text):
            yield *found.span(), _number(found)

    def _coded(self, code: str) -> Mention:
        return Mention(code, "I", self._lexicon.coded(code, self._allowed))

    def _is_inside(self, place: int) -> bool:
        return any(start <= place < end for start, (end, _) in self._fixed.items())

    def _next(self, at: int) -> tuple[int, str]:
        word = self._said[at]
        if word in NUMBERS and (word != "one" or (at and self._said[at - 1] in _ONE_AFTER)):
            return at + 1, self._put(Mention(word, "N", number=NUMBERS[word]))
        end = self._name_end(at)
        if end > at:
            known = self._lexicon.find(self._stretch(at), at, self._allowed)
            is_whole = known is not None and (known[0] >= end or self._is_covered(at, end))
            if not is_whole:
                if known and any(one.sort != "value" for one in known[1]) and known[1][0].weight >= 0.5:
                    return known[0], self._put(self._meant(at, known[0], known[1]))
                return end, self._put(self._named(self._between(at, end)))
        found = self._lexicon.find(self._stretch(at), at, self._allowed) if word[0].isalnum() else None
        if found is None:
            return at + 1, word
        return found[0], self._put(self._meant(at, *found))

    def _stretch(self, at: int) -> list[str]:
        """The words up to the next number, time or quotation."""
        place = self._tokens[at].start()
        stop = min((start for start in self._fixed if start > place), default=len(self._text))
        end = next((index for index in range(at, len(self._tokens)) if self._tokens[index].start() > stop), None)
        return self._said[:end]

    def _meant(self, at: int, end: int, meanings: tuple[Meaning, ...]) -> Mention:
        return Mention(self._between(at, end), self._kinds(meanings), meanings)

    def _named(self, text: str) -> Mention:
        values = tuple(one for one in self._lexicon.meanings(words(text), self._allowed) if one.sort == "value")
        return Mention(text, "VQ" if values else "Q", values)

    def _between(self, at: int, end: int) -> str:
        return self._text[self._tokens[at].start() : self._tokens[end - 1].end()]

    def _is_covered(self, at: int, end: int) -> bool:
        """Whether the schema knows each word of a run that is written as a name."""
        while at < end:
            found = self._lexicon.find(self._said, at, self._allowed)
            if found is None or found[1][0].weight < 0.5:
                return False
            at = found[0]
        return True

    def _name_end(self, at: int) -> int:
        """Where a run of capitals that begins at the word ends; `at` where none does."""
        if not self._has_capitals or not self._is_capital(at):
            return at
        if at == 0 or self._tokens[at - 1][0] in ".?!":
            if is_function_word(self._said[at]) or self._lexicon.find(self._said, at, self._allowed):
                return at
            if not (at + 1 < len(self._tokens) and self._is_capital(at + 1)):
                return at
        end = at + 1
        while end < len(self._tokens) and self._follows(end):
            step = 2 if self._said[end] in _INNER else 1
            if end + step > len(self._tokens) or not self._is_capital(end + step - 1):
                break
            end += step
        return end

    def _follows(self, at: int) -> bool:
        gap = self._text[self._tokens[at - 1].end() : self._tokens[at].start()]
        return gap.strip() in ("", "&", "-", "'")

    def _is_capital(self, at: int) -> bool:
        return self._tokens[at][0][0].isupper() and self._tokens[at][0] != "I"

    def _kinds(self, meanings: tuple[Meaning, ...]) -> str:
        letters = set()
        for one in meanings:
            letters.add({"table": "T", "column": "C", "value": "V"}[one.sort])
            if one.sort == "column":
                profile = self._profiles[one.table]
                kinds = profile.kinds[one.column]
                letters |= {"D"} if kinds in DATED else {"B"} if kinds == "boolean" else set()
                letters |= {"L"} if one.column in profile.links else {"X"} if kinds in NUMERIC else set()
        return "".join(sorted(letters))


def _timed(text: str, stretch: Stretch) -> Mention:
    """A time, told in the writing of the line."""
    written = re.search(re.escape(stretch.words), text, re.I)
    said = written[0] if written else stretch.words
    return Mention(said, "P", stretch=replace(stretch, words=said))


def _number(found: re.Match[str]) -> Mention:
    value = float(found["digits"].replace(",", "")) * {"k": 1e3, "m": 1e6}.get((found["factor"] or "").lower(), 1)
    is_money = bool(found["sign"]) or (found["unit"] or "").strip().isalpha()
    return Mention(found[0].strip(), "MN" if is_money and "percent" not in found[0] else "N", number=value)
