"""The filter before the database. It parses, checks and writes anew; what runs is the tree's own text, read once more.
It is a filter and not the last word: that is what the database itself lets its reader do."""

from collections.abc import Collection, Mapping
from typing import Literal

from sqlglot import exp

from turnkeep_agents.database.guard.bounds import check_costs
from turnkeep_agents.database.guard.catalogue import Catalogue
from turnkeep_agents.database.guard.connecting import Connections
from turnkeep_agents.database.guard.fidelity import changes_of_meaning
from turnkeep_agents.database.guard.fitting import as_limits, fit
from turnkeep_agents.database.guard.grammar import violations
from turnkeep_agents.database.guard.limits import excesses
from turnkeep_agents.database.guard.meaning import misread_texts, settle
from turnkeep_agents.database.guard.rendering import adapt, render
from turnkeep_agents.database.guard.resolving import Resolver
from turnkeep_agents.database.guard.screening import parse
from turnkeep_agents.database.guard.verdicts import Checked, Dialect, Problem, Refusal, Refused, refuse
from turnkeep_agents.database.guard.wording import MOST_COLUMNS, Wording
from turnkeep_agents.database.joins.records import JoinGraph

__all__ = ["Checked", "Guard", "Problem", "Refused"]

MOST_PROBLEMS = 8
LARGEST_LIMIT = 2**31 - 1
_TOO_DEEP = Problem("too_deep", "The SQL is nested too deeply.")
_NAMES = frozenset({"unknown_column", "unknown_alias", "ambiguous_column", "misuse"})


class Guard:
    """Judges SQL by one schema. `views` maps logical tables to the secure views that are read in their place; a problem
    lists at most `max_columns` of a table's. Without `checks_names` columns are left to the database; tables never
    are."""

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
        """Never raises. `allowed` are the tables of the caller (None: all), `offset` the rows of earlier pages."""
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
        problems = [
            *changes,
            *self._name_problems(resolver, allowed),
            *connections.problems,
            *misread_texts(tree, resolver),
        ]
        if problems:
            raise Refusal(dict.fromkeys(problems))
        if self._dialect == "postgres":
            fit(tree, resolver)
        settle(tree, resolver)
        _turn_page(tree, self._max_rows, max(offset, 0))
        tables, columns = tuple(resolver.tables), tuple(resolver.columns)
        notes = [
            *connections.notes,
            *(f"'{text[:60]}' in double quotes is taken for a text." for text in resolver.texts),
        ]
        return Checked(self._written(tree), tables, columns, tuple(connections.joins), tuple(notes))

    def _check_form(self, tree: exp.Query) -> None:
        problems = dict.fromkeys(violations(tree, self._dialect)) or dict.fromkeys(excesses(tree, self._dialect))
        if problems:
            raise Refusal(problems)
        _check_limits(tree)
        check_costs(tree)

    def _name_problems(self, resolver: Resolver, allowed: Collection[str] | None) -> list[Problem]:
        wording = Wording(self._catalogue, allowed, resolver.tables, self._max_columns)
        faults = [fault for fault in resolver.faults if self._checks_names or fault.code not in _NAMES]
        return [wording.problem(fault) for fault in faults[: MOST_PROBLEMS * 2]]

    def _written(self, tree: exp.Query) -> str:
        """What the database will read is what was checked: the text must be read as the same text again."""
        sql = render(tree, self._dialect, is_last=True)
        again = parse(sql, self._dialect)
        self._check_form(again)
        if render(again, self._dialect, is_last=True) != sql:
            raise refuse("syntax", "The SQL can be read in two ways. Write it more plainly.")
        return sql


def unwrapped(tree: exp.Query) -> exp.Query:
    """Without brackets around the whole."""
    while isinstance(tree, exp.Subquery) and isinstance(tree.this, exp.Query):
        if any(value for name, value in tree.args.items() if name != "this"):
            raise refuse("forbidden", "Leave out the brackets around the whole query.")
        tree = tree.this
    tree.parent = None
    return tree


# Pages


def _turn_page(tree: exp.Query, max_rows: int, offset: int) -> None:
    """Sets the outermost LIMIT and OFFSET: the query's own are the rows that all pages together show. One row more than
    a page holds is asked for, so that a cut is seen."""
    own, start = _number(tree, "limit"), _number(tree, "offset") or 0
    rows = max_rows + 1 if own is None else min(max_rows + 1, max(own - offset, 0))
    tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))
    tree.set("offset", exp.Offset(expression=exp.Literal.number(start + offset)) if start + offset else None)


def _check_limits(tree: exp.Expr) -> None:
    """Raises Refusal where a LIMIT or OFFSET, however deep, is not a plain number."""
    for node in tree.find_all(exp.Query):
        _number(node, "limit")
        _number(node, "offset")


def _number(node: exp.Expr, part: Literal["limit", "offset"]) -> int | None:
    found = node.args.get(part)
    if not found:
        return None
    value = found.expression
    if not (isinstance(value, exp.Literal) and not value.is_string and value.name.isascii() and value.name.isdigit()):
        raise refuse("limit", f"{part.upper()} takes a plain number.")
    return min(int(value.name[:12]), LARGEST_LIMIT)
