"""What a stretch of a message says, in one canonical form."""

from dataclasses import dataclass
from typing import Literal

type Kind = Literal["date", "period", "duration", "amount", "percentage", "ordinal", "number"]


@dataclass(frozen=True)
class Fact:
    """`value` by kind: date "2026-03-31"; period "2026-01-01/2026-03-31", both ends included, an open one ".."; duration
    in ISO 8601 "P3M"; amount, percentage and number as decimals "1234.50", ranges of them as "[20,30]", "(30,)";
    ordinal "3", from the end "-1". It is empty where the words contradict themselves, and `reading` says how."""

    text: str  # as it stands in the message
    kind: Kind
    value: str
    unit: str = ""  # ISO 4217 of an amount; "pp" of percentage points; the unit of a number: "km"
    reading: str = ""  # what was chosen where the words leave it open
    other: str = ""  # the value that it may mean as well
