"""One line of a conversation, cut into words and mentions. `code` is the line as the rules match it: plain words in
lower case, each mention as its number and its kinds, `<3TV>`; what a rule has understood is taken out of it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from turnkeep_agents.database.reading.profiles import DATED, NUMERIC, Profile
from turnkeep_agents.database.reading.times.periods import Stretch, find_periods
from turnkeep_agents.database.reading.words.letters import Edge, begins_name, find_edges
from turnkeep_agents.database.reading.words.lexicon import EXACT, Lexicon, Meaning
from turnkeep_agents.database.reading.words.plainness import plain
from turnkeep_agents.database.reading.words.vocabulary import NUMBERS, OPPOSITES, is_function_word
from turnkeep.blocks.grammar import word_class
from turnkeep.blocks.words import words

TAKEN = "|"
ITEM = r"<\d+[A-Z]+>"

_QUOTED = re.compile(r"\"([^\"]{1,80})\"|(?<!\w)'([^']{2,80})'(?!\w)")
_CODE = re.compile(r"(?<![\w-])(?:[A-Za-z]{1,6}[-/]\d[\w/-]*|[A-Z]{1,6}\d{2,}[\w-]*|#\s?\d+)(?!\w)")
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<sign>[$\u20ac\xa3]\s?)?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<factor>k|m)?\b"
    r"(?P<unit>\s?(?:dollars|euros|pounds|usd|eur|gbp|bucks)\b|\s?%|\s?percent\b)?",
    re.I,
)
_WORD = re.compile(r"[^\W_]+|[,;:.?!<>=]|'s\b")
_INNER = frozenset(["of", "and", "the", "&", "de", "von", "van"])
_FIRST_NAMES = word_class("max will may")  # that are words as well
_ONE_AFTER = word_class("than least most exactly top only just least")


@dataclass(frozen=True)
class Mention:
    """A part of the line that means something in the schema, or is a number, a name, a code or a time."""

    text: str
    kinds: str
    meanings: tuple[Meaning, ...] = ()
    number: float = 0
    stretch: Stretch | None = None
    edge: Edge | Literal[""] = ""

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


def tidy(number: float) -> int | float:
    """A whole number as one."""
    return int(number) if number == int(number) else number


def kind(letters: str) -> str:
    """A pattern for mentions of one of these kinds: T table, C column, D date, L link, B yes or no, V value, N number,
    M money, P period, Q name, I code, E letters that a text starts or ends with."""
    return rf"<\d+[A-Z]*[{letters}][A-Z]*>"


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
        are_few = sum(word[0].isupper() for word in letters[1:]) <= max(2, 0.7 * len(letters))
        self._has_capitals = are_few or letters[0][0].islower()

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
        for start, end, text, edge in find_edges(self._text, today, self._is_of_text):
            yield start, end, Mention(text, "E", edge=edge)
        for found in _QUOTED.finditer(self._text):
            yield *found.span(), self._named(found[1] or found[2])
        for found in _CODE.finditer(self._text):
            if not find_periods(found[0].lower(), today):
                yield *found.span(), self._coded(found[0].lstrip("# "))
        for stretch in find_periods(self._text.lower(), today):
            if begins_name(self._text, stretch, self._lexicon.is_word):
                continue
            yield stretch.at, stretch.to, _timed(self._text, stretch)
        for found in _NUMBER.finditer(self._text):
            yield *found.span(), _number(found)

    def _is_of_text(self, before: str) -> bool:
        """Whether the last word is a column that holds texts or codes."""
        last = words(before)[-1:]
        named = self._lexicon.meanings(last, self._allowed) if last else ()
        kinds = {self._profiles[one.table].kinds[one.column] for one in named if one.sort == "column"}
        return last in (["number"], ["code"], ["name"]) or "text" in kinds

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
        if self._is_hyphened(at) and not (found and (found[0] > at + 1 or self._is_covered(at, at + 2, EXACT))):
            return at + 2, f"{word}-{self._said[at + 1]}"
        if found is None:
            return at + 1, word
        return found[0], self._put(self._meant(at, *found))

    def _is_hyphened(self, at: int) -> bool:
        """Whether the word is the first half of one with a hyphen: what it is like says nothing of the whole."""
        ends = at + 1 < len(self._tokens) and self._said[at].isalpha() and self._said[at + 1].isalpha()
        return (
            ends
            and self._said[at] not in OPPOSITES
            and self._text[self._tokens[at].end() : self._tokens[at + 1].start()] == "-"
        )

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

    def _is_covered(self, at: int, end: int, least: float = 0.5) -> bool:
        """Whether the schema knows each word of a run that is written as a name."""
        first = at
        while at < end:
            if at > first and self._said[at] == "and":
                at += 1
                continue
            found = self._lexicon.find(self._said, at, self._allowed)
            if found is None or found[1][0].weight < least:
                return False
            at = found[0]
        return True

    def _name_end(self, at: int) -> int:
        """Where a run of capitals that begins at the word ends; `at` where none does."""
        if not self._has_capitals or not self._is_capital(at):
            return at
        if at == 0 or self._tokens[at - 1][0] in ".?!":
            is_name = self._said[at] in _FIRST_NAMES and not self._lexicon.find(self._said, at + 1, self._allowed)
            is_word = is_function_word(self._said[at]) or self._lexicon.find(self._said, at, self._allowed)
            if is_word and not is_name:
                return at
            if not (at + 1 < len(self._tokens) and (self._is_capital(at + 1) or self._said[at + 1] == "s")):
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
