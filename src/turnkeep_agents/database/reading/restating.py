"""A question in plain words that needs no history, and the tables that it needs."""

from collections.abc import Iterator, Sequence

from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.reading.asked import Asked, Condition, Field, Test
from turnkeep_agents.database.writing.phrases import column_in_words, phrase
from turnkeep_agents.database.writing.several import average_in_words, part_in_words

_TESTS: dict[Test, str] = {
    "over": "more than",
    "at_least": "at least",
    "under": "less than",
    "at_most": "at most",
    "is": "exactly",
    "is_not": "other than",
}
_FIGURES = {"sum": "total", "average": "average", "minimum": "lowest", "maximum": "highest"}


def tables_of(asked: Asked) -> tuple[str, ...]:
    """The tables that the question needs, the subject first; not those that only connect them."""
    return tuple(
        dict.fromkeys([asked.subject, *(field.table for field in _fields(asked)), *_belonging(asked), *asked.through])
    )


def restate(asked: Asked, graph: JoinGraph) -> str:
    """The question in plain English, with everything that earlier lines said."""
    rows = phrase(asked)
    if asked.measure == "rows":
        return f"{_list(asked, rows)}{_order(asked)}."
    if asked.over or asked.tallies:
        return f"What is {average_in_words(asked).rstrip(',')}?"
    if asked.measure == "share":
        return f"What percentage of {rows} are {part_in_words(asked)}{_groups(asked, graph)}?"
    of = column_in_words(asked.of, asked.subject) if asked.of else ""
    of += f" less {column_in_words(asked.less, asked.subject)}" if asked.less else ""
    if asked.measure == "count":
        begin = (
            f"How many different {of} values have {rows}" if asked.is_distinct and of else f"How many {rows} are there"
        )
    else:
        figure = _FIGURES[asked.measure]
        begin = f"What is the {of if of.startswith(figure) else f'{figure} {of}'} of {rows}"
    return f"{begin}{_besides(asked)}{_groups(asked, graph)}{_keep(asked)}{_order(asked)}?"


def _besides(asked: Asked) -> str:
    """Further figures, and the sides of a comparison."""
    further = [
        f"the {_FIGURES[one.measure]} {column_in_words(one.of, asked.subject)}" if one.of else "how many there are"
        for one in asked.also
    ]
    sides = f", {' compared with '.join(part.words for part in asked.parts)}" if asked.parts else ""
    return f"{''.join(f', and {one}' for one in further)}{sides}"


def _list(asked: Asked, rows: str) -> str:
    """ "Show the first five open work orders, with title and customer"."""
    columns = _listed([column_in_words(field, asked.subject) for field in asked.shown])
    shown = f", with {columns}" if columns else ""
    first = f"the first {asked.limit} " if asked.limit else ""
    if asked.is_distinct and columns:
        return f"Show the different values of {columns} of {first}{rows}"
    return f"Show {first}{rows}{shown}"


def _groups(asked: Asked, graph: JoinGraph) -> str:
    keys: list[str] = []
    for field in asked.groups:
        words = column_in_words(field, asked.subject)
        is_part = len(graph.tables[field.table].columns) > 0 and words.split()[-1] in ("last",)
        if not is_part and words not in keys:
            keys.append(words)
    if asked.grain:
        keys.append(asked.grain)
    return f", by {_listed(keys)}" if keys else ""


def _keep(asked: Asked) -> str:
    if asked.keep is None:
        return ""
    word = _TESTS.get(asked.keep.test, "between")
    return f", only where that is {word} {' and '.join(map(str, asked.keep.values))}"


def _order(asked: Asked) -> str:
    if asked.order is None:
        return ""
    by = column_in_words(asked.order_by, asked.subject) if asked.order_by else "that figure"
    way = "largest or newest" if asked.order == "descending" else "smallest or oldest"
    first = f", the first {asked.limit} only" if asked.limit and asked.measure != "rows" else ""
    return f", sorted by {by}, {way} first{first}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _fields(asked: Asked) -> Iterator[Field]:
    yield from filter(None, (asked.of, asked.less, asked.order_by, asked.grain_of, *(one.of for one in asked.also)))
    yield from (*asked.shown, *asked.groups)
    if asked.period:
        yield asked.period.field
    for condition in (*asked.conditions, *(one for part in asked.parts for one in part.conditions)):
        yield from _named(condition)
    yield from (part.period.field for part in asked.parts if part.period)


def _named(condition: Condition) -> Iterator[Field]:
    yield from (condition.field, *condition.others)
    yield from (value for value in condition.values if isinstance(value, Field))


def _belonging(asked: Asked) -> Iterator[str]:
    belonging = [*asked.absences, *asked.tallies, *(one for part in asked.parts for one in part.absences)]
    for absence in belonging:
        yield absence.table
        for condition in absence.conditions:
            yield from (field.table for field in _named(condition))
        if absence.period:
            yield absence.period.field.table
