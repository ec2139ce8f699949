"""Findings and earlier results as texts for models and for verification, and what the next turns remember of them."""

import json
from collections.abc import Iterator, Sequence

from turnkeep_agents.database.answers.tables import LONGEST_CELL, is_single, plain, preview, table_of
from turnkeep_agents.database.prompts import LAST_QUESTION
from turnkeep_agents.database.state import QueryResult, Shown

HEAD = 3  # rows of a result that a later turn sees
MOST_SHOWN = 2  # results that a thread remembers
MOST_KEPT_BYTES = 3_000  # of one of them: the state of a thread has to stay small
READS_ONLY = "Nothing can be changed from here, and nothing was."


def finding_text(finding: QueryResult) -> str:
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
        rows = finding["rows"]
        none = "No further rows." if finding["start"] else "No rows."
        many = f"{len(rows)}{' or more' if finding['has_more'] else ''} rows:"
        yield f"Statement: {finding['sql']}"
        yield many if len(rows) > 1 else "One row:" if rows else none
        if rows:
            yield preview(finding["columns"], rows)
        if finding.get("near"):
            yield f"Nothing fits all conditions; {'; '.join(finding['near'])}"
        yield from (f"Doubtful: {caution}" for caution in finding.get("cautions", ()))


def facts(finding: QueryResult) -> list[str]:
    """Return the same for verification: one text for each fact, the rows as a table."""
    if "rows" not in finding:
        return [finding_text(finding)]
    texts = [line for line in _lines({**finding, "rows": []}) if line != "No rows."]
    counts = [f"{len(finding['rows'])} rows"] if len(finding["rows"]) > 1 else []
    return [*texts, *counts, _grid(finding["columns"], finding["rows"])]


def _grid(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table, so that the verifier sees rows and columns; one column is a list."""
    cells = [[plain(cell).replace("|", "/") for cell in line] for line in (columns, *rows)]
    if len(columns) == 1:
        return "\n".join(cell for line in cells for cell in line)
    cells.insert(1, ["---"] * len(columns))
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def shown_text(shown: Shown, *, has_statement: bool = True) -> str:
    """Return an earlier result for a later prompt; without its statement if `understood_as` describes it."""
    rows = preview(shown["columns"], shown["head"])
    is_part = shown["has_more"] or shown["end"] > len(shown["head"])
    more = f"\n(rows to {shown['end']} were shown)" if is_part and shown["head"] else ""
    is_described = not has_statement and shown["understood_as"]
    how = f"Understood as: {shown['understood_as']}" if is_described else f"Statement: {shown['sql']}"
    return f"Question: {shown['question']}\n{how}\nRows:\n{rows}{more}"


def shown_facts(shown: Shown) -> list[str]:
    return [shown["question"], shown["sql"], shown["understood_as"], _grid(shown["columns"], shown["head"])]


def last_question(shown: Shown) -> str:
    return LAST_QUESTION.format(question=shown["question"], sql=shown["sql"])


def table_below(finding: QueryResult, language: str) -> str:
    """Return the rows as a table below the answer; empty if the answer states the only value."""
    if not finding.get("rows") or (is_single(finding["rows"]) and not finding["start"]):
        return ""
    return table(finding, language)


def table(finding: QueryResult, language: str) -> str:
    columns, rows, start, size = finding["columns"], finding["rows"], finding["start"], finding["size"]
    return table_of(columns, rows, start, size, has_more=finding["has_more"], language=language)


def remembered(finding: QueryResult) -> Shown:
    """Return a result for the next turns. A large one loses its rows, then its statement, so that no page of it can be
    turned."""
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
    if _bytes(shown) <= MOST_KEPT_BYTES:
        return shown
    bare = Shown({**shown, "head": [], "columns": [], "understood_as": shown["understood_as"][:LONGEST_CELL]})
    return bare if _bytes(bare) <= MOST_KEPT_BYTES else Shown({**bare, "sql": "", "question": shown["question"][:500]})


def _bytes(shown: Shown) -> int:
    return len(json.dumps(shown, ensure_ascii=False).encode(errors="replace"))


def _cut(cell: object) -> object:
    return f"{cell[:LONGEST_CELL]}\u2026" if isinstance(cell, str) and len(cell) > LONGEST_CELL else cell
