"""Which column of somebody's CSV means what: by its heading, or as the user says."""

import re
from collections.abc import Mapping, Sequence

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
