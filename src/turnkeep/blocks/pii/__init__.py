"""Personal data in text: where it stands, and placeholders in its place. Code before any model, by intent: what a
model must not see, no model can be asked to find."""

from turnkeep.blocks.pii.finding import Finding, find
from turnkeep.blocks.pii.placeholders import PLACEHOLDER, Tag, hidden, restored

__all__ = ["PLACEHOLDER", "Finding", "Tag", "find", "hidden", "restored"]
