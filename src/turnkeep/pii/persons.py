"""Names of people, by lists of names and by the words around. A name in no list and without a cue is not found."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import NamedTuple

from turnkeep.pii.findings import PiiMatch, patterns_of, words_of

_PATTERNS = {name: re.compile(pattern) for name, pattern in patterns_of("persons").items()}
_WORD, _CAPITAL, _CAMEL, _TWO_PARTS = (_PATTERNS[name] for name in ("word", "capital", "camel", "two parts"))
_NAMED, _SAID, _SPOKEN_TO, _SELF = (_PATTERNS[name] for name in ("named", "said", "spoken to", "self"))
_LISTED, _LETTERHEAD, _ADDRESSEE = (_PATTERNS[name] for name in ("listed", "letterhead", "addressee"))
_FAMILY_ENDINGS = _PATTERNS["family endings"]
_ID = re.compile(r"-\d")  # after "DLGS", "CC": "DLGS-66-2003-10"
_PARTICLES = words_of("particles")
_TITLES = words_of("titles")
_ROLES = words_of("roles")
_NOT_NAMES = words_of("not names")
_FIRST, _FAMILY = words_of("first names"), words_of("family names")
_SURE_FAMILY = _FAMILY - words_of("family names that are words too")
_DOUBTFUL = words_of("names that are words too")  # first names that are also words or places
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "ß": "ss"})


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    plain: str  # "szabo" for "Szabó"
    is_capital: bool  # it may be a name
    is_initial: bool  # "D." or "D"


def _word(at: re.Match[str]) -> _Word:
    text, bare = at[0], plain(at[0])
    is_upper = text[0].isupper() and not (text.isupper() and _ID.match(at.string, at.end()))
    is_upper = is_upper and (not _CAMEL.search(text) or _TWO_PARTS.fullmatch(text) is not None)
    return _Word(text, *at.span(), bare, is_upper and bare not in _NOT_NAMES, is_upper and len(bare) == 1)


def persons(text: str, known: Collection[str] = ()) -> Iterator[PiiMatch]:
    """ "Mario Rossi", "Dr. Kyle Kuefer", "Faina D. Yefremova", "my name is nyberg". `known` are words of names found
    earlier, as `parts_of` returns them: a later "Rossi" is found too."""
    for at in _NAMED.finditer(text):
        yield from _named(text, at.end(), any_case=at["any"] is not None)
    for at in _ADDRESSEE.finditer(text):
        if not any(plain(word) in _NOT_NAMES for word in at[1].split()):
            yield _person(text, at.start(1), at.end(1))
    words = [_word(at) for at in _WORD.finditer(text)]
    n = 0
    while n < len(words):
        end = _name_at(words, n, text, known) if words[n].is_capital else _small_at(words, n, text)
        if end > n:
            yield _person(text, words[n].start, words[end - 1].end)
        n = max(end, n + 1)


def listed(text: str) -> Iterator[PiiMatch]:
    """ "Morrison, Rogers and Torres": names without first names, if two of them are known."""
    for at in _LISTED.finditer(text):
        members = list(_CAPITAL.finditer(at[0]))
        if any(_CAMEL.search(member[0]) or member[0].isupper() for member in members) and not text.isupper():
            continue  # "RoBERTa and ALBERT"
        names = [plain(member[0]) for member in members]
        is_known = sum(name in _FIRST or name in _FAMILY or name in _DOUBTFUL for name in names) >= 2
        if is_known and not _NOT_NAMES.intersection(names):
            for member in members:
                yield _person(text, at.start() + member.start(), at.start() + member.end())


def letterhead(text: str) -> Iterator[PiiMatch]:
    """Yield the line above an address or a phone number: "Cormac Allan"."""
    at = _LETTERHEAD.match(text)
    if at and not any(plain(word) in _NOT_NAMES for word in at[1].split()):
        yield _person(text, at.start(1), at.end(1))


def parts_of(name: str) -> set[str]:
    """Return the words by which a name may be mentioned again."""
    words = (plain(at[0]) for at in _WORD.finditer(name))
    return {word for word in words if len(word) > 2 and word not in _PARTICLES and word not in _NOT_NAMES}


def plain(word: str) -> str:
    """ "muller" for "Müller", also for "MÜLLER." and "Müller's"."""
    bare = word.lower()
    if not bare.isascii():
        letters = (c for c in unicodedata.normalize("NFD", bare) if not unicodedata.combining(c))
        bare = "".join(letters).translate(_LETTERS)
    return bare.removesuffix(".").removesuffix("'s")


def _person(text: str, start: int, end: int) -> PiiMatch:
    spelling = re.sub(r"'s$|[.']$", "", text[start:end])
    return PiiMatch("PERSON", start, start + len(spelling), " ".join(spelling.lower().split()))


def _named(text: str, start: int, *, any_case: bool) -> Iterator[PiiMatch]:
    """Yield the name after "my name is": at most four capitalised words, or two without capitals."""
    ends: list[int] = []
    is_upper, has_word = text[start].isupper(), False  # a lone initial is not a name: "under L. 104/1992"
    for at in _WORD.finditer(text, start, start + 80):
        word = _word(at)
        is_joined = text[ends[-1] : word.start] in (" ", "  ") if ends else word.start == start
        is_fit = word.is_capital or word.is_initial if is_upper else any_case and word.plain not in _NOT_NAMES
        if not is_joined or not is_fit or len(ends) == (4 if is_upper else 2):
            break
        ends.append(word.end)
        has_word = has_word or not word.is_initial
    if has_word:
        yield _person(text, start, ends[-1])


def _name_at(words: list[_Word], n: int, text: str, known: Collection[str]) -> int:
    """Return the index after the name that begins with word n, n if there is none."""
    if words[n].plain in _TITLES:
        return n
    end = _run(words, n, text)
    return end if _is_name(words[n:end], words[n - 1] if n else None, text, known) else n


def _small_at(words: list[_Word], n: int, text: str) -> int:
    """Like `_name_at`, for a first and a family name without capitals: "mario rossi"."""
    if words[n].plain not in _FIRST or n + 1 == len(words) or text[words[n].end : words[n + 1].start] != " ":
        return n
    return n + 2 if words[n + 1].plain in _FAMILY or _FAMILY_ENDINGS.fullmatch(words[n + 1].plain) else n


def _run(words: list[_Word], n: int, text: str) -> int:
    """Return the end of capitalised words, initials and particles: "Rossi de Luca", "Anna M. Bianchi"."""
    end = ahead = n + 1
    while ahead < len(words) and ahead - n < 5:
        gap = text[words[ahead - 1].end : words[ahead].start]
        last = words[ahead - 1]
        if gap not in (" ", "  ") or last.text.endswith("'s") or (last.text[-1] == "." and not last.is_initial):
            break
        if words[ahead].is_capital or words[ahead].is_initial:
            end = ahead + 1
        elif words[ahead].plain not in _PARTICLES:
            break
        ahead += 1
    return end


def _is_name(run: list[_Word], before: _Word | None, text: str, known: Collection[str]) -> bool:
    head, rest = run[0], run[1:]
    is_next = before and head.start - before.end < 3 and "[" not in text[before.end : head.start]
    lead = before.plain if before and is_next else ""
    if lead in _TITLES or (lead in _ROLES and not rest[2:]) or any(word.plain in known for word in run):
        return True
    if head.text.isupper() and not head.is_initial and not run[-1].text.isupper() and not text.isupper():
        return head.plain in _FAMILY and run[-1].plain in _FIRST  # "ROSSI Mario"; not "ALBERT Models"
    if head.text.isupper() and not rest and not text.isupper():
        return False  # "ALBERT"
    if any(part in _FIRST for part in head.plain.split("-")):
        return True
    return _is_full(run, text) if rest else _is_alone(head, lead, text)


def _is_full(run: list[_Word], text: str) -> bool:
    """ "Zoe Young", "Soib K. Kishiev": several words, the first of which is in no list."""
    head, *_, last = run
    is_family = last.plain in _FIRST or bool(_FAMILY_ENDINGS.fullmatch(last.plain))
    if head.plain in _DOUBTFUL:
        return is_family or last.plain in _FAMILY
    if run[1].plain in _PARTICLES and head.plain not in _FAMILY:
        return False  # "Parlo di Mario": perhaps the next word begins a name
    has_initial = any(word.is_initial for word in run[1:-1])
    is_short = has_initial or last.plain in _SURE_FAMILY or _is_self(text, head.start)
    return is_family or (is_short and len(run) < 4)


def _is_alone(word: _Word, lead: str, text: str) -> bool:
    """Return whether one capitalised word is a name: "This is Rossi", "Trivo lives there", "Rossi, can you"."""
    if lead == "said" or _SAID.match(text, word.end) or (not word.start and _SPOKEN_TO.match(text, word.end)):
        return True
    return (word.plain in _DOUBTFUL or word.plain in _FAMILY) and _is_self(text, word.start)


def _is_self(text: str, end: int) -> bool:
    return _SELF.search(text, max(end - 16, 0), end) is not None
