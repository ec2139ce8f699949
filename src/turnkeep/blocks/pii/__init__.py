"""Detects personal data in text and replaces it with placeholders. No model is asked, because it must not see the
data."""

from turnkeep.blocks.pii.finding import Tag, add_detector, find, redacted
from turnkeep.blocks.pii.findings import PiiMatch
from turnkeep.blocks.pii.stretches import Held

__all__ = ["Held", "PiiMatch", "Tag", "add_detector", "find", "redacted"]
