"""Facts of a message in canonical form, Italian and English: a model names spans and kinds, this reads their values."""

from turnkeep.blocks.facts.fact import Fact, Kind
from turnkeep.blocks.facts.reading import canonical, find

__all__ = ["Fact", "Kind", "canonical", "find"]
