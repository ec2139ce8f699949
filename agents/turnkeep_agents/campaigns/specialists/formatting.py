"""Formats numbers, days and lists: one way each, so that a number in a text can be found among the figures."""

from collections.abc import Sequence
from datetime import date
from typing import Literal, TypeAlias

from turnkeep_agents.campaigns.metrics import METRICS, Unit
from turnkeep_agents.campaigns.requests import Dimension, Grain, Period

Style: TypeAlias = Unit | Literal["share", "change", "money_change", "count_change"]
"""A share and a change are fractions of 1, such as 0.2 for "20.0 %" and "+20.0 %"."""

SIGNS = {"GBP": "£", "EUR": "€", "USD": "$", "JPY": "¥", "INR": "₹"}
SMALL_AMOUNT = 0.1  # a smaller amount, such as a price per click, has four decimals in place of two
LEAST_CHANGE = 0.0005  # smaller changes are formatted as zero
NOT_COMPUTABLE = "n/a"
_UP_TO_SIX = ("no", "one", "two", "three", "four", "five", "six")
_NUMBER_WORDS = (*_UP_TO_SIX, "seven", "eight", "nine", "ten", "eleven", "twelve")


def spell(value: float | None, style: Style, currency: str) -> str:
    """Format `value` with its unit; a percentage, a share and a change are given as a share of 1."""
    if value is None:
        return NOT_COMPUTABLE
    spellings = {
        "money": lambda: _money(value, currency),
        "money_change": lambda: f"{'+' if value > 0 else ''}{_money(value, currency)}",
        "percent": lambda: f"{100 * value:,.2f} %",
        "share": lambda: f"{100 * value:,.1f} %",
        "change": lambda: f"{100 * value:+,.1f} %" if abs(value) >= LEAST_CHANGE else "0.0 %",
        "ratio": lambda: f"{value:,.2f}",
        "count": lambda: _count(value),
        "count_change": lambda: f"{'+' if value > 0 else ''}{_count(value)}",
    }
    return spellings[style]()


def _money(value: float, currency: str) -> str:
    sign = SIGNS.get(currency, f"{currency} ")
    decimals = 4 if 0 < abs(value) < SMALL_AMOUNT else 2
    return f"{'-' if value < 0 else ''}{sign}{abs(value):,.{decimals}f}"


def _count(value: float) -> str:
    """Format whole, or with two decimals if parts of a thing are counted, as with shared conversions."""
    rounded = round(value, 2)
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.2f}"


def noun(name: Dimension | Grain) -> str:
    """Return the singular; the plural of each adds an "s"."""
    return name.replace("_", " ")


def unsigned(text: str) -> str:
    """Format a change after a verb that names its direction."""
    return text.lstrip("+-")


def number_word(number: int) -> str:
    """Return numbers up to twelve as words, so that a count of things is not a figure."""
    return _NUMBER_WORDS[number] if 0 <= number < len(_NUMBER_WORDS) else f"{number:,}"


def heading(metric: str) -> str:
    return METRICS[metric].short or capital(METRICS[metric].label)


def in_sentence(metric: str) -> str:
    return METRICS[metric].short or METRICS[metric].label


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def day(value: date) -> str:
    return f"{value.day} {value:%B %Y}"


def span(start: date, end: date) -> str:
    """Format a span, both ends included."""
    return day(start) if start == end else f"{day(start)} to {day(end)}"


def dated(period: Period) -> str:
    """Return the name of the period, with its days if the name does not contain the year."""
    has_year = str(period.start.year) in period.label
    return period.label if has_year else f"{period.label} ({span(period.start, period.end)})"


def time_label(key: str, grain: Grain) -> str:
    if grain == "month":
        return f"{date.fromisoformat(f'{key}-01'):%B %Y}"
    name = day(date.fromisoformat(key))
    return f"week of {name}" if grain == "week" else name
