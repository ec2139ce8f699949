"""What the columns and the cells of somebody's CSV say: numbers, days, names. What can be read in two ways is not read
at all."""

import calendar
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache

MISSING = frozenset({"", "-", "n/a", "na", "nan", "null", "none", "#n/a"})
"""What stands where a number or a date is not known. Among names these are names."""

DATE_FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%B %d, %Y", "%b %d, %Y",
)  # fmt: skip
MONTHS = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr, [str(month) for month in range(13)])
    for number, name in enumerate(names)
    if number
}

_NUMBER = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)?(\.\d+)?(e[-+]?\d{1,2})?", re.IGNORECASE | re.ASCII)
_CURRENCY = re.compile(r"[£$€¥]\s?|\s?[£$€¥]$")
_NUMERIC_DATE = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})", re.ASCII)
_TIME_OF_DAY = re.compile(r"[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$")
_SIZE = re.compile(r"(\d{2,4})\s*[x*\u00d7]\s*(\d{2,4})", re.IGNORECASE | re.ASCII)


class Ambiguous(ValueError):
    """A column of dates that fits both orders of day and month; the message says the remedy."""


def read_number(cell: str) -> float:
    """Raises ValueError. A comma stands between thousands or makes the cell unreadable."""
    bare = _CURRENCY.sub("", cell.strip())
    if not any(character.isdigit() for character in bare) or not _NUMBER.fullmatch(bare):
        raise ValueError(cell)
    return float(bare.replace(",", ""))


def is_missing(cell: str) -> bool:
    return cell.strip().casefold() in MISSING


def month_first(cells: Iterable[str]) -> bool:
    """Whether dates such as 7/25/2025 have the month first; raises Ambiguous where no cell tells."""
    dates = {cell.strip() for cell in cells}
    found = [match for match in map(_NUMERIC_DATE.fullmatch, sorted(dates)) if match]
    if any(int(match[1]) > 12 for match in found):
        return False
    if found and not any(int(match[2]) > 12 for match in found):
        raise Ambiguous(f"its dates, such as {found[0][0]}, can be read in two ways; write them as YYYY-MM-DD")
    return True


@lru_cache(maxsize=4096)
def read_date(cell: str, *, has_month_first: bool) -> date:
    """Raises ValueError. A time of day is left aside."""
    bare = _TIME_OF_DAY.sub("", cell.strip())
    if found := _NUMERIC_DATE.fullmatch(bare):
        first, second, year = map(int, found.groups())
        return date(year, first, second) if has_month_first else date(year, second, first)
    for form in DATE_FORMATS:
        try:
            return datetime.strptime(bare, form).date()  # noqa: DTZ007  # a day has no zone
        except ValueError:
            continue
    raise ValueError(cell)


def read_month_and_day(month: str, day: str) -> tuple[int, int]:
    """Raises ValueError; a year is still needed to say that there is such a day."""
    number = MONTHS.get(month.strip().casefold().removeprefix("0"))
    if number is None:
        raise ValueError(month)
    return number, int(read_number(day))


def tidy(name: str) -> str:
    """The name without spaces too many."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def same_name(name: str) -> str:
    """What all spellings of a name have in common."""
    return _SIZE.sub(r"\1x\2", tidy(name)).casefold()


def read_size(name: str) -> str | None:
    """The size in pixels that a name is or ends with, as 300x250."""
    found = list(_SIZE.finditer(name))
    return f"{found[-1][1]}x{found[-1][2]}" if found else None


ALIASES: Mapping[str, tuple[str, ...]] = {
    "date": ("date", "report date"),
    "year": ("year",),
    "month": ("month",),
    "day": ("day", "day of month"),
    "advertiser": ("advertiser", "advertiser name", "client", "account", "brand"),
    "insertion_order": ("insertion order", "campaign", "campaign name", "campaign number"),
    "line_item": ("line item", "placement", "channel", "ad group", "ad set"),
    "audience": ("audience", "user engagement", "segment", "device"),
    "creative": ("creative", "creative name", "banner", "ad name", "ad"),
    "size": ("size", "creative size", "banner size"),
    "impressions": ("impressions", "displays"),
    "clicks": ("clicks",),
    "cost": ("cost", "spend", "amount spent", "media cost"),
    "conversions": ("conversions", "post click conversions"),
    "revenue": ("revenue", "conversion value"),
}
"""Headings in the order in which they are preferred, in lower case and with spaces."""

REQUIRED = ("insertion_order", "impressions", "clicks", "cost", "conversions", "revenue")


def find_columns(headings: Sequence[str], mapped: Mapping[str, str]) -> dict[str, int]:
    """Where each field stands. `mapped` gives fields the heading of their column; raises ValueError with the remedy."""
    places = {_plain(heading): place for place, heading in reversed(list(enumerate(headings))) if heading.strip()}
    columns: dict[str, int] = {}
    for field, heading in mapped.items():
        if field not in ALIASES:
            raise ValueError(f'there is no field "{field}" to map; use one of {", ".join(ALIASES)}')
        if _plain(heading) not in places:
            raise ValueError(f'there is no column "{heading}"; the columns are {", ".join(headings)}')
        columns[field] = places[_plain(heading)]
    taken = set(columns.values())
    for field, aliases in ALIASES.items():
        found = [places[alias] for alias in aliases if alias in places and places[alias] not in taken]
        if field not in columns and found:
            columns[field] = found[0]
    return _checked(_with_a_date(columns))


def _plain(heading: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", heading.casefold()))


def _with_a_date(columns: dict[str, int]) -> dict[str, int]:
    """A column `day` without a month holds whole dates."""
    if "date" not in columns and "month" not in columns and "day" in columns:
        return {"date" if field == "day" else field: place for field, place in columns.items()}
    return columns


def _checked(columns: dict[str, int]) -> dict[str, int]:
    missing = [field for field in REQUIRED if field not in columns]
    if "date" not in columns and not {"month", "day"} <= columns.keys():
        missing.insert(0, "date (or month and day)")
    if missing:
        known = "; ".join(f"{field}: {', '.join(ALIASES[field])}" for field in missing if field in ALIASES)
        remedy = f"name it with --map {missing[0].split()[0]}=HEADING, or add one, of zeros where nothing was counted"
        raise ValueError(f"no column for {', '.join(missing)}; {remedy} (known headings are {known or 'date'})")
    return columns
