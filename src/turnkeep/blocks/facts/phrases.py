"""Several tokens that are one number: "3 milioni e mezzo", "two thirds", "una dozzina", "twenty-first"."""

from dataclasses import dataclass, replace
from fractions import Fraction

from turnkeep.blocks.facts.tokens import Token

SMALLEST_SCALE_OF_HALVES = 10**6  # "2 milioni e mezzo" is half a million more, "duemila e mezzo" half of one
_NUMBERS = "nyx"


@dataclass(frozen=True)
class Phrase:
    value: Fraction
    end: int  # the token after it
    scale: int = 1  # what a fraction after it is of
    kind: str = "n"
    other: Fraction | None = None  # what it is as the other of ordinal and fraction: "cento milionesimo"


def merged(found: list[Token]) -> list[Token]:
    """With every number as one token."""
    result: list[Token] = []
    at = 0
    while at < len(found):
        phrase = _phrase(found, at)
        end = phrase.end if phrase else at + 1
        result.append(_joined(found[at:end], phrase) if phrase else found[at])
        at = end
    return result


def _joined(parts: list[Token], phrase: Phrase) -> Token:
    first = parts[0]
    if len(parts) == 1 and first.kind in "nyxH":
        return replace(first, value=phrase.value)
    is_year = phrase.kind == "n" and phrase.value.denominator == 1 and 1000 < phrase.value < 3000
    other = phrase.other
    if isinstance(first.other, Fraction) and len(parts) == 2:
        other = first.other * phrase.scale
    return Token("y" if is_year else phrase.kind, first.start, parts[-1].end, phrase.value, "", first.note, other)


def _phrase(found: list[Token], at: int) -> Phrase | None:
    token = found[at]
    if token.kind in _NUMBERS:
        if token.kind == "x" and _kind(found, at + 1) == "H":
            return _scaled(found, Phrase(Fraction(1, 2), at + 2))
        return _with_fraction(found, _part(found, _whole(found, at)))
    if token.kind == "H":
        has_article = _kind(found, at + 1) == "x" and _kind(found, at + 2) in ("k", "d")
        return _scaled(found, Phrase(Fraction(1, 2), at + 1 + has_article))
    return Phrase(_number(token), at + 1) if token.kind == "d" else None


def _whole(found: list[Token], at: int) -> Phrase:
    """ "due milioni duemila", "one hundred and five thousand, two hundred"."""
    total, current, scale = Fraction(0), _number(found[at]), 0  # no current one after a scale
    is_word, has_current = not found[at].word[-1:].isdigit(), True
    at += 1
    while at < len(found):
        token = found[at]
        if _is_scale(found, at):
            size = int(str(token.value))
            if size == 100 and has_current:
                current *= 100
            elif has_current and (not scale or size < scale):
                total, current, scale, has_current = total + current * size, Fraction(0), size, False
            elif not has_current:
                total, scale = total * size, scale * size
            else:
                break
            is_word = True
            at += 1
            continue
        step = 1 if token.kind in "&,-" else 0
        if not _adds(found, at + step, token.kind, current if has_current else None, scale, is_word):
            break
        current, has_current = current + _number(found[at + step]), True
        at += step + 1
    return Phrase(total + current, at, 1 if has_current or not scale else scale)


def _adds(found: list[Token], at: int, mark: str, current: Fraction | None, scale: int, is_word: bool) -> bool:
    """Whether a number goes on: "cento" "tre", "million," "five"; not "dieci e venti", "2024, 300"."""
    if not is_word or _kind(found, at) not in tuple("nyx") or _number(found[at]).denominator != 1:
        return False
    value, following = _number(found[at]), _kind(found, at + 1)
    if mark == "&" and (following == "d" or following == "o" or (found[at].kind == "x" and following == "H")):
        return False
    if found[at].word[-1:].isdigit() and not (_is_scale(found, at + 1) and scale > int(str(found[at + 1].value))):
        return False
    if current is None:
        return 0 < value < scale
    if mark == "," or (mark == "&" and current < 100) or current < 20 or current.denominator != 1:
        return False
    return 0 < value < _room(current.numerator)


def _part(found: list[Token], phrase: Phrase) -> Phrase:
    """ "due terzi", "duecento punto ventinove", "thirty-first"."""
    at = phrase.end
    kind = _kind(found, at)
    step = 1 if kind in ("-", "&") and _kind(found, at + 1) == "o" else 0
    if _kind(found, at + step) == "o" and _is_word(found[at + step]):
        token, ordinal = found[at + step], _number(found[at + step])
        is_english = token.word[-2:] in ("st", "nd", "rd", "th")
        if is_english and phrase.value.denominator == 1 and ordinal < _room(phrase.value.numerator) != 1:
            return Phrase(phrase.value + ordinal, at + step + 1, kind="o")
        if not step and token.word[-1] in "oihs" and ordinal > 2:
            return Phrase(phrase.value / ordinal, at + 1, other=phrase.value * ordinal)
    if kind == "u" and found[at].word.startswith("quarter") and phrase.value in (1, 3) and _is_word(found[at - 1]):
        return Phrase(phrase.value / 4, at + 1)
    if kind == "p" and _kind(found, at + 1) in tuple("nyx") and _is_word(found[at - 1]) and _is_word(found[at + 1]):
        rest = _whole(found, at + 1)
        return _scaled(found, Phrase(phrase.value + rest.value / 10 ** len(str(rest.value)), rest.end))
    return _scaled(found, phrase)


def _with_fraction(found: list[Token], phrase: Phrase) -> Phrase:
    """ "cento e tre quarti", "3 milioni e mezzo", "trecento e due dozzine"."""
    if _kind(found, phrase.end) != "&" or phrase.end + 1 >= len(found) or phrase.kind != "n":
        return phrase
    at = phrase.end + 1 + (_kind(found, phrase.end + 1) == "x")
    rest = Phrase(Fraction(1, 2), at + 1) if _kind(found, at) == "H" else _phrase(found, phrase.end + 1)
    if rest is None or phrase.value.denominator != 1:
        return phrase
    if 0 < rest.value < 1:
        scale = phrase.scale if phrase.scale >= SMALLEST_SCALE_OF_HALVES else 1
        return _scaled(found, Phrase(phrase.value + rest.value * scale, rest.end))
    is_dozens = found[rest.end - 1].kind == "d" and rest.value < _room(phrase.value.numerator)
    return Phrase(phrase.value + rest.value, rest.end) if is_dozens else phrase


def _scaled(found: list[Token], phrase: Phrase) -> Phrase:
    """ "mezzo" "milione", "due" "dozzine"."""
    at = phrase.end
    if _is_scale(found, at) or _kind(found, at) == "d":
        size = int(str(found[at].value))
        return Phrase(phrase.value * size, at + 1, size)
    return phrase


def _is_scale(found: list[Token], at: int) -> bool:
    """A single letter stands at its number: "50M"."""
    if _kind(found, at) != "k":
        return False
    return len(found[at].word) > 1 or found[at].word == "k" or found[at].start == found[at - 1].end


def _kind(found: list[Token], at: int) -> str:
    return found[at].kind if at < len(found) else ""


def _is_word(token: Token) -> bool:
    return token.word.isalpha() or not token.word


def _number(token: Token) -> Fraction:
    return token.value if isinstance(token.value, Fraction) else Fraction(str(token.value))


def _room(value: int) -> int:
    """What may be added in words: 1000 to 2000."""
    text = str(value)
    return int(10 ** (len(text) - len(text.rstrip("0"))))
