"""Whether a product can be had: read from what a catalogue says, told as of a day."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

_IN = re.compile(r"(in stock|available( now)?|yes|y|true|now)", re.IGNORECASE)
_OUT = re.compile(r"(out of stock|sold out|not available|unavailable|no|n|false|none)", re.IGNORECASE)
_GONE = re.compile(r"(discontinued|no longer (made|sold|available)|end of life)", re.IGNORECASE)
_COUNT = re.compile(r"(only )?(?P<left>\d{1,7})( (left|in stock|pieces|pcs|available))?", re.IGNORECASE)
_DATE = re.compile(
    r"((back|available|in stock|due|expected|restock(ed)?)( again)?( on| from| by)? )?(?P<date>\d{4}-\d\d-\d\d)"
)
FORMS = '"in stock", "3 left", "out of stock", "back on 2030-01-31" or "discontinued"'


@dataclass(frozen=True)
class Stock:
    """`left` and `day` (ISO) only where they are known."""

    state: Literal["in", "out", "back", "gone", "unknown"]
    left: int | None = None
    day: str | None = None

    @property
    def is_in(self) -> bool:
        return self.state == "in"

    @property
    def written(self) -> str:
        """As `read_stock` reads it."""
        states = {"in": "in stock", "out": "out of stock", "back": f"back on {self.day}", "gone": "discontinued"}
        return f"{self.left} left" if self.left else states.get(self.state, "")

    def told(self, today: date) -> str:
        """A few words, for a list or behind a name and "is"."""
        match self.state:
            case "in":
                return f"in stock, only {self.left} left" if self.left and self.left <= 10 else "in stock"
            case "out":
                return "out of stock"
            case "gone":
                return "discontinued"
            case "unknown":
                return "of unknown availability"
        day = date.fromisoformat(self.day or "")
        when = f"{day.day} {day:%B %Y}"
        return f"out of stock, back on {when}" if day > today else f"out of stock, and was due back on {when}"


def read_stock(text: str) -> Stock:
    """Raises ValueError with the forms that are understood."""
    said = " ".join(text.split())
    if not said:
        return Stock("unknown")
    if _IN.fullmatch(said):
        return Stock("in")
    if _OUT.fullmatch(said):
        return Stock("out")
    if _GONE.fullmatch(said):
        return Stock("gone")
    if found := _COUNT.fullmatch(said):
        left = int(found["left"])
        return Stock("in", left=left) if left else Stock("out")
    if found := _DATE.fullmatch(said):
        return Stock("back", day=_day(found["date"]))
    raise ValueError(f'"availability" cannot be read; write {FORMS}')


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise ValueError('"availability" holds no date of the calendar; write it as 2030-01-31') from error
