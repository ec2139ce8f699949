"""The sentence with the figures. What the statement was meant to find is told only where the result has its shape: a
model may have written another one."""

from collections.abc import Iterator

from turnkeep_agents.database.reading.asked import Asked, Field
from turnkeep_agents.database.writing.cells import escaped, in_words, listed, written
from turnkeep_agents.database.writing.names import alias, link_words, many_of, one_of
from turnkeep_agents.database.writing.phrases import (
    column_in_words,
    condition_in_words,
    days_in_words,
    is_dated,
    limits_in_words,
    phrase,
)
from turnkeep_agents.database.writing.several import figures_in_words, has_several, measures_in_words
from turnkeep.blocks.words import singular
from turnkeep.databases.results import Cell, Result

_NEXT_PAGE = "there are more, so ask for the next page"


def said_of(asked: Asked | None, result: Result, page: int) -> Iterator[str]:
    """One or two sentences."""
    if not result.rows and page:
        yield "There are no more rows."
    elif asked is None or not _fits(asked, result):
        yield from _plain(result, page)
    elif _is_empty(asked, result):
        yield from _nothing(asked)
    elif asked.measure == "rows":
        yield _rows(asked, result, page)
    elif has_several(asked) and (asked.over or not (asked.groups or asked.grain)):
        yield figures_in_words(asked, result)
    elif asked.groups or asked.grain:
        yield _groups(asked, result, page)
    else:
        yield _value(asked, result)


def _fits(asked: Asked, result: Result) -> bool:
    if asked.measure == "rows":
        return True
    groups = 0 if asked.over else len(asked.groups) + (asked.grain is not None)
    if has_several(asked) and not groups:
        return len(result.rows) == 1
    return len(result.columns) > groups if groups else len(result.columns) == 1 and len(result.rows) == 1


def _is_empty(asked: Asked, result: Result) -> bool:
    if asked.measure == "rows" or asked.groups or asked.grain or has_several(asked):
        return not result.rows
    return result.rows[0][0] in (None, 0) if asked.measure == "count" else result.rows[0][0] is None


def _plain(result: Result, page: int) -> Iterator[str]:
    """From the rows alone."""
    count = len(result.rows)
    if not count:
        yield "The query found no rows. Another value or a longer period may find some."
    elif count == 1 and len(result.columns) == 1:
        words, value = in_words(result.columns[0]), escaped(written(result)[0][0]) or "no value"
        yield f"{_capital(escaped(words))}: {value}."
    elif result.is_cut or page:
        yield f"These are the {_nth(page)} {_count(count, 'row', 'rows')}{_end(result, page)}."
    else:
        yield f"The query found {_count(count, 'row', 'rows')}."


def _nothing(asked: Asked) -> Iterator[str]:
    """With all that was asked for, and what may be relaxed."""
    yield f"There are no {phrase(asked)}."
    loose = [condition_in_words(condition, asked.subject) for condition in asked.conditions]
    ways = [f"leave out {listed([each if '“' in each else f'“{each}”' for each in loose], 'or')}"] if loose else []
    ways += [f"ask for another period than {days_in_words(asked.period)}"] if asked.period else []
    ways += ["ask for another number"] if asked.keep else []
    if ways:
        yield f"You could {', or '.join(ways)}."


def _value(asked: Asked, result: Result) -> str:
    """One figure."""
    value, name = escaped(written(result)[0][0]), _measured(asked, result.columns[0])
    if asked.measure != "count":
        return f"The {escaped(name)} of {phrase(asked)} is {value}."
    is_one = result.rows[0][0] == 1
    verb = "is" if is_one else "are"
    if asked.is_distinct and asked.of:
        *before, last = escaped(name).split()
        noun = " ".join([*before, singular(last) if is_one else last])
        return f"There {verb} {value} different {noun} among {phrase(asked)}."
    if asked.of and name != " ".join(many_of(asked.subject)):
        return f"There {verb} {value} {escaped(name)} of {phrase(asked)}."
    return f"There {verb} {value} {phrase(asked, is_one=is_one)}."


def _measured(asked: Asked, column: str) -> str:
    """What the figure is; of days, between which dates."""
    of = asked.of
    days = column_in_words(of, asked.subject).removeprefix("days") if of and of.since else ""
    return f"{in_words(column)}{days}"


