"""Personal data in text: where it stands, and placeholders in its place. Code before any model, by intent: what a
model must not see, no model can be asked to find."""

from turnkeep.blocks.pii.finding import add_detector, find
from turnkeep.blocks.pii.findings import Finding
from turnkeep.blocks.pii.placeholders import Tag, hidden
from turnkeep.blocks.pii.stretches import Held
from turnkeep.placeholders import PLACEHOLDER, restored, shown

__all__ = ["PLACEHOLDER", "Finding", "Held", "Tag", "add_detector", "find", "hidden", "restored", "shown"]
