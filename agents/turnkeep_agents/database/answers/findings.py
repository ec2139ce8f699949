"""What a model is told of findings and of results that were shown, and what of them is kept for the next turn."""

import json
from collections.abc import Iterator, Sequence

from turnkeep_agents.database.answers.tables import LONGEST_CELL, is_single, plain, preview, table_of
from turnkeep_agents.database.prompts import LAST_QUESTION
from turnkeep_agents.database.state import QueryResult, Shown

HEAD = 3  # rows of a result that a later turn sees
MOST_SHOWN = 2  # results that a thread remembers
MOST_KEPT_BYTES = 3_000  # of one of them: the state of a thread has to stay small
READS_ONLY = "Nothing can be changed from here, and nothing was."


def told(finding: QueryResult) -> str:
    """A finding in the prompt of the answer."""
    if finding["kind"] == "change":
        return f"Question: {finding['question']}\n{READS_ONLY}"
    return "\n".join(_lines(finding))


def _lines(finding: QueryResult) -> Iterator[str]:
    yield f"Question: {finding['question']}"
    if finding.get("understood_as"):
        yield f"Understood as: {finding['understood_as']}"
    if finding.get("left_out"):
        yield f"Nothing is held of: {', '.join(finding['left_out'])}"
    if finding.get("problem"):
        yield f"No result: {finding['problem']}"
    if "rows" in finding:
        yield from _rows(finding)


def _rows(finding: QueryResult) -> Iterator[str]:
    rows = finding["rows"]
    yield f"Statement: {finding['sql']}"
    yield _counted(len(rows), finding)
    if rows:
        yield preview(finding["columns"], rows)
    if finding.get("near"):
        yield f"Nothing fits all conditions; {'; '.join(finding['near'])}"
    yield from (f"Doubtful: {caution}" for caution in finding.get("cautions", ()))


def _counted(count: int, finding: QueryResult) -> str:
    if count < 2:
        return "One row:" if count else "No further rows." if finding["start"] else "No rows."
    return f"{count}{' or more' if finding['has_more'] else ''} rows:"


def known(finding: QueryResult) -> list[str]:
    """The same for verification: one text for each thing that is true on its own, the rows as a table."""
    if "rows" not in finding:
        return [told(finding)]
    texts = [line for line in _lines({**finding, "rows": []}) if line != "No rows."]
    counts = [f"{len(finding['rows'])} rows"] if len(finding["rows"]) > 1 else []
    return [*texts, *counts, _grid(finding["columns"], finding["rows"])]


def _grid(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """As Markdown, so that rows and columns are known as such; one column is a list."""
    if len(columns) == 1:
        return "\n".join(_told_cell(cell) for line in (columns, *rows) for cell in line)
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_told_cell, line))} |" for line in lines)


def _told_cell(cell: object) -> str:
    return plain(cell).replace("|", "/")


def shown_text(shown: Shown, *, has_statement: bool = True) -> str:
    """A result that was shown, in a later prompt; how it was understood says most of its statement."""
    rows = preview(shown["columns"], shown["head"])
    is_part = shown["has_more"] or shown["end"] > len(shown["head"])
    more = f"\n(rows to {shown['end']} were shown)" if is_part and shown["head"] else ""
    is_told = not has_statement and shown["understood_as"]
    how = f"Understood as: {shown['understood_as']}" if is_told else f"Statement: {shown['sql']}"
    return f"Question: {shown['question']}\n{how}\nRows:\n{rows}{more}"


def shown_known(shown: Shown) -> list[str]:
    return [shown["question"], shown["sql"], shown["understood_as"], _grid(shown["columns"], shown["head"])]


def last_question(shown: Shown) -> str:
    return LAST_QUESTION.format(question=shown["question"], sql=shown["sql"])


def table_below(finding: QueryResult, language: str) -> str:
    """The rows as they stand below the answer; nothing where the answer says the only value."""
    if not finding.get("rows") or (is_single(finding["rows"]) and not finding["start"]):
        return ""
    return table(finding, language)


def table(finding: QueryResult, language: str) -> str:
    columns, rows, start, size = finding["columns"], finding["rows"], finding["start"], finding["size"]
    return table_of(columns, rows, start, size, has_more=finding["has_more"], language=language)


def kept(finding: QueryResult) -> Shown:
    """A result for the next turns, small."""
    end = finding["start"] + finding["size"]
    shown = Shown(
        question=finding["question"],
        sql=finding["sql"],
        understood_as=finding["understood_as"],
        tables=finding["ran"]["tables"],
        columns=finding["columns"],
        head=[[_cut(cell) for cell in row] for row in finding["rows"][:HEAD]],
        start=finding["start"],
        end=end,
        has_more=finding["has_more"] or finding["start"] + len(finding["rows"]) > end,
    )
    return shown if _bytes(shown) <= MOST_KEPT_BYTES else _smaller(shown)


def _smaller(shown: Shown) -> Shown:
    """Without rows, and without a statement that is too long by itself: then no page of it can be turned."""
    bare = Shown({**shown, "head": [], "columns": [], "understood_as": shown["understood_as"][:LONGEST_CELL]})
    return bare if _bytes(bare) <= MOST_KEPT_BYTES else Shown({**bare, "sql": "", "question": shown["question"][:500]})


def _bytes(shown: Shown) -> int:
    return len(json.dumps(shown, ensure_ascii=False).encode(errors="replace"))


def _cut(cell: object) -> object:
    return f"{cell[:LONGEST_CELL]}\u2026" if isinstance(cell, str) and len(cell) > LONGEST_CELL else cell
