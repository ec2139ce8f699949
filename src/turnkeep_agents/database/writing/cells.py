"""Values of a result as people read them, and as Markdown shows them: a cell is text, whatever stands in it. A value
never becomes a link, an image, a tag, or a second cell."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from math import isfinite

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.writing.names import column_words
from turnkeep.blocks.grammar import word_class
from turnkeep.databases.results import Cell, Result

LONGEST_CELL = 80  # characters

_MONEY = word_class(
    "amount total price cost balance fee salary wage value revenue subtotal charge paid tax budget discount rate"
)
_NO_MONEY = word_class("hours minutes days quantity count units stock percent score weight kilometres rank rows")
_NAMES = word_class("id number no nr code year zip postcode phone reference ref key serial")
_TRUTHS = word_class("is has can was are active enabled")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_MARKS = re.compile(r"[\\`*\[\]|]|~(?=~)|(?<=~)~|(?<!\w)_|_(?!\w)")
_ADDRESS = re.compile(r":(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def in_words(name: str) -> str:
    """The name of a column, as words: "total amount"."""
    return " ".join(column_words(name))


def written(result: Result) -> list[list[str]]:
    """All cells as people read them, not yet as Markdown."""
    forms = [_form(name, [row[at] for row in result.rows]) for at, name in enumerate(result.columns)]
    return [[_written(cell, form) for cell, form in zip(row, forms, strict=True)] for row in result.rows]


def headed(name: str) -> str:
    """The name of a column over its values."""
    words = column_words(name)
    told = " ".join(words[1:] if len(words) > 1 and words[0] in ("is", "has") else words)
    return told[:1].upper() + told[1:]


def is_numeric(result: Result, at: int) -> bool:
    if _form(result.columns[at], [row[at] for row in result.rows]) == "truth":
        return False
    cells = [row[at] for row in result.rows if row[at] is not None]
    return bool(cells) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)


def escaped(text: str) -> str:
    """As Markdown that shows the text and does nothing else; on one line, cut where it is long."""
    seen = "".join(_visible(sign) for sign in text[: 4 * LONGEST_CELL])
    seen = " ".join(seen.split())
    if len(seen) > LONGEST_CELL:
        seen = seen[: LONGEST_CELL - 1].rstrip() + "…"
    seen = _MARKS.sub(lambda found: f"\\{found[0]}", seen)
    seen = _ADDRESS.sub(lambda found: f"\\{found[0]}", seen)
    return "".join(_ENTITIES.get(sign, sign) for sign in seen)


def quoted(texts: Iterable[str]) -> list[str]:
    return [f"“{escaped(text)}”" for text in texts]


def listed(texts: Sequence[str], last: str = "and") -> str:
    """One, two and three."""
    return f" {last} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def told_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def told_number(number: float, *, is_money: bool = False) -> str:
    """18,430.50 for money, 18,430.5 for anything else; at most four decimals below one, two above."""
    if not isfinite(number):
        return str(number)
    if is_money:
        return f"{number:,.2f}"
    if isinstance(number, int):
        return f"{number:,}"
    text = f"{number:,.{2 if abs(number) >= 1 else 4}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _form(name: str, cells: Sequence[Cell]) -> str:
    words = set(name_words(name))
    if words & _TRUTHS and all(cell in (0, 1, None) for cell in cells):
        return "truth"
    if words & _MONEY and not words & _NO_MONEY:
        return "money" if any(isinstance(cell, float) and not cell.is_integer() for cell in cells) else ""
    if words & _NAMES:
        return "name"
    return next((grain for grain in ("week", "month", "quarter") if name == grain), "")


def _written(cell: Cell, form: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool) or form == "truth":
        return "yes" if cell else "no"
    if isinstance(cell, int | float):
        return str(cell) if form == "name" else told_number(cell, is_money=form == "money")
    return _time(cell, form) or cell


def _time(text: str, form: str) -> str:
    """A day, a moment, a month in words; empty where the text is none."""
    if len(text) > 40:
        return ""
    if found := _DAY.fullmatch(text):
        day = _day(found[0])
        return f"week of {told_day(day)}" if day and form == "week" else told_day(day) if day else ""
    if found := _MOMENT.fullmatch(text):
        day, clock = _day(found[1]), found[2] + (found[3] if found[3] not in (None, ":00") else "")
        return "" if day is None else told_day(day) if clock == "00:00" else f"{told_day(day)}, {clock}"
    if form == "month" and (found := _MONTH.fullmatch(text)) and "01" <= found[2] <= "12":
        return f"{datetime(int(found[1]) or 1, int(found[2]), 1):%B} {found[1]}"  # noqa: DTZ001
    found = _QUARTER.fullmatch(text) if form == "quarter" else None
    return f"Q{found[2]} {found[1]}" if found else ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _visible(sign: str) -> str:
    """Line ends are blanks, signs that show nothing or turn the direction of the text are left out."""
    if sign in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    return "" if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn") else sign