def _rows(asked: Asked, result: Result, page: int) -> str:
    count = len(result.rows)
    what = phrase(asked, is_one=count == 1)
    if asked.is_distinct or _comes_several_times(asked, result):
        what = f"{'row' if count == 1 else 'rows'} for {phrase(asked)}"
    if page or result.is_cut:
        return f"These are the {_nth(page)} {count} {what}{_end(result, page)}."
    if asked.limit == count and (asked.order_by or asked.limit > 1):
        return f"{'This is' if count == 1 else 'These are'} the {_ranked(asked, count, what)}."
    return f"There {'is' if count == 1 else 'are'} {count} {what}."


def _comes_several_times(asked: Asked, result: Result) -> bool:
    """Whether a row of the subject may be there once for each of what is shown beside it: its own columns repeat."""
    beside = [field for field in (*asked.shown, *asked.groups) if field.table != asked.subject or field.via]
    if not beside:
        return False
    owners = tuple(alias(*(link_words(field.via) if field.via else one_of(field.table))) for field in beside)
    own = [at for at, name in enumerate(result.columns) if not name.startswith(owners)]
    return len({tuple(row[at] for at in own) for row in result.rows}) < len(result.rows)


def _ranked(asked: Asked, count: int, what: str) -> str:
    some = what if count == 1 else f"{count} {what}"
    if asked.order is None or asked.order_by is None:
        return f"first {some}"
    first = "highest" if asked.order == "descending" else "lowest"
    column = column_in_words(asked.order_by, asked.subject)
    if column.split()[-1] in ("name", "title"):
        return f"{'first' if first == 'lowest' else 'last'} {some}, by {column}"
    if is_dated(asked.order_by):
        return (
            f"{'' if count == 1 else f'{count} '}{'latest' if first == 'highest' else 'earliest'} {what}, by {column}"
        )
    return f"{some} with the {first} {column}"


def _groups(asked: Asked, result: Result, page: int) -> str:
    """What the rows are, and the first of them where they are sorted by the measure and it stands alone."""
    cells = written(result)
    measured = (
        phrase(asked) if asked.measure == "count" else f"{_measured(asked, result.columns[-1])} of {phrase(asked)}"
    )
    measured = measures_in_words(asked, result) if has_several(asked) else measured
    keys = [*([asked.grain] if asked.grain else []), *(_group(field, asked) for field in asked.groups)]
    by = listed(list(dict.fromkeys(keys)))
    said = f"{_capital(measured)}, by {by}{f', {limits_in_words(asked.keep)} only' if asked.keep else ''}"
    if page or result.is_cut:
        said = f"{said}: the {_nth(page)} {_count(len(cells), 'row', 'rows')}{_end(result, page)}"
    leader = "" if page or has_several(asked) else _leader(asked, result, cells)
    return f"{said}. {leader}".strip() if leader else f"{said}."


def _leader(asked: Asked, result: Result, cells: list[list[str]]) -> str:
    """The group with the most or the least, if the rows show which it is."""
    figures: list[Cell] = [row[-1] for row in result.rows]
    is_least = asked.order == "ascending" and asked.order_by is None
    numbers = [figure for figure in figures if isinstance(figure, int | float)]
    if len(numbers) < len(figures) or (result.is_cut and asked.grain):
        return ""
    best = min(numbers) if is_least else max(numbers)
    at = numbers.index(best)
    label = " ".join(escaped(cell) for cell in cells[at][:-1] if cell)
    label = f"“{label}”" if label[:1].islower() else label
    if not label or (numbers.count(best) > 1) or (len(numbers) == 1 and asked.limit is None):
        return f"{label}: {cells[at][-1]}." if label and len(numbers) == 1 else ""
    word = ("fewest" if is_least else "most") if asked.measure == "count" else ("lowest" if is_least else "highest")
    return f"{label} has the {word}: {cells[at][-1]}."


def _group(field: Field, asked: Asked) -> str:
    words = column_in_words(field, asked.subject).split()
    return " ".join(link_words("_".join(words))) if words else " ".join(one_of(field.table))


def _nth(page: int) -> str:
    return "next" if page else "first"


def _end(result: Result, page: int) -> str:
    return f"; {_NEXT_PAGE}" if result.is_cut else ", and the last" if page else ""


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
