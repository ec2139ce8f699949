"""Personal data in text: where it stands, and placeholders in its place. Code before any model, by intent: what a
model must not see, no model can be asked to find."""

from turnkeep.blocks.pii.finding import Tag, add_detector, find, hidden
from turnkeep.blocks.pii.findings import Finding
from turnkeep.blocks.pii.stretches import Held

__all__ = ["Finding", "Held", "Tag", "add_detector", "find", "hidden"]
