"""What to search for when a message leans on what was said before: rules only, no model. The text is for retrievers
that count words: the message comes twice, so that it outweighs the topic words that follow it."""

from collections.abc import Iterator, Sequence

from turnkeep.blocks.followups import EARLIER_CHARACTERS, EARLIER_MESSAGES, MESSAGE_CHARACTERS, depends_on_history
from turnkeep.blocks.grammar import Reading, is_topic
from turnkeep.blocks.words import singular, words

MESSAGE_WEIGHT = 2
TOPIC_WORDS = 5
DECAY = 0.5


def standalone_query(message: str, history: Sequence[str]) -> str:
    """The search text, at most a few thousand characters: the beginning of the message alone where it surely stands
    alone, else twice, with the words that say most about `history`, the earlier messages of its user, oldest first."""
    text = message[:MESSAGE_CHARACTERS]
    found = depends_on_history(message, history)
    topic = () if found.is_sure and not found.is_follow_up else _topic_words(history)
    return "\n".join([*[text] * MESSAGE_WEIGHT, " ".join(topic)]) if topic else text


def _topic_words(history: Sequence[str]) -> list[str]:
    """The words that weigh most: those of each message half as much as those of the next, repeated ones added up."""
    weights: dict[str, float] = {}
    for age, text in enumerate(reversed(history[-EARLIER_MESSAGES:])):
        for word in dict.fromkeys(_topics(text)):
            weights[word] = weights.get(word, 0.0) + DECAY**age
    return sorted(weights, key=weights.__getitem__, reverse=True)[:TOPIC_WORDS]


def _topics(text: str) -> Iterator[str]:
    reading = Reading(text, EARLIER_CHARACTERS)
    tokens = (token for phrase in reading.phrases for token in reading.tokens[phrase.start : phrase.end])
    return (word for token in tokens for word in words(token) if is_topic(singular(word)))
