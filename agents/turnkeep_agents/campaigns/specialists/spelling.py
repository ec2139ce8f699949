"""How numbers, days and lists are spelled: one way each, so that a number in a text can be found among the figures."""

from collections.abc import Sequence
from datetime import date
from typing import Literal, TypeAlias

from turnkeep_agents.campaigns.metrics import METRICS, Unit
from turnkeep_agents.campaigns.requests import Dimension, Grain, Period

Style: TypeAlias = Unit | Literal["share", "change", "money_change", "count_change", "days"]
"""A share and a change are of 1, such as 0.2 for "20.0 %" and "+20.0 %"."""

SIGNS = {"GBP": "£", "EUR": "€", "USD": "$", "JPY": "¥", "INR": "₹"}
SMALL_AMOUNT = 0.1
"""Below it an amount, such as a price per click, is spelled with four decimals in place of two."""
LEAST_CHANGE = 0.0005  # what is spelled as more than nothing
NOT_COMPUTABLE = "n/a"
NOUNS: dict[Dimension | Grain, tuple[str, str]] = {
    "advertiser": ("advertiser", "advertisers"),
    "insertion_order": ("insertion order", "insertion orders"),
    "line_item": ("line item", "line items"),
    "audience": ("audience", "audiences"),
    "creative": ("creative", "creatives"),
    "size": ("size", "sizes"),
    "day": ("day", "days"),
    "week": ("week", "weeks"),
    "month": ("month", "months"),
}
_UP_TO_SIX = ("no", "one", "two", "three", "four", "five", "six")
_NUMBER_WORDS = (*_UP_TO_SIX, "seven", "eight", "nine", "ten", "eleven", "twelve")


def spell(value: float | None, style: Style, currency: str) -> str:
    """`value` with its unit; a percentage, a share and a change are given as a share of 1."""
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
        "days": lambda: f"{value:.0f} {'day' if value == 1 else 'days'}",
    }
    return spellings[style]()


def _money(value: float, currency: str) -> str:
    sign = SIGNS.get(currency, f"{currency} ")
    decimals = 4 if 0 < abs(value) < SMALL_AMOUNT else 2
    return f"{'-' if value < 0 else ''}{sign}{abs(value):,.{decimals}f}"


def _count(value: float) -> str:
    """Whole, or with two decimals where parts of a thing are counted, as with conversions that are shared out."""
    rounded = round(value, 2)
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.2f}"


def unsigned(text: str) -> str:
    """A change after a verb that says its direction."""
    return text.lstrip("+-")


def number_word(number: int) -> str:
    """Up to twelve in words, so that a count of things is no figure."""
    return _NUMBER_WORDS[number] if 0 <= number < len(_NUMBER_WORDS) else f"{number:,}"


def heading(metric: str) -> str:
    """The short name of a metric, for the head of a column."""
    return METRICS[metric].short or capital(METRICS[metric].label)


def in_sentence(metric: str) -> str:
    """The name of a metric within a sentence."""
    return METRICS[metric].short or METRICS[metric].label


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def day(value: date) -> str:
    return f"{value.day} {value:%B %Y}"


def span(start: date, end: date) -> str:
    """Both ends included."""
    return day(start) if start == end else f"{day(start)} to {day(end)}"


def dated(period: Period) -> str:
    """The period by its name, with its days where the name does not tell the year."""
    says_year = str(period.start.year) in period.label
    return period.label if says_year else f"{period.label} ({span(period.start, period.end)})"


def time_label(key: str, grain: Grain) -> str:
    """How a row of the warehouse by day, week or month is called."""
    if grain == "month":
        return f"{date.fromisoformat(f'{key}-01'):%B %Y}"
    name = day(date.fromisoformat(key))
    return f"week of {name}" if grain == "week" else name
