"""The embedded database of a field service company."""
