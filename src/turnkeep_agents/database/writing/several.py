"""Sentences for an answer of several figures: further measures, the sides of a comparison, a part and its whole."""

from collections.abc import Sequence
from dataclasses import replace

from turnkeep_agents.database.reading.asked import Asked, Part
from turnkeep_agents.database.writing.cells import escaped, in_words, listed, written
from turnkeep_agents.database.writing.names import many_of, one_of
from turnkeep_agents.database.writing.phrases import column_in_words, phrase
from turnkeep.databases.results import Result


def has_several(asked: Asked) -> bool:
    """Whether a row of the answer holds several figures, or one that is made of several rows' figures."""
    return bool(asked.also or asked.parts or asked.over or (asked.tallies and asked.measure != "rows"))


def figures_in_words(asked: Asked, result: Result) -> str:
    """One sentence about the only row."""
    cells = [escaped(cell) or "no value" for cell in written(result)[0]]
    names = [escaped(in_words(name)) for name in result.columns]
    if asked.measure == "share":
        return _share(asked, cells)
    if asked.over or asked.tallies:
        return f"{_capital(average_in_words(asked))} is {cells[0]}."
    told = listed([f"{name} {cell}" for name, cell in zip(names, cells, strict=True)])
    return f"{_capital(phrase(asked))}: {told}."


def measures_in_words(asked: Asked, result: Result) -> str:
    """What the last columns of a row of groups are."""
    if asked.measure == "share":
        return f"share of {part_in_words(asked)} among {phrase(asked)}, in percent"
    keys = len(result.columns) - _width(asked)
    return f"{listed([in_words(name) for name in result.columns[keys:]])}, of {phrase(asked)}"


def part_in_words(asked: Asked) -> str:
    """The rows that a share is of."""
    return phrase(_within(asked, asked.parts[0]))


def average_in_words(asked: Asked) -> str:
    """ "The average number of work orders per crew", or per month."""
    first = {"average": "average", "minimum": "lowest", "maximum": "highest"}.get(asked.over or asked.measure, "total")
    if asked.tallies:
        tally = asked.tallies[0]
        rows = Asked(tally.table, "count", conditions=tally.conditions, period=tally.period)
        return f"the {first} number of {phrase(rows)} per {_one(asked)}, those with none counted too,"
    keys = [*([asked.grain] if asked.grain else []), *(column_in_words(one, asked.subject) for one in asked.groups)]
    by = listed(list(dict.fromkeys(keys)))
    left_out = f", {many_of(asked.grain)[0]} without any left out," if asked.grain and not asked.groups else ""
    of = f"total {column_in_words(asked.of, asked.subject)}" if asked.of else "number"
    return f"the {first} {of} of {phrase(asked)} per {by}{left_out}"


def _one(asked: Asked) -> str:
    plain = " ".join(many_of(asked.subject))
    return " ".join(one_of(asked.subject)) if phrase(asked) == plain else f"one of the {phrase(asked)}"


def _share(asked: Asked, cells: Sequence[str]) -> str:
    part, whole, percent = cells
    if percent == "no value":
        return f"There are no {phrase(asked)} to take a share of."
    of = f"the {column_in_words(asked.of, asked.subject)} of " if asked.of else ""
    return f"{percent} percent of {of}{phrase(asked)} are {part_in_words(asked)}: {part} of {whole}."


def _within(asked: Asked, part: Part) -> Asked:
    conditions, absences = (*asked.conditions, *part.conditions), (*asked.absences, *part.absences)
    return replace(asked, conditions=conditions, absences=absences, parts=(), period=part.period)


def _width(asked: Asked) -> int:
    if asked.measure == "share":
        return 3
    is_pair = len(asked.parts) == 2 and asked.measure in ("count", "sum")
    return len(asked.parts) + is_pair if asked.parts else 1 + len(asked.also)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
