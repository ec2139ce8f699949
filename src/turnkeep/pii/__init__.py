"""Detects personal data in text and replaces it with placeholders. No model sees the data."""

from turnkeep.pii.finding import Tag, add_detector, find, redacted
from turnkeep.pii.findings import PiiMatch
from turnkeep.pii.stretches import Held

__all__ = ["Held", "PiiMatch", "Tag", "add_detector", "find", "redacted"]
