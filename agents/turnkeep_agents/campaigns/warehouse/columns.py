"""Columns and names of a CSV of daily rows."""

import calendar
import re
import unicodedata
from collections.abc import Mapping, Sequence

from turnkeep_agents.columns import without_currency

MISSING = frozenset({"", "-", "--", "n/a", "na", "nan", "null", "none", "#n/a"})
"""Placeholders for a missing number or date. As names, they are ordinary names."""

MONTHS = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr, [str(month) for month in range(13)])
    for number, name in enumerate(names)
    if number
}

_SIZE = re.compile(r"(\d{2,4})\s*[x*\u00d7]\s*(\d{2,4})", re.IGNORECASE | re.ASCII)


def is_missing(cell: str) -> bool:
    return cell.strip().casefold() in MISSING


def read_month_and_day(month: str, day: str) -> tuple[int, int]:
    """Raises ValueError; whether the day exists depends on the year."""
    number = MONTHS.get(month.strip().casefold().removeprefix("0"))
    if number is None:
        raise ValueError(month)
    return number, int(day)


def tidy(name: str) -> str:
    """Return the name without extra spaces."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def same_name(name: str) -> str:
    """Return a key that is equal for all spellings of a name."""
    return _SIZE.sub(r"\1x\2", tidy(name)).casefold()


def read_size(name: str) -> str | None:
    """Return the size in pixels that a name is or ends with, as 300x250."""
    found = list(_SIZE.finditer(name))
    return f"{found[-1][1]}x{found[-1][2]}" if found else None


ALIASES: Mapping[str, tuple[str, ...]] = {
    "date": ("date", "report date"),
    "starts": ("reporting starts", "date start"),
    "ends": ("reporting ends", "date stop"),
    "currency": ("currency code", "currency"),
    "indicator": ("result indicator",),
    "year": ("year",),
    "month": ("month",),
    "day": ("day", "day of month"),
    "advertiser": ("advertiser", "advertiser name", "client", "account", "brand"),
    "insertion_order": ("insertion order", "campaign", "campaign name", "campaign number"),
    "line_item": ("line item", "placement", "channel", "ad group", "ad set"),
    "audience": ("audience", "user engagement", "segment", "device"),
    "creative": ("creative", "creative name", "banner", "ad name", "ad"),
    "size": ("size", "creative size", "banner size"),
    "impressions": ("impressions", "displays", "impr"),
    "clicks": ("clicks", "link clicks"),
    "cost": ("cost", "spend", "amount spent", "media cost", "total spent"),
    "conversions": ("conversions", "post click conversions", "conv", "results", "purchases"),
    "revenue": ("revenue", "conversion value", "conv value", "purchases conversion value"),
}
"""Headings in order of preference, in lower case and with spaces."""

REQUIRED = ("insertion_order", "impressions", "clicks", "cost", "conversions", "revenue")


def find_columns(headings: Sequence[str], mapped: Mapping[str, str]) -> dict[str, int]:
    """Return the column of each field. `mapped` names the headings of fields; raises ValueError with the remedy."""
    places = _places(headings)
    for field, heading in mapped.items():
        if field not in ALIASES:
            raise ValueError(f'there is no field "{field}" to map; use one of {", ".join(ALIASES)}')
        if _plain(heading) not in places:
            raise ValueError(f'there is no column "{heading}"; the columns are {", ".join(headings)}')
    columns = columns_in(headings, mapped)
    missing = [field for field in REQUIRED if field not in columns]
    if "date" not in columns and not {"month", "day"} <= columns.keys():
        missing.insert(0, "date (or month and day)")
    if missing:
        known = "; ".join(f"{field}: {', '.join(ALIASES[field])}" for field in missing if field in ALIASES)
        remedy = f"name it with --map {missing[0].split()[0]}=HEADING, or add one, of zeros where nothing was counted"
        raise ValueError(f"no column for {', '.join(missing)}; {remedy} (known headings are {known or 'date'})")
    return columns


def _places(headings: Sequence[str]) -> dict[str, int]:
    numbered = [(place, heading) for place, heading in enumerate(headings) if heading.strip()]
    bare = {_plain(without_currency(heading)): place for place, heading in reversed(numbered)}
    return bare | {_plain(heading): place for place, heading in reversed(numbered)}


def columns_in(headings: Sequence[str], mapped: Mapping[str, str]) -> dict[str, int]:
    places = _places(headings)
    columns = {field: places[_plain(heading)] for field, heading in mapped.items() if _plain(heading) in places}
    taken = set(columns.values())
    for field, aliases in ALIASES.items():
        found = [places[alias] for alias in aliases if alias in places and places[alias] not in taken]
        if field not in columns and found:
            columns[field] = found[0]
    # Without a month, `day` is a whole date, else the first day of a period.
    days = [columns[field] for field in ("date", "day", "starts") if field in columns]
    return {**columns, "date": days[0]} if days and "month" not in columns else columns


def _plain(heading: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", heading.casefold()))
