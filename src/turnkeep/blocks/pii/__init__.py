"""Detects personal data in text and replaces it with placeholders. This is code by intent and runs before any model: no
model can be asked to find data that it must not see."""

from turnkeep.blocks.pii.finding import Tag, add_detector, find, hidden
from turnkeep.blocks.pii.findings import Finding
from turnkeep.blocks.pii.stretches import Held

__all__ = ["Finding", "Held", "Tag", "add_detector", "find", "hidden"]
