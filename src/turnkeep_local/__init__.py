"""Turnkeep on a laptop: durable store, objects in a folder, server. No key, Docker or AWS account.

Import the modules directly; this file imports none, so that `turnkeep --help` is fast.
"""


class LocalError(Exception):
    """Something is missing or in the way. The message includes the remedy, for the person at the terminal."""
