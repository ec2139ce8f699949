"""Conventions of the columns of an export: decimal sign, order of day and month, currency. Unambiguous cells settle the
whole column; a column that stays ambiguous is rejected with the option that settles it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime
from functools import lru_cache
from typing import TypeAlias

from turnkeep.kit.csv_tables import BadQuotes, read_table
from turnkeep.kit.documents import CorpusError

Row: TypeAlias = tuple[int, list[str]]

DASHES = " =-\u2013\u2014"
DECIMALS = (".", ",")
DAY_ORDERS = ("dmy", "mdy", "ymd")
MOST_LINES_ABOVE = 30
_TOTAL = re.compile(
    r"(?:(?:grand|sub)[ -]?)?totals?|sum|overall|(?:zwischen|gesamt)?summe|gesamt(?:ergebnis)?|somma|ensemble|razem"
    r"|total[ei](?: complessivo)?|(?:sous-)?total(?: g[ée]n[ée]ral)?|suma(?: końcowa)?|totaal|totalt|summa|celkem"
    r"|összesen|toplam|yhteensä|итого|всего|合計|总计|合计|總計|합계",
    re.IGNORECASE,
)

DATE_FORMATS = ("%Y%m%d", "%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%B %d, %Y", "%b %d, %Y")
_NUMERIC_DATE = re.compile(r"(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})\.?", re.ASCII)
_TIME_OF_DAY = re.compile(
    r"(?:[T\s]|,\s)\s*\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?\s?m\.?)?\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?$",
    re.IGNORECASE | re.ASCII,
)
_SIGNS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "R$": "BRL"}
_SIGNS |= {"zł": "PLN", "Kč": "CZK"}
_CODES = (
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MXN MYR NGN NOK NZD"
    " PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR kr Ft lei"
)
_CURRENCY = "|".join([*map(re.escape, sorted(_SIGNS, key=len, reverse=True)), *_CODES.split(), r"[₽₺₩₪฿₫₴]"])
_AMOUNT = re.compile(
    rf"(?P<before>{_CURRENCY})?\s?(?P<open>\()?(?P<sign>[-+])?\s?(?P<inner>{_CURRENCY})?\s?(?P<body>\d[\d.,'\s]*|[.,]\d+)"
    rf"(?P<power>e[-+]?\d{{1,2}})?(?P<minus>-)?(?(open)\)|)\s?(?P<after>{_CURRENCY})?\.?",
    re.IGNORECASE | re.ASCII,
)
_BODIES = {
    sign: re.compile(
        rf"(?:\d+|[1-9]\d{{0,2}}(?P<by>[{group}'\s])\d{{3}}(?:(?P=by)\d{{3}})*|[1-9]\d?(?:{group}\d\d)+{group}\d{{3}})?"
        rf"(?:\{sign}\d+)?",
        re.ASCII,
    )
    for sign, group in ((".", ","), (",", "\\."))
}
_GROUP = re.compile(r"[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
_BRACKETS = re.compile(rf"\s*[(\[](?:{_CURRENCY})[)\]]\s*$|_(?:{_CURRENCY})$", re.IGNORECASE)


class Doubtful(ValueError):
    """A column fits several conventions, or none throughout; the message names the option that settles it."""


@contextmanager
def naming(column: str) -> Iterator[None]:
    """Name the column in a Doubtful that the block raises."""
    try:
        yield
    except Doubtful as error:
        raise Doubtful(f'column "{column}": {error}') from error


def find_table(text: str, place: object, score: Callable[[Sequence[str]], int]) -> tuple[Row, list[Row], int]:
    """Return headings, rows, and the number of lines above the headings, which are the first row with the best score.
    Raises CorpusError."""
    try:
        rows = list(read_table(text, is_strict=True))
    except BadQuotes as error:
        remedy = "put cells with quotes or commas in quotes"
        raise CorpusError(f"{place}:{error.line}: not valid CSV ({error}; {remedy}): correct the quotes") from error
    if not rows:
        raise CorpusError(f"{place}:1: has no headings; write them on the first line, and a row for each line below")
    at = max(range(min(len(rows), MOST_LINES_ABOVE)), key=lambda at: score(rows[at][1]))
    width, found = len(rows[at][1]), []
    for line, cells in rows[at + 1 :]:
        has_more = any(cell.strip() for cell in cells[width:])
        found.append((line, cells if has_more else cells[:width]))
    return rows[at], found, at


def is_total(cell: str) -> bool:
    """ "Total", "Gesamtsumme:", "Total: Campaigns"."""
    return _TOTAL.fullmatch(cell.partition(":")[0].strip(DASHES)) is not None


def without_currency(heading: str) -> str:
    """ "Cost (EUR)" and "cost_eur" are costs."""
    return _BRACKETS.sub("", heading)


def plain_number(cell: str, decimal: str, *, is_count: bool = False) -> str:
    """Return the number in Python's notation. Raises ValueError unless it is a number with this decimal sign; a count
    must be whole."""
    found = _amount(cell)
    body = found["body"].strip()
    if not _BODIES[decimal].fullmatch(body) or (found["before"] and found["after"]):
        raise ValueError(cell)
    bare = re.sub(rf"[^\d{re.escape(decimal)}]", "", body).replace(decimal, ".") + (found["power"] or "")
    is_negative = (found["sign"] == "-") + bool(found["open"]) + bool(found["minus"])
    is_group = _GROUP.fullmatch(body) and decimal in body  # of thousands, in a count
    if is_negative > 1 or (is_count and (is_group or not float(bare).is_integer())):
        raise ValueError(cell)
    return f"-{bare}" if is_negative else bare


@lru_cache(maxsize=4096)
def _amount(cell: str) -> re.Match[str]:
    bare = re.sub(r"\s", " ", re.sub("[\u200e\u200f\u061c]", "", cell).strip())
    found = _AMOUNT.fullmatch(bare.replace("\u2212", "-").replace("\u2019", "'"))
    if found is None:
        raise ValueError(cell)
    return found


def decimal_of(cells: Iterable[str], given: str | None = None, *, is_count: bool = False) -> str:
    """Return the decimal sign of a column, or `given` if that is ambiguous; raises Doubtful."""
    signs, doubt = _ways(set(cells), DECIMALS, lambda cell, way: float(plain_number(cell, way, is_count=is_count)))
    if doubt and not given:
        raise Doubtful(f"its numbers, such as {doubt}, {_HOW[bool(signs)]}; add --decimal . or --decimal ,")
    return given if doubt and given else signs[0]


def currency_of(cells: Iterable[str]) -> str:
    """Return the currency that amounts name, empty if none does; raises Doubtful for several."""
    found: dict[str, str] = {}
    for cell in cells:
        with suppress(ValueError):
            amount = _amount(cell)
            if sign := amount["before"] or amount["inner"] or amount["after"]:
                found.setdefault(_SIGNS.get(sign, sign.upper()), cell)
    if len(found) > 1:
        several = " and ".join(list(found.values())[:2])
        raise Doubtful(f"its amounts are in several currencies, such as {several}; keep one")
    return next(iter(found), "")


def day_order_of(cells: Iterable[str], today: date, given: str | None = None) -> str:
    """Return the order of day, month and year, or `given` if that is ambiguous; raises Doubtful. A year of two digits
    is at most the next one."""
    orders, doubt = _ways(set(cells), DAY_ORDERS, lambda cell, way: read_date(cell, way, today.year + 1))
    if doubt and not given:
        remedy = "add --dates dmy or --dates mdy, or write YYYY-MM-DD"
        raise Doubtful(f"its dates, such as {doubt}, {_HOW[bool(orders)]}; {remedy}")
    return given if doubt and given else orders[0]


_HOW = {True: "can be read in two ways", False: "are not all written in one way"}


def _ways(cells: set[str], ways: Sequence[str], read: Callable[[str, str], object]) -> tuple[list[str], str]:
    """Return the ways that fit every readable cell, and a cell that they read differently or that excludes the last."""
    left, doubtful = list(ways), list[dict[str, object]]()
    for cell in sorted(cells):
        readings: dict[str, object] = {}
        for way in ways:
            with suppress(ValueError):
                readings[way] = read(cell, way)
        if not readings:
            continue
        if not (still := [way for way in left if way in readings]):
            return [], cell
        left = still
        doubtful += [{"": cell, **readings}] if len(set(map(str, readings.values()))) > 1 else []
    for readings in doubtful:
        if len({str(readings[way]) for way in left}) > 1:
            return left, str(readings[""])
    return left, ""


@lru_cache(maxsize=4096)
def read_date(cell: str, order: str, last_year: int = 2099) -> date:
    """Raises ValueError. A time of day is ignored; a year of two digits is at most `last_year`."""
    bare = _TIME_OF_DAY.sub("", " ".join(cell.split()))
    if found := _NUMERIC_DATE.fullmatch(bare):
        return _numeric(found, order, last_year)
    for form in DATE_FORMATS:
        with suppress(ValueError):
            return datetime.strptime(bare, form).date()  # noqa: DTZ007 - a day has no zone
    raise ValueError(cell)


def _numeric(found: re.Match[str], order: str, last_year: int) -> date:
    """Numbers separated by points never begin with the month."""
    first, second, third = found[1], found[3], found[4]
    if len(first) == 4:
        return date(int(first), int(second), int(third))
    year, day = (first, third) if order == "ymd" else (third, first)
    if len(year) not in (2, 4) or (len(year) == 4 and order == "ymd") or (order == "mdy" and found[2] == "."):
        raise ValueError(found[0])
    if len(year) == 2 and int(year) + 2000 > last_year:
        raise ValueError(found[0])
    month, day = (first, second) if order == "mdy" else (second, day)
    return date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day))
