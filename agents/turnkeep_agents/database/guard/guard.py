"""The filter before the database. It parses SQL, checks it and writes it again from the tree; the written text is
parsed once more. What the database lets its reader do has the last word."""

from collections.abc import Collection, Mapping
from typing import Literal

from sqlglot import exp

from turnkeep_agents.database.guard.catalogue import Catalogue
from turnkeep_agents.database.guard.connecting import Connections
from turnkeep_agents.database.guard.fidelity import changes_of_meaning
from turnkeep_agents.database.guard.grammar import violations
from turnkeep_agents.database.guard.limits import check_costs
from turnkeep_agents.database.guard.meaning import misread_texts, settle
from turnkeep_agents.database.guard.parsing import parse
from turnkeep_agents.database.guard.postgres import as_limits, fit
from turnkeep_agents.database.guard.rendering import adapt, render
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.verdicts import Checked, Dialect, Problem, Refusal, Refused, refuse
from turnkeep_agents.database.guard.wording import MOST_COLUMNS, Wording
from turnkeep_agents.database.joins.records import JoinGraph

__all__ = ["Checked", "Guard", "Problem", "Refused"]

MOST_PROBLEMS = 8
LARGEST_LIMIT = 2**31 - 1
_TOO_DEEP = Problem("too_deep", "The SQL is nested too deeply.")
_NAMES = frozenset({"unknown_column", "unknown_alias", "ambiguous_column", "misuse"})


class Guard:
    """Judges SQL by one schema. `views` maps logical tables to the secure views that are read in their place. A problem
    lists at most `max_columns` columns. Without `checks_names` unknown columns are left to the database; unknown tables
    never are."""

    def __init__(
        self,
        graph: JoinGraph,
        *,
        dialect: Dialect,
        views: Mapping[str, str] | None = None,
        max_rows: int = 100,
        checks_names: bool = True,
        max_columns: int = MOST_COLUMNS,
    ) -> None:
        self._catalogue = Catalogue(graph, dict(views or {}))
        self._dialect: Dialect = dialect
        self._max_rows, self._checks_names, self._max_columns = max_rows, checks_names, max_columns

    def check(self, sql: str, *, allowed: Collection[str] | None = None, offset: int = 0) -> Checked | Refused:
        """Judge one statement; never raises. `allowed` are the caller's tables (None: all), `offset` the rows of
        earlier pages."""
        try:
            return self._check(sql, allowed, offset)
        except Refusal as refusal:
            return Refused(refusal.problems[:MOST_PROBLEMS])
        except RecursionError:
            return Refused((_TOO_DEEP,))

    def _check(self, sql: str, allowed: Collection[str] | None, offset: int) -> Checked:
        read = parse(sql, self._dialect)
        tree = unwrapped(read)
        if self._dialect == "postgres":
            as_limits(tree)
        self._check_form(tree)
        changes = list(changes_of_meaning(sql, render(read, self._dialect), self._dialect))
        adapt(tree, self._dialect)
        resolver = Resolver(self._catalogue, self._dialect, allowed)
        resolver.read(tree)
        connections = Connections(resolver)
        wording = Wording(self._catalogue, allowed, resolver.tables, self._max_columns)
        faults = [fault for fault in resolver.faults if self._checks_names or fault.code not in _NAMES]
        problems = [
            *changes,
            *(wording.problem(fault) for fault in faults[: MOST_PROBLEMS * 2]),
            *connections.problems,
            *misread_texts(tree, resolver),
        ]
        if problems:
            raise Refusal(dict.fromkeys(problems))
        if self._dialect == "postgres":
            fit(tree, resolver)
        settle(tree, resolver)
        _turn_page(tree, self._max_rows, max(offset, 0))
        return Checked(self._written(tree), tuple(resolver.tables), tuple(resolver.columns), tuple(connections.joins))

    def _check_form(self, tree: exp.Query) -> None:
        if problems := dict.fromkeys(violations(tree, self._dialect)):
            raise Refusal(problems)
        for node in tree.find_all(exp.Query):
            _number(node, "limit")
            _number(node, "offset")
        check_costs(tree)

    def _written(self, tree: exp.Query) -> str:
        """Return the text of the tree, which must be read as the same text again."""
        sql = render(tree, self._dialect, is_last=True)
        again = parse(sql, self._dialect)
        self._check_form(again)
        if render(again, self._dialect, is_last=True) != sql:
            raise refuse("syntax", "The SQL can be read in two ways. Write it more plainly.")
        return sql


def unwrapped(tree: exp.Query) -> exp.Query:
    while isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
        if any(value for name, value in tree.args.items() if name != "this"):
            raise refuse("forbidden", "Leave out the brackets around the whole query.")
        tree = tree.this
    tree.parent = None
    return tree


# Pages


def _turn_page(tree: exp.Query, max_rows: int, offset: int) -> None:
    """Set the outermost LIMIT and OFFSET. The query's own LIMIT bounds all pages together. One row more than a page is
    read, to see whether more follow."""
    own, start = _number(tree, "limit"), _number(tree, "offset") or 0
    rows = max_rows + 1 if own is None else min(max_rows + 1, max(own - offset, 0))
    tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))
    tree.set("offset", exp.Offset(expression=exp.Literal.number(start + offset)) if start + offset else None)


def _number(node: exp.Expr, part: Literal["limit", "offset"]) -> int | None:
    """Return the number of a LIMIT or OFFSET; raise Refusal for anything but a plain number."""
    found = node.args.get(part)
    if not found:
        return None
    value = found.expression
    if not (isinstance(value, exp.Literal) and not value.is_string and value.name.isascii() and value.name.isdigit()):
        raise refuse("limit", f"{part.upper()} takes a plain number.")
    return min(int(value.name[:12]), LARGEST_LIMIT)
