"""What a detector finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One piece of personal data: `text[start:end]` is of this kind, one word in capitals such as "EMAIL". `value` is
    what spellings of the same datum have in common: "IT60 X054" and "it60x054" are one IBAN."""

    kind: str
    start: int
    end: int
    value: str
