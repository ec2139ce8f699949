"""Access of callers to tables and views. Only the explicit map of secure views makes names that begin with
`secure_`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import field_validator, with_config

from turnkeep.records import Principal
from turnkeep.settings import UnusableFile
from turnkeep_agents.database.json_files import CLOSED, Shape, Text, read_shape


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class SecureView:
    """`view` shows the rows of `table` that belong to the caller's company, found by `company_column` if there is one,
    with its `encrypted` columns in clear."""

    table: Text
    view: Text
    company_column: str = ""
    encrypted: tuple[Text, ...] = ()


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class Rule:
    """Tables that callers may read, as shell patterns. `without` wins over `tables`."""

    tenant: Text = "*"
    user: Text = "*"
    tables: tuple[Text, ...] = ("*",)
    without: tuple[Text, ...] = ()

    def fits(self, principal: Principal) -> bool:
        return fnmatchcase(principal.tenant, self.tenant) and fnmatchcase(principal.user, self.user)


@dataclass(frozen=True, slots=True)
class Access:
    """The first rule that matches a caller counts; without one, the caller may read nothing."""

    views: tuple[SecureView, ...] = ()
    rules: tuple[Rule, ...] = (Rule(),)

    @property
    def view_of(self) -> Mapping[str, str]:
        return {view.table: view.view for view in self.views}

    def allowed(self, principal: Principal, tables: Iterable[str]) -> frozenset[str]:
        rule = next((rule for rule in self.rules if rule.fits(principal)), None)
        if rule is None:
            return frozenset()
        return frozenset(name for name in tables if _any(rule.tables, name) and not _any(rule.without, name))


def _any(patterns: Iterable[str], name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


# The file


class _File(Shape):
    views: tuple[SecureView, ...] = ()
    rules: tuple[Rule, ...] = (Rule(),)

    @field_validator("views", mode="before")
    @classmethod
    def _listed(cls, views: Any) -> Any:
        return [{"table": table, "view": view} for table, view in views.items()] if isinstance(views, dict) else views


def load_access(path: Path) -> Access:
    """The access that a JSON file grants; raises UnusableFile. The file holds one object:

        {"views": [{"table": "employee", "view": "secure_employee", "company_column": "companyId",
                    "encrypted": ["firstName"]}],
         "rules": [{"tenant": "acme", "user": "*", "tables": ["*"], "without": ["payroll*"]}]}

    Only `table` and `view` must be given. `views` may also be an object from table to view. Without `rules` everyone
    may read everything; with an empty list nobody may read anything."""
    file = read_shape(path, _File)
    _refuse_doubles(path, "table", [view.table for view in file.views])
    _refuse_doubles(path, "view", [view.view for view in file.views])
    for at, view in enumerate(file.views):
        if view.table == view.view and (view.company_column or view.encrypted):
            raise UnusableFile(f"{path}: views[{at}].view: {view.view!r} is the table; give the view its own name")
    # a table that is its own view is read directly
    return Access(tuple(view for view in file.views if view.table != view.view), file.rules)


def _refuse_doubles(path: Path, what: str, names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise UnusableFile(
                f"{path}: views[{at}].{what}: {name!r} is also that of views[{names.index(name)}]; keep one"
            )
