"""Availability of a product: parsed from the catalogue, worded as of a day."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

State: TypeAlias = Literal["in", "out", "back", "gone", "unknown"]

_FORMS_OF: dict[State, str] = {
    "in": r"in stock|available( now)?|yes|y|true|now",
    "out": r"out of stock|sold out|not available|unavailable|no|n|false|none",
    "gone": r"discontinued|no longer (made|sold|available)|end of life",
    "unknown": "",
}
_COUNT = re.compile(r"(only )?(?P<left>\d{1,7})( (left|in stock|pieces|pcs|available))?", re.IGNORECASE)
_DATE = re.compile(
    r"((back|available|in stock|due|expected|restock(ed)?)( again)?( on| from| by)? )?(?P<date>\d{4}-\d\d-\d\d)"
)
FEW = 10
FORMS = '"in stock", "3 left", "out of stock", "back on 2030-01-31" or "discontinued"'


@dataclass(frozen=True)
class Stock:
    """`left` and `day` (ISO) are set only if known."""

    state: State
    left: int | None = None
    day: str | None = None

    @property
    def is_in(self) -> bool:
        return self.state == "in"

    @property
    def written(self) -> str:
        """Return a text that `read_stock` parses."""
        states = {"in": "in stock", "out": "out of stock", "back": f"back on {self.day}", "gone": "discontinued"}
        return f"{self.left} left" if self.left else states.get(self.state, "")

    def phrase(self, today: date) -> str:
        """Return a few words, for a list or after a name and "is"."""
        if self.state == "in":
            return f"in stock, only {self.left} left" if self.left and self.left <= FEW else "in stock"
        if not self.day:
            return {"gone": "discontinued", "unknown": "of unknown availability"}.get(self.state, "out of stock")
        day = date.fromisoformat(self.day)
        when = f"{day.day} {day:%B %Y}"
        return f"out of stock, back on {when}" if day > today else f"out of stock, and was due back on {when}"


def read_stock(text: str) -> Stock:
    """Parse an availability. Raises ValueError with the accepted forms."""
    written = " ".join(text.replace("_", " ").split())
    for state, forms in _FORMS_OF.items():
        if re.fullmatch(forms, written, re.IGNORECASE):
            return Stock(state)
    if found := _COUNT.fullmatch(written):
        left = int(found["left"])
        return Stock("in", left=left) if left else Stock("out")
    if not (found := _DATE.fullmatch(written)):
        raise ValueError(f'"availability" cannot be read; write {FORMS}')
    try:
        return Stock("back", day=date.fromisoformat(found["date"]).isoformat())
    except ValueError as error:
        raise ValueError('"availability" is not a date that exists; write it as 2030-01-31') from error
