"""List prices of well-known models in US dollars per million tokens. They change: a deployment's bill is the
provider's, this table only estimates it (Bedrock charges a tenth more in some regions). A model that is not listed has
no price rather than a wrong one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def micro(self, read: int, written: int) -> int:
        """What so many tokens cost, in millionths of a dollar."""
        return round(read * self.input + written * self.output)


PRICES: Mapping[str, Price] = {
    "demo": Price(0, 0),
    "gpt-4o": Price(2.50, 10),
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-4.1": Price(2, 8),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-5": Price(1.25, 10),
    "gpt-5-mini": Price(0.25, 2),
    "gpt-5-nano": Price(0.05, 0.40),
    "o3": Price(2, 8),
    "o4-mini": Price(1.10, 4.40),
    "amazon.nova-micro": Price(0.035, 0.14),
    "amazon.nova-lite": Price(0.06, 0.24),
    "amazon.nova-pro": Price(0.80, 3.20),
    "anthropic.claude-haiku-4-5": Price(1, 5),
    "anthropic.claude-sonnet-4-5": Price(3, 15),
    "anthropic.claude-opus-4-5": Price(5, 25),
}

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_BEDROCK = re.compile(r"(?:[a-z-]+\.)?([a-z0-9]+\.[a-z0-9-]+?)(?:-\d{8})?-v\d+(?::\d+)?")


def price_of(model: str) -> Price | None:
    """The price of `model`; the date or version of a release, and the region of a profile, are left out of account."""
    on_bedrock = _BEDROCK.fullmatch(model)
    return PRICES.get(on_bedrock[1] if on_bedrock else _DATED.sub("", model))
