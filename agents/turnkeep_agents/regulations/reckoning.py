"""Carries out the steps that a model planned, with numbers and days. Each must occur in the model's input, so that no
rate, threshold or date comes from its memory."""

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, DivisionByZero, InvalidOperation
from typing import TypeAlias

from turnkeep.kit.locales import notation
from turnkeep_agents.regulations.facts.days import shifted
from turnkeep_agents.regulations.facts.numerals import in_words
from turnkeep_agents.regulations.prompts import Step

Value: TypeAlias = Decimal | date

MOST_STEPS, MOST_CHARACTERS = 20, 200
SMALL = 12  # months of a year, and small counts
CONSTANTS = frozenset(map(Decimal, (100, 1000, 365, 366, 360, 30, 52, 26)))
MOST_APART = 40_000  # days, weeks, months or years of one step

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_STEP = re.compile(r"\bs(\d+)\b")
_UNITS = {"days": "D", "weeks": "W", "months": "M", "years": "Y"}
_OPERATORS: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_ALLOWED = 'numbers, "2026-01-31", + - * / ( ), min, max, after, before, days and earlier steps'


class Unreckonable(ValueError):
    """A step cannot be carried out; the message gives the reason, for the model that planned it."""


@dataclass(frozen=True)
class Known:
    """The numbers and days that a computation may start from."""

    numbers: Collection[Decimal] = field(default_factory=frozenset)
    days: Collection[date] = field(default_factory=frozenset)


def known_in(texts: Collection[str], today: date) -> Known:
    """Return every number in Italian and in English notation ("1.234,5", "1,234.5") or in words ("sessanta"), and every
    day; one without a year may be of this year, the last or the next."""
    found = {each for text in texts for each in _NUMBER.findall(text)}
    plain = {plain for each in found for plain in (each.replace(".", "").replace(",", "."), each.replace(",", ""))}
    written = [reading for text in texts for one in notation("it").dates(text) for reading in one.readings]
    near = range(today.year - 1, today.year + 2)
    dated = [replace(one, year=year) for one in written for year in ([one.year] if one.year else near)]
    days = {day for one in dated for span in one.spans() for day in span}
    named = {number for text in texts for word in _WORD.findall(text) if (number := in_words(word.lower())) is not None}
    return Known({*map(Decimal, named), *(Decimal(each) for each in plain if each.count(".") <= 1)}, {today, *days})


def reckon(steps: Iterable[Step], known: Known) -> list[str]:
    """Return a line for each step: "s2 imposta: (50000 - 28000) * 35 / 100 = 7700". Raises Unreckonable."""
    results: dict[str, Value] = {}
    lines: list[str] = []
    for at, step in enumerate(list(steps)[:MOST_STEPS], 1):
        value = _carry_out(step.expression.strip(), results, known)
        shown = _STEP.sub(lambda name: _plain(results[name[0]]), step.expression.strip())
        results[f"s{at}"] = value
        lines.append(f"s{at} {step.name}: {shown} = {_plain(value)}{_weekday(value)}")
    return lines


def _carry_out(expression: str, results: Mapping[str, Value], known: Known) -> Value:
    if len(expression) > MOST_CHARACTERS:
        raise Unreckonable(f"“{expression[:40]}…” is too long, use several steps")
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Unreckonable(f"“{expression}” is not an expression") from None
    try:
        return _value(tree.body, expression, results, known)
    except (DivisionByZero, InvalidOperation, OverflowError, TypeError):
        raise Unreckonable(f"“{expression}” divides by zero, grows too large or mixes days and numbers") from None


def _value(node: ast.expr, source: str, results: Mapping[str, Value], known: Known) -> Value:
    match node:
        case ast.Constant(value=int() | float() | str() as value):
            written = ast.get_source_segment(source, node) or ""
            return _day(value, known.days) if isinstance(value, str) else _number(written, known.numbers)
        case ast.Name(id=name) if name in results:
            return results[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            one, other = (_value(side, source, results, known) for side in (left, right))
            return _OPERATORS[type(op)](_decimal(one), _decimal(other))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_decimal(_value(operand, source, results, known))
        case ast.Call(func=ast.Name(id=name), args=[*values, ast.Constant(value=str(unit))], keywords=[]) if (
            name in ("after", "before") and len(values) == 2
        ):
            day, number = (_value(each, source, results, known) for each in values)
            return _moved(day, _decimal(number), unit, forward=name == "after")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in ("min", "max", "days") and args:
            return _called(name, [_value(each, source, results, known) for each in args])
    raise Unreckonable(f"“{source}” contains something else than {_ALLOWED}")


def _called(name: str, values: list[Value]) -> Value:
    if name == "days" and len(values) == 2 and isinstance(values[0], date) and isinstance(values[1], date):
        return Decimal((values[1] - values[0]).days)
    if name == "days":
        raise Unreckonable("days takes two days, the earlier one first")
    days = [each for each in values if isinstance(each, date)]
    chosen = min if name == "min" else max
    return chosen(days) if len(days) == len(values) else chosen(map(_decimal, values))


def _moved(day: Value, number: Decimal, unit: str, *, forward: bool) -> date:
    if not isinstance(day, date) or number != int(number) or not 0 <= number <= MOST_APART:
        raise Unreckonable("after and before take a day, a whole number and a unit")
    if unit not in _UNITS:
        raise Unreckonable(f"“{unit}” is not a unit; use days, weeks, months or years")
    return shifted(day, int(number) if forward else -int(number), _UNITS[unit])


def _decimal(value: Value) -> Decimal:
    if isinstance(value, Decimal):
        return value
    raise TypeError


def _number(text: str, known: Collection[Decimal]) -> Decimal:
    number = Decimal(text.replace("_", ""))
    is_small = number == number.to_integral_value() and number <= SMALL
    if is_small or number in CONSTANTS or number in known or number * 100 in known:  # 0.23 for "23 per cento"
        return number
    raise Unreckonable(f"{text} is neither in the documents nor in the message")


def _day(text: str, known: Collection[date]) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Unreckonable(f"“{text}” is not a day such as 2026-01-31") from None
    if day in known:
        return day
    raise Unreckonable(f"{text} is neither in the documents nor in the message")


def _weekday(value: Value) -> str:
    """Return the weekday, and for a weekend the next Monday, because a term may not end on a weekend."""
    if not isinstance(value, date):
        return ""
    days_to_monday = 7 - value.weekday()
    return f" ({value:%A}{f', then Monday {value + timedelta(days_to_monday)}' if days_to_monday < 3 else ''})"


def _plain(value: Value) -> str:
    if isinstance(value, date):
        return value.isoformat()
    rounded = value.quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{rounded:.0f}" if rounded == rounded.to_integral_value() else f"{rounded:f}"
