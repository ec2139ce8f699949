"""Facts of a message in canonical form, Italian and English: a model names spans and kinds, code reads their values."""

from turnkeep_agents.regulations.facts.reading import Fact, Kind, canonical

__all__ = ["Fact", "Kind", "canonical"]
