"""Sums and dates, exactly or not at all. Nothing is evaluated: an expression is read sign by sign, within limits."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from fractions import Fraction

LONGEST_EXPRESSION = 120
MOST_DIGITS = 24
LARGEST_POWER = 64
MOST_DAYS = 100_000
PLACES = 6

_SPOKEN = (
    (r"\bto\s+the\s+power\s+of\b|\^", "**"),
    (r"\b(?:multiplied\s+by|times)\b|(?<=\d)\s*[x\u00d7]\s*(?=\d)|\u00b7", "*"),
    (r"\b(?:divided\s+by|over)\b|\u00f7", "/"), (r"\bplus\b", "+"), (r"\bminus\b|\u2212", "-"),
    (r"\bsquared\b", "**2"), (r"\bcubed\b", "**3"),
    (r"(\d[\d.]*)\s*(?:%|percent)\s+of\b", r"\1/100*"),
    (r"^\s*multiply\s+(\S+)\s+(?:by|and|with)\s+", r"\1*"), (r"^\s*divide\s+(\S+)\s+by\s+", r"\1/"),
    (r"^\s*subtract\s+(\S+)\s+from\s+(\S+)", r"\2-\1"),
)  # fmt: skip
_SUM = re.compile(r"^\s*(?:the\s+)?(?:add(?:\s+up)?|sum(?:\s+up)?(?:\s+of)?|total\s+of)\s+(?=[\d.-])", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+(?:and|to)\s+)\s*")
_ASKING = re.compile(
    r"^[^\w(+.-]*(?:(?:please|can you|could you|tell me|so|and)\s+)*"
    r"(?:what(?:'s|s|\s+is|\s+are)|how\s+much\s+is|calculate|compute|work\s+out|evaluate|solve)?\s*",
    re.IGNORECASE,
)
_TO_TWENTY = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBERS = {name: str(value) for value, name in enumerate(_TO_TWENTY)} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")
_EXPRESSION = re.compile(r"[\d\s.+*/()-]+")
_SIGNS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_DAYS_AHEAD = re.compile(
    r"\b(?:in\s+(\d+)\s+(day|week)s?|(\d+)\s+(day|week)s?\s+(?:from\s+(?:now|today)|ago|later))\b", re.IGNORECASE
)
_DATE = re.compile(
    r"\b(?:date|day)\b.{0,24}\b(?:is\s+it|today|tomorrow|yesterday|will\s+it\s+be|was\s+it|be|now)\b"
    r"|\btoday'?s\s+date\b|\b(?:days?|weeks?)\s+(?:from\s+(?:now|today)|ago)\b.{0,20}\b(?:date|day)\b"
    r"|^\W*(?:the\s+)?date\W*$|\bwhat\s+(?:is\s+)?(?:the\s+)?(?:date|day)\b",
    re.IGNORECASE,
)


class NoSum(ValueError):
    """The text is no expression that can be reckoned."""


def reckon(question: str) -> str | None:
    """The result of a sum in the question, or None where it holds none."""
    asked = _ASKING.sub("", question).strip(" =?.!")
    said = _NUMBER_WORD.sub(lambda found: _NUMBERS[found[0].lower()], asked)
    for spoken, sign in _SPOKEN:
        said = re.sub(spoken, sign, said, flags=re.IGNORECASE)
    said = _GROUPED.sub("", said).strip()
    if _SUM.match(said):
        said = _BETWEEN.sub("+", _SUM.sub("", said))
    if not _EXPRESSION.fullmatch(said) or not re.search(r"\d\s*[)]*\s*[-+*/]", said) or _is_number(said):
        return None
    if len(said) > LONGEST_EXPRESSION or re.search(rf"\d{{{MOST_DIGITS},}}", said):
        return None
    try:
        value = _value(ast.parse(re.sub(r"\b0+(?=\d)", "", said).strip(), mode="eval").body)
    except (SyntaxError, NoSum):
        return None
    except ZeroDivisionError:
        return "Nothing can be divided by zero."
    return f"{asked} {_shown(value)}"


def tell_date(question: str, today: date) -> str | None:
    """The date or weekday that the question asks for, or None where it asks for none."""
    if not _DATE.search(question):
        return None
    ahead = _days(question)
    if ahead is None or abs(ahead) > MOST_DAYS:
        return None
    day = today + timedelta(days=ahead)
    when = {0: "Today is", 1: "Tomorrow is", -1: "Yesterday was"}.get(ahead)
    when = when or (f"In {ahead} days it is" if ahead > 0 else f"{-ahead} days ago it was")
    return f"{when} {day:%A}, {day.day} {day:%B %Y}."


def _days(question: str) -> int | None:
    if found := _DAYS_AHEAD.search(question):
        count, unit = (found[1] or found[3]), (found[2] or found[4]).lower()
        days = int(count[:6]) * (7 if unit == "week" else 1)
        return -days if "ago" in found[0].lower() else days
    said = question.lower()
    return 1 if "tomorrow" in said else -1 if "yesterday" in said else 0


def _is_number(said: str) -> bool:
    """A date or a phone number."""
    return bool(re.fullmatch(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|[\d() ]+(?:-\d{3,})+", said))


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Fraction(str(node.value))  # as it is written, not as the machine keeps it
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(_value(node.left), _value(node.right))
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.left), _value(node.right))
    raise NoSum


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or not 0 <= exponent <= LARGEST_POWER or base.denominator > 10**6:
        raise NoSum
    if abs(base) > 10**6:
        raise NoSum
    return Fraction(base**exponent.numerator)


def _shown(value: Fraction) -> str:
    """Whole, or with as many places as it has; a fraction without an end is rounded and says so."""
    if value.denominator == 1:
        return f"= {value.numerator:,}"
    rounded = round(value, PLACES)
    whole, rest = divmod(abs(rounded).numerator * 10**PLACES // rounded.denominator, 10**PLACES)
    text = f"{'-' if value < 0 else ''}{whole:,}.{rest:0{PLACES}}".rstrip("0").rstrip(".")
    return f"= {text}" if rounded == value else f"is about {text}"
