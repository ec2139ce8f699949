"""Messages of signs and question words alone: they ask nothing of a database, whatever was said before."""

from turnkeep.blocks.words import words

MOST_CHARACTERS = 100

_BARE = frozenset(
    words(
        "why how come what huh hm hmm eh hey oh ah um uh really so and but well seriously pardon sorry excuse me is it"
        " that this so wtf lol omg wow the do you mean does say"
    )
)


def is_bare(message: str) -> bool:
    """Whether nothing in it says something."""
    return len(message) <= MOST_CHARACTERS and all(word in _BARE for word in words(message))
