"""What a thread speaks of, as plain JSON of bounded size: what the last reply was about, the last list, all things
mentioned. The size holds whatever things are called; what finds no room is left out, the oldest first."""

import json
from collections.abc import Iterable, Sequence
from typing import TypedDict

from turnkeep.blocks.words import STOP_WORDS, singular, words

MOST_FOCUS, MOST_LISTED, MOST_KNOWN = 5, 10, 30
MOST_BYTES = 3_200
KNOWN_WITH_HINTS = 10  # the newest; older ones are found by their names
NAME_CHARACTERS, WORD_CHARACTERS, MOST_HINTS = 80, 24, 4
_FRAME_BYTES = len('{"focus":[],"listed":[],"known":[]}')


class Thing(TypedDict):
    """`hints` are other words that it may be called by: a brand, a category, a colour."""

    id: str
    name: str
    kind: str
    hints: list[str]


class Referents(TypedDict):
    """`focus`: what the last reply was about; `listed`: the last list, in its order; `known`: all, the newest last."""

    focus: list[Thing]
    listed: list[Thing]
    known: list[Thing]


def no_referents() -> Referents:
    return Referents(focus=[], listed=[], known=[])


def remember(referents: Referents, *, focus: Sequence[Thing] = (), listed: Sequence[Thing] | None = None) -> Referents:
    """What is spoken of after a reply; `listed` None keeps the last list."""
    focused = [_trimmed(thing) for thing in focus[:MOST_FOCUS]]
    in_list = referents["listed"] if listed is None else [_trimmed(thing) for thing in listed[:MOST_LISTED]]
    known = {key_of(thing): thing for thing in referents["known"]}
    for thing in [*(in_list if listed is not None else []), *focused]:
        known.pop(key_of(thing), None)
        known[key_of(thing)] = thing
    return _fitted(focused, in_list, list(known.values())[-MOST_KNOWN:])


def key_of(thing: Thing) -> tuple[str, str]:
    """Things of two kinds may share an id."""
    return thing["kind"], thing["id"]


def unique(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Each thing once, where it comes first."""
    found: dict[tuple[str, str], Thing] = {}
    for thing in things:
        found.setdefault(key_of(thing), thing)
    return tuple(found.values())


def nouns_of(thing: Thing) -> set[str]:
    """The words that a thing is called by besides its name, folded, in the singular."""
    return {singular(word) for text in [thing["kind"], *thing["hints"]] for word in words(text)}


def names_of(thing: Thing) -> set[str]:
    """The words of its name, likewise, without those that any sentence has."""
    return {singular(word) for word in words(thing["name"])} - STOP_WORDS


def _trimmed(thing: Thing) -> Thing:
    hints = [_cut(hint, WORD_CHARACTERS) for hint in thing["hints"]]
    return Thing(
        id=thing["id"],
        name=_cut(thing["name"], NAME_CHARACTERS) or thing["id"],
        kind=_cut(thing["kind"], WORD_CHARACTERS),
        hints=[hint for hint in dict.fromkeys(hints) if hint][:MOST_HINTS],
    )


def _cut(text: str, most: int) -> str:
    """One line, without what cannot be shown."""
    line = " ".join(text[: 4 * most].split())
    return "".join(letter for letter in line if letter.isprintable())[:most].rstrip()


def _fitted(focus: list[Thing], listed: list[Thing], known: list[Thing]) -> Referents:
    older = [Thing({**thing, "hints": []}) for thing in known[:-KNOWN_WITH_HINTS]]
    room = MOST_BYTES - _FRAME_BYTES
    focus, room = _within(focus, room)
    listed, room = _within(listed, room)
    newest_first, _ = _within([*reversed(known[-KNOWN_WITH_HINTS:]), *reversed(older)], room)
    return Referents(focus=focus, listed=listed, known=newest_first[::-1])


def _within(things: Sequence[Thing], room: int) -> tuple[list[Thing], int]:
    """The first of them that fit into `room` bytes, and the room that is left."""
    kept: list[Thing] = []
    for thing in things:
        packed = len(json.dumps(thing, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")) + 1
        if packed > room:
            break
        kept.append(thing)
        room -= packed
    return kept, room
