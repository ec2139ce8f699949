"""List prices of well-known models from `prices.json`: an estimate, as Bedrock charges 10 % more in some regions.
A model that is not listed has no price rather than a wrong one."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def micro(self, read: int, written: int) -> int:
        return round(read * self.input + written * self.output)


_LISTED = json.loads(Path(__file__).with_suffix(".json").read_text())
PRICES: Mapping[str, Price] = {model: Price(*price) for model, price in _LISTED.items()}

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_BEDROCK = re.compile(r"(?:[a-z-]+\.)?([a-z0-9]+\.[a-z0-9-]+?)(?:-\d{8})?-v\d+(?::\d+)?")


def price_of(model: str) -> Price | None:
    """Return the price of `model`, ignoring the date or version of a release and the region of a profile."""
    on_bedrock = _BEDROCK.fullmatch(model)
    return PRICES.get(on_bedrock[1] if on_bedrock else _DATED.sub("", model))
