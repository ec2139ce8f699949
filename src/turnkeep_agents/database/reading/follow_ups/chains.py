"""The lines of a conversation, read one after the other. A line that changes nothing is told of, and forgotten by the
next: only what was asked before it goes on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.follow_ups.removals import changes_nothing, without_filter
from turnkeep_agents.database.reading.gaps import waives
from turnkeep_agents.database.reading.leftovers import content_words
from turnkeep_agents.database.reading.words.plainness import plain

type ReadLine = Callable[[str, Asked | None], Asked | None]


def read_chain(lines: Sequence[str], read_line: ReadLine) -> Asked | None:
    """What the lines ask for together, the oldest first; `read_line` gets the question before a line."""
    asked: Asked | None = None
    kept: Asked | None = None  # the question before a line that changes nothing in it
    before: list[Asked] = []
    heard: set[str] = set()
    for text in lines:
        asked = asked if kept is None or waives(text) else kept
        words = content_words(plain(text))
        read = without_filter(text, before) or read_line(text, asked)
        if read is None and asked is not None:
            unread = tuple(dict.fromkeys(word for word in words if word not in heard))
            read = replace(asked, unread=unread, missing=unread or asked.missing)
        is_idle = asked is not None and read is not None and not waives(text) and changes_nothing(read, asked)
        kept = asked if is_idle else None
        heard |= set() if is_idle else set(words)
        asked = read
        before += [asked] if asked else []
    return asked
