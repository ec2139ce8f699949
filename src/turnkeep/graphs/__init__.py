"""Agents: what they are, how they are built, and graphs of a langgraph.json as agents."""
