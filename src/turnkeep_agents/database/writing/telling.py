"""Rows as an answer: sentences with the figures that were asked for, then a table. Every number comes from the rows or
from the question."""

import json
from collections.abc import Iterable, Iterator, Sequence

from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.writing.cells import escaped, headed, is_numeric, listed, quoted, written
from turnkeep_agents.database.writing.figures import said_of
from turnkeep_agents.database.writing.phrases import state_in_words
from turnkeep.databases.results import CUT_MARK, Result

MOST_ROWS = 10
MOST_PREVIEWED = 20
LONGEST_PREVIEWED = 200  # characters of a cell


def tell(asked: Asked | None, result: Result, question: str, *, page: int = 0) -> str:
    """Sentences, then a Markdown table where there is more than one value. `asked` is None where nothing says what the
    statement was meant to find; `page` counts from 0."""
    return "\n\n".join(filter(None, [" ".join(sentences(asked, result, question, page=page)), table_of(result, asked)]))


def sentences(asked: Asked | None, result: Result, question: str, *, page: int = 0) -> list[str]:
    """What there is to say of the rows, and of what the question held and the statement does not."""
    said = [*said_of(asked, result, page), *(_of_today(asked) if asked else [])]
    if asked and asked.unread:
        said.append(f"I could not place {listed(quoted(asked.unread))}, so the answer does without.")
    if result.has_cut_texts:
        said.append(f"Texts that are too long to be shown whole are cut; they end with {CUT_MARK}.")
    return said


def _of_today(asked: Asked) -> Iterator[str]:
    """What is known of today alone and does not hold for the days that were asked for."""
    if asked.waived:
        words = listed(quoted([state_in_words(one) for one in asked.waived]))
        yield f"Only today's state is on record, so {words} is left out: all that are there in that time count."
    if asked.states:
        words = listed(quoted([state_in_words(one) for one in asked.states]))
        yield f"Only today's state is on record, so {words} is what holds today."


def table_of(result: Result, asked: Asked | None = None) -> str:
    """The first rows as a Markdown table; empty for a single figure, which the sentences tell. Of groups, the one of
    rows that belong to none is called so."""
    is_listed = asked is not None and asked.measure == "rows"
    if not result.rows or (len(result.rows) == len(result.columns) == 1 and not is_listed):
        return ""
    grouped = len(asked.groups) if asked and asked.measure != "rows" else 0
    cells = written(result)
    heads = [escaped(headed(name)) for name in result.columns]
    rules = ["---:" if is_numeric(result, at) else "---" for at in range(len(heads))]
    lines = [_line(heads), _line(rules)]
    for row in cells[:MOST_ROWS]:
        lines.append(_line([escaped(cell) or _none(at, grouped, len(row)) for at, cell in enumerate(row)]))
    left = len(cells) - MOST_ROWS
    return "\n".join(lines) + (f"\n\nand {left} more row{'s' if left > 1 else ''}" if left > 0 else "")


def known_texts(result: Result, question: str) -> list[str]:
    """All texts whose numbers an answer may hold: the question, the rows as they are and as they are told, and how many
    of them there are."""
    shown, left = min(len(result.rows), MOST_ROWS), max(len(result.rows) - MOST_ROWS, 0)
    raw = [" ; ".join(str(cell) for cell in row if cell is not None) for row in result.rows]
    told = [" ; ".join(row) for row in written(result)]
    marked = [" ; ".join(map(escaped, row)) for row in written(result)]
    return [question, *raw, *told, *marked, " ; ".join(result.columns), f"{len(result.rows)} rows, {shown}, {left}"]


def preview(result: Result, max_rows: int = MOST_PREVIEWED) -> str:
    """The first rows as JSON, one object a line, for a prompt; a last line says how many more there are."""
    names = _distinct(result.columns)
    lines = [
        json.dumps(dict(zip(names, map(_short, row), strict=True)), ensure_ascii=False)
        for row in result.rows[:max_rows]
    ]
    left = len(result.rows) - max_rows
    if left > 0 or result.is_cut:
        lines.append(json.dumps({"more_rows": max(left, 0), "is_cut": result.is_cut}))
    return "\n".join(lines) or "no rows"


def _short(cell: object) -> object:
    long = isinstance(cell, str) and len(cell) > LONGEST_PREVIEWED
    return f"{str(cell)[:LONGEST_PREVIEWED]}…" if long else cell


def _distinct(columns: Iterable[str]) -> list[str]:
    names: list[str] = []
    for column in columns:
        names.append(column if column not in names else f"{column}_{len(names) + 1}")
    return names


def _none(at: int, grouped: int, width: int) -> str:
    return "none" if grouped and at < width - 1 else ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
