"""The laptop: a durable store, objects in a folder, the server, the terminal chat. No key, no Docker, no AWS account.

Import the modules; this file stays empty of them so that `turnkeep --help` is quick.
"""


class LocalError(Exception):
    """What is missing or in the way, with the line that mends it; shown to the person at the terminal."""
