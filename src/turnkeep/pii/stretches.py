"""Cuts a text into stretches that personal data does not cross. Most are a few words long, because detected data never
contains two plain words in a row. A cut does not depend on later text, so a stream is cut like the whole text."""

import re
from collections.abc import Callable, Iterator

from turnkeep.pii.findings import words_of

LONGEST = 512  # characters of a stretch, and so the most that a stream holds back
_LINE = 200  # characters after which the end of a line also ends a stretch
# A line that ends with one of these, or with a digit, may continue a number on the next line.
_GOES_ON = frozenset("-|/_ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HELD = 7  # words after a cue such as "phone", "via", "name" within which no stretch ends
_SPACE = re.compile(r"\s")
_ELIDED = re.compile(r"[a-zà-öø-ÿ]+['\u2019][a-zà-öø-ÿ]+")
_CLOSING = frozenset('.!"»”)')
_SENTENCE_END = re.compile(r".*[a-zà-öø-ÿ]{3}[.!]+[\"»”)]*")
_FIRST_NAMES = words_of("first names")
_PARTICLES = words_of("particles")
_ABBREVIATIONS = words_of("abbreviations")
CUES = words_of("cues")


class Stretches:
    def __init__(self) -> None:
        self._text = ""
        self._start = self._word = 0  # positions of the current stretch and word
        self._plain = self._held = 0

    def feed(self, piece: str) -> Iterator[str]:
        """Yield the complete stretches."""
        self._text += piece
        while end := self._end():
            yield self._text[self._start : end]
            self._start = self._word = end
            self._plain = self._held = 0
        self._text = self._text[self._start :]
        self._word -= self._start
        self._start = 0

    def end(self) -> str:
        """Return the last stretch, which may be empty."""
        return self._text

    def _end(self) -> int:
        """Return the end of the stretch, 0 if it is not known yet."""
        limit = self._start + LONGEST
        for space in _SPACE.finditer(self._text, self._word, limit):
            begin, self._word = self._word, space.end()
            if found := self._end_after(begin, space.start()):
                return found
        return self._last_resort(limit) if len(self._text) >= limit else 0

    def _end_after(self, begin: int, end: int) -> int:
        """Return the end of the stretch at or before the word between `begin` and `end`, 0 if it continues."""
        word = self._text[begin:end]
        is_long = end - self._start >= _LINE or self._text[end - 1] == "\n"
        if self._text[end] == "\n" and end > self._start and is_long:
            last = self._text[self._start : end].rstrip()[-1:]
            if not last.isdigit() and last not in _GOES_ON:
                return end + 1
        if not word:
            return 0
        is_plain = (word.isalpha() and word.islower()) or _ELIDED.fullmatch(word) is not None
        letters = word if is_plain else word.strip(".,;:!?()[]\"'\u2019«»*#").lower()
        if word[-1] in _CLOSING and letters not in _ABBREVIATIONS and _SENTENCE_END.fullmatch(word):
            return end + 1
        self._count(letters, is_plain)
        return begin if self._plain > 1 and not self._held and begin > self._start else 0

    def _count(self, letters: str, is_plain: bool) -> None:
        if letters in CUES:
            self._plain, self._held = 0, _HELD
            return
        if self._held:
            self._held -= 1
        if len(letters) == 1:
            return  # it may be spelled letter by letter
        if not is_plain or letters in _FIRST_NAMES or (not self._plain and letters in _PARTICLES):
            self._plain = 0
        else:
            self._plain += 1

    def _last_resort(self, limit: int) -> int:
        """Return the end of a line, else of a word, else the limit."""
        half = self._start + LONGEST // 2
        ends = (self._text.rfind(sign, half, limit) + 1 for sign in "\n ")
        return next(filter(None, ends), limit)


def stretches(text: str) -> Iterator[str]:
    cut = Stretches()
    yield from cut.feed(text)
    if rest := cut.end():
        yield rest


class Held:
    """Releases redacted text when it can no longer be part of personal data or of a placeholder. At most LONGEST
    characters are held back. However the pieces are cut, the output equals `redact` of the whole text."""

    def __init__(self, redact: Callable[[str], str]):
        self._redact, self._stretches = redact, Stretches()

    def feed(self, piece: str) -> str:
        """Return the text that can be released, which may be empty."""
        return self._redact("".join(self._stretches.feed(piece)))

    def end(self) -> str:
        return self._redact(self._stretches.end())
