"""The metrics: a database of any kind, an embedded sample, or the rows of a CSV. Read-only."""
