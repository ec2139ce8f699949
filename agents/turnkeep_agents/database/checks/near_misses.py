"""Near misses of a statement without rows: each condition is dropped in turn, and the values nearest to its
text are listed. No rows may still be the answer; the statement is not rewritten."""

from collections.abc import Iterator
from difflib import get_close_matches

from sqlglot import exp, parse_one

from turnkeep_agents.database.guard.verdicts import Dialect
from turnkeep_agents.database.results import Result, Try

MOST_CONDITIONS = 6
MOST_NEAR = 3


def is_nothing(result: Result) -> bool:
    """Return whether there are no rows, or one row that counts none."""
    is_figure = len(result.rows) == len(result.columns) == 1
    return not result.rows or (is_figure and result.rows[0][0] in (0, None))


def near_misses(sql: str, dialect: Dialect, run: Try) -> list[str]:
    """Return which single conditions can be dropped, and how much there is then."""
    tree = parse_one(sql, dialect=dialect)
    where = tree.args.get("where")
    if not isinstance(tree, exp.Select) or where is None:
        return []
    conditions = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    return list(_wider(tree, conditions, dialect, run))


def _wider(tree: exp.Select, conditions: list[exp.Expr], dialect: Dialect, run: Try) -> Iterator[str]:
    for number, condition in enumerate(conditions[:MOST_CONDITIONS]):
        others = [other.copy() for at, other in enumerate(conditions) if at != number]
        wider = tree.copy()
        wider.set("where", exp.Where(this=exp.and_(*others)) if others else None)
        result = run(wider.sql(dialect))
        if result is None or is_nothing(result):
            continue
        figure = result.rows[0][0] if len(result.rows) == len(result.columns) == 1 else None
        count = f"{len(result.rows)}{' or more' if result.is_cut else ''} rows" if figure is None else figure
        near = _nearest(wider, condition, dialect, run)
        nearest = f" (nearest: {', '.join(near)})" if near else ""
        yield f"without {condition.sql(dialect)}: {count}{nearest}"


def _nearest(wider: exp.Select, condition: exp.Expr, dialect: Dialect, run: Try) -> list[str]:
    """Return the values spelt most like the text that `condition` compares: "Janssen" for "Jansen"."""
    text = condition.args.get("expression")
    if not isinstance(condition, exp.EQ | exp.Like) or not isinstance(text, exp.Literal) or not text.is_string:
        return []
    values = wider.copy().select(condition.this.copy(), append=False).distinct()
    for clause in ("group", "having", "order", "limit"):
        values.set(clause, None)
    result = run(values.sql(dialect))
    texts = [str(row[0]) for row in result.rows if row[0] is not None] if result else []
    return _close(text.this.strip("%"), texts)


def _close(wanted: str, texts: list[str]) -> list[str]:
    """Compare the whole, then its words: people may give a part of a name."""
    whole = get_close_matches(wanted, texts, n=MOST_NEAR)
    by_word = {word.casefold(): text for text in texts for word in text.split()}
    words = get_close_matches(wanted.casefold(), by_word, n=MOST_NEAR, cutoff=0.75)
    return list(dict.fromkeys([*whole, *(by_word[word] for word in words)]))[:MOST_NEAR]
