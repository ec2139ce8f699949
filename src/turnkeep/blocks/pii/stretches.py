"""A text cut into stretches that personal data does not cross: mostly a few words, since nothing that is looked for
holds two plain words in a row. Where a cut is depends on nothing that comes later, so that a stream is cut like the
whole text."""

import re
from collections.abc import Iterator

from turnkeep.blocks.pii.lists import words_of

LONGEST = 512
"""Characters of a stretch, and so what a stream holds back at most."""
_LINE = 200
"""Characters after which the end of a line ends a stretch, too."""
_HELD = 7
"""Words after a cue such as "phone", "via", "name" within which no stretch ends."""
_SPACE = re.compile(r"\s")
_PLAIN = re.compile(r"[a-zà-öø-ÿ]+(?:['\u2019][a-zà-öø-ÿ]+)?")
_SENTENCE_END = re.compile(r".*[a-zà-öø-ÿ]{3}[.!]+[\"»”)]*")
_FIRST_NAMES = words_of("first names")
_PARTICLES = words_of("particles")
_ABBREVIATIONS = words_of("abbreviations")
CUES = words_of("cues")


class Stretches:
    def __init__(self) -> None:
        self._text = ""
        self._start = 0
        self._word = 0
        self._plain = 0
        self._held = 0

    def feed(self, piece: str) -> Iterator[str]:
        """The stretches that are whole now."""
        self._text += piece
        while end := self._end():
            yield self._text[self._start : end]
            self._restart(end)
        self._text = self._text[self._start :]
        self._word -= self._start
        self._start = 0

    def end(self) -> str:
        """The last one, perhaps empty."""
        rest, self._text = self._text, ""
        self._restart(0)
        return rest

    def _restart(self, at: int) -> None:
        self._start = self._word = at
        self._plain = self._held = 0

    def _end(self) -> int:
        """Where the stretch ends; 0 where that is not known yet."""
        limit = self._start + LONGEST
        for space in _SPACE.finditer(self._text, self._word, limit):
            begin, self._word = self._word, space.end()
            end = self._end_after(begin, space.start())
            if end:
                return end
        return self._last_resort(limit) if len(self._text) >= limit else 0

    def _end_after(self, begin: int, end: int) -> int:
        """Where the stretch ends now that the word between them is whole; 0 where it goes on."""
        word = self._text[begin:end]
        if (
            self._text[end] == "\n"
            and end > self._start
            and (end - self._start >= _LINE or self._text[end - 1] == "\n")
        ):
            return end + 1
        if not word:
            return 0
        is_plain = _PLAIN.fullmatch(word) is not None
        if not is_plain and _SENTENCE_END.fullmatch(word) and _letters(word) not in _ABBREVIATIONS:
            return end + 1
        self._count(word, is_plain)
        return begin if self._plain > 1 and not self._held and begin > self._start else 0

    def _count(self, word: str, is_plain: bool) -> None:
        self._held = max(self._held - 1, 0)
        if (word if is_plain else _letters(word)) in CUES:
            self._plain, self._held = 0, _HELD
        elif not is_plain or word in _FIRST_NAMES or (not self._plain and word in _PARTICLES):
            self._plain = 0
        else:
            self._plain += 1

    def _last_resort(self, limit: int) -> int:
        """The end of a line, else of a word, else the limit itself."""
        half = self._start + LONGEST // 2
        for sign in ("\n", " "):
            end = self._text.rfind(sign, half, limit)
            if end > 0:
                return end + 1
        return limit


def stretches(text: str) -> Iterator[str]:
    cut = Stretches()
    yield from cut.feed(text)
    rest = cut.end()
    if rest:
        yield rest


def _letters(word: str) -> str:
    """ "phone" for "(Phone:"."""
    return word.strip(".,;:!?()[]\"'\u2019«»*#").lower()
