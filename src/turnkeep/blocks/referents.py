"""What pronouns, ordinals, descriptions and names in a message mean, given what a thread speaks of. Phrases are read
for English, names in any language."""

from collections.abc import Sequence
from dataclasses import dataclass

from turnkeep.blocks.meanings import Spoken, Things, meaning_of
from turnkeep.blocks.names import Names
from turnkeep.blocks.phrases import read_phrase
from turnkeep.blocks.spans import Words
from turnkeep.blocks.things import Referents, Thing, names_of, no_referents, nouns_of, remember, unique

__all__ = ["Referents", "Resolved", "Thing", "Unclear", "named", "no_referents", "remember", "resolve"]

MOST_PHRASES = 20  # of one message: a text of nothing but "them" must not grow without end


@dataclass(frozen=True)
class Unclear:
    """A phrase that points at several of the thread's things or, without `things`, at none."""

    phrase: str
    things: Things = ()


@dataclass(frozen=True)
class Resolved:
    """`text` is the message with names in place of what points at things; `things` stand in the order of mention.
    `replaced` says what was exchanged: start and end in the message, and the text that stands there now."""

    text: str
    things: Things = ()
    unclear: tuple[Unclear, ...] = ()
    replaced: tuple[tuple[int, int, str], ...] = ()


def resolve(message: str, referents: Referents) -> Resolved:
    """What the message points at and names. Any text is a valid message."""
    focus, listed, known = (tuple(referents["focus"]), tuple(referents["listed"]), tuple(referents["known"]))
    everything = unique([*known, *listed, *focus])
    nouns, names = ({word for thing in everything for word in of(thing)} for of in (nouns_of, names_of))
    return _read(Words(message, nouns, names), Names(referents), Spoken(focus, listed, known))


def named(message: str, referents: Referents) -> Things:
    """The things whose names stand in the message."""
    said, names = Words(message), Names(referents)
    found = (names.find(said, at) for at in range(len(said)))
    return unique(one[0] for one in found if one)


def _read(said: Words, names: Names, spoken: Spoken) -> Resolved:
    replaced: list[tuple[int, int, str]] = []
    unclear: list[Unclear] = []
    at, before = 0, None
    while at < len(said):
        spoken.enter(said, at)
        name = _name(said, names, at)
        phrase = None if name or len(replaced) + len(unclear) >= MOST_PHRASES else read_phrase(said, at, before)
        meant = meaning_of(phrase, spoken) if phrase else None
        if name:
            spoken.mention((name[0],))
            at = name[1]
        elif phrase and meant:
            start, end = said.place(phrase.at, phrase.next)
            if meant.is_clear:
                spoken.mention(meant.things)
                replaced.append((start, end, f"{phrase.prefix}{_listing(meant.things)}{phrase.suffix}"))
            else:
                unclear.append(Unclear(said.text[start:end], meant.things))
            at, before = phrase.next, phrase
        else:
            at += 1
    return Resolved(_exchange(said.text, replaced), spoken.mentioned, tuple(unclear), tuple(replaced))


def _name(said: Words, names: Names, at: int) -> tuple[Thing, int] | None:
    """The name at the word or behind its article, unless "one" follows: that is a phrase."""
    if said.folded[at] != "the":
        return names.find(said, at)
    found = names.find(said, at + 1) if said.next(at + 1) else None
    return None if found and said.next(found[1]) in ("one", "ones") else found


def _listing(things: Sequence[Thing]) -> str:
    names = [thing["name"] for thing in things]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _exchange(text: str, replaced: Sequence[tuple[int, int, str]]) -> str:
    pieces, done = [], 0
    for start, end, new in replaced:
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])
