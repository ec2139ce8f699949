"""Checks of a statement that the guard accepts. They know schema and rows, not what the question meant."""
