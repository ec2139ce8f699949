"""Several tokens that are one number: "3 milioni e mezzo", "two thirds", "una dozzina", "twenty-first"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from turnkeep.blocks.facts.tokens import Token, fraction

HALVES_OF_SCALE = 10**6  # "2 milioni e mezzo" is half a million more, "duemila e mezzo" half of one
SMALLEST_TENS, SMALLEST_HUNDREDS = 20, 100


@dataclass(frozen=True)
class Phrase:
    value: Fraction
    end: int  # the token after it
    scale: int = 1  # what a fraction after it is of
    kind: str = "n"
    other: Fraction | None = None  # what "cento milionesimo" is as an ordinal


def merged(found: Sequence[Token]) -> list[Token]:
    """With every number as one token."""
    result: list[Token] = []
    at = 0
    while at < len(found):
        phrase = _phrase(found, at)
        if phrase and (phrase.end > at + 1 or found[at].kind == "d"):
            result.append(_joined(found[at : phrase.end], phrase))
        else:
            result.append(found[at])
        at = phrase.end if phrase else at + 1
    return result


def _joined(parts: Sequence[Token], phrase: Phrase) -> Token:
    first, is_year = parts[0], phrase.value.denominator == 1 and 1000 < phrase.value < 3000 and phrase.kind == "n"
    other = first.other * phrase.scale if first.other is not None and len(parts) == 2 else phrase.other
    return Token("y" if is_year else phrase.kind, first.start, parts[-1].end, phrase.value, "", first.note, other)


def _phrase(found: Sequence[Token], at: int) -> Phrase | None:
    kinds = _kinds(found, at)
    if kinds[:2] == "xH" or kinds[:1] == "H":
        skipped = 2 if kinds[:2] == "xH" or kinds[:3] in ("Hxk", "Hxd") else 1
        return _scaled(found, Phrase(Fraction(1, 2), at + skipped))
    if kinds[:1] in ("n", "y", "x"):
        return _with_rest(found, _part(found, _whole(found, at)))
    return Phrase(fraction(found[at]), at + 1) if kinds[:1] == "d" else None


def _whole(found: Sequence[Token], at: int) -> Phrase:
    """ "due milioni duemila", "one hundred and five thousand, two hundred"."""
    total, current, scale = Fraction(0), fraction(found[at]), 0
    is_word, is_open = _is_word(found[at]), False  # open right after a scale
    at += 1
    while at < len(found):
        size = _scale(found, at)
        if size == 100 and not is_open:
            current *= 100
        elif size and is_open:
            total, scale = total * size, scale * size
        elif size and (not scale or size < scale):
            total, current, scale, is_open = total + current * size, Fraction(0), size, True
        else:
            step = int(found[at].kind in "&,-")
            following = _scale(found, at + step + 1)
            has_digits = _kinds(found, at + step)[:1] in ("n", "y") and not _is_word(found[at + step])
            is_smaller = 0 < following < scale and is_open  # "2 milioni e 300 mila"
            room = Fraction(scale) if is_open else _room(current, found[at].kind)
            if (
                size
                or not is_word
                or (has_digits and not is_smaller)
                or not _adds(found, at + step, found[at].kind, room)
            ):
                break
            current, is_open, at = current + fraction(found[at + step]), False, at + step
        is_word = is_word or size > 0
        at += 1
    return Phrase(total + current, at, scale if is_open else 1)


def _adds(found: Sequence[Token], at: int, mark: str, room: Fraction) -> bool:
    """ "cento" "tre"; after "cento e" neither "tre quarti" nor "due dozzine" nor "mezzo"."""
    kinds = _kinds(found, at)
    if kinds[:1] not in ("n", "y", "x") or (mark == "&" and kinds[1:2] in ("o", "d", "H")):
        return False
    value = fraction(found[at])
    return value.denominator == 1 and 0 < value < room


def _room(current: Fraction, mark: str) -> Fraction:
    """What may be added in words: below 100 to "duecento"; not "dieci e venti", "venti e tre", "mille, due"."""
    if current.denominator != 1 or mark == "," or current < (SMALLEST_HUNDREDS if mark == "&" else SMALLEST_TENS):
        return Fraction(0)
    text = str(current)
    return Fraction(10 ** (len(text) - len(text.rstrip("0"))))


def _part(found: Sequence[Token], phrase: Phrase) -> Phrase:
    """ "due terzi", "duecento punto ventinove", "thirty-first"."""
    at, kinds = phrase.end, _kinds(found, phrase.end)
    step = int(kinds[:2] in ("-o", "&o"))
    if kinds[step : step + 1] == "o" and found[at + step].word.isalpha():
        word, ordinal = found[at + step].word, fraction(found[at + step])
        if word[-2:] in ("st", "nd", "rd", "th") and 0 < ordinal < _room(phrase.value, "-"):
            return Phrase(phrase.value + ordinal, at + step + 1, kind="o")
        if not step and word[-1] in "oihs" and ordinal > 2:
            return Phrase(phrase.value / ordinal, at + 1, other=phrase.value * ordinal)
    if kinds[:1] == "u" and found[at].word.startswith("quarter") and phrase.value in (1, 3) and _is_word(found[at - 1]):
        return Phrase(phrase.value / 4, at + 1)
    if kinds[:2] in ("pn", "py", "px") and _is_word(found[at - 1]) and _is_word(found[at + 1]):
        rest = _whole(found, at + 1)
        return _scaled(found, Phrase(phrase.value + rest.value / 10 ** len(str(rest.value)), rest.end))
    return _scaled(found, phrase)


def _with_rest(found: Sequence[Token], phrase: Phrase) -> Phrase:
    """ "cento e tre quarti", "3 milioni e mezzo", "trecento e due dozzine"."""
    kinds = _kinds(found, phrase.end)
    if kinds[:1] != "&" or phrase.kind != "n" or phrase.value.denominator != 1:
        return phrase
    half = 2 if kinds[1:2] == "H" else 3 if kinds[1:3] == "xH" else 0
    rest = Phrase(Fraction(1, 2), phrase.end + half) if half else _phrase(found, phrase.end + 1)
    if rest and 0 < rest.value < 1:
        scale = phrase.scale if phrase.scale >= HALVES_OF_SCALE else 1
        return _scaled(found, Phrase(phrase.value + rest.value * scale, rest.end))
    if rest and found[rest.end - 1].kind == "d" and rest.value < _room(phrase.value, "&"):
        return Phrase(phrase.value + rest.value, rest.end)
    return phrase


def _scaled(found: Sequence[Token], phrase: Phrase) -> Phrase:
    """ "mezzo" "milione", "due" "dozzine"."""
    is_dozen = _kinds(found, phrase.end)[:1] == "d"
    size = int(fraction(found[phrase.end])) if is_dozen else _scale(found, phrase.end)
    return replace(phrase, value=phrase.value * size, end=phrase.end + 1, scale=size) if size else phrase


def _scale(found: Sequence[Token], at: int) -> int:
    """0 of what is none; a single letter stands at its number: "50M"."""
    if _kinds(found, at)[:1] != "k":
        return 0
    is_sure = len(found[at].word) > 1 or found[at].word == "k" or found[at].start == found[at - 1].end
    return int(fraction(found[at])) if is_sure else 0


def _kinds(found: Sequence[Token], at: int) -> str:
    """Of three tokens."""
    return "".join(token.kind for token in found[at : at + 3])


def _is_word(token: Token) -> bool:
    return not token.word[-1:].isdigit()
