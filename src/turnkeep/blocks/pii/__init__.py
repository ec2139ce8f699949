"""Detects personal data in text and replaces it with placeholders. This is code by intent and runs before any model: no
model can be asked to find data that it must not see."""

from turnkeep.blocks.pii.finding import Tag, add_detector, find, redacted
from turnkeep.blocks.pii.findings import PiiMatch
from turnkeep.blocks.pii.stretches import Held

__all__ = ["Held", "PiiMatch", "Tag", "add_detector", "find", "redacted"]
