"""Who may read which tables, and through which views. The explicit map of secure views is the only source of names
that begin with `secure_`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from turnkeep.records import Principal
from turnkeep.settings import UnusableFile


@dataclass(frozen=True, slots=True)
class SecureView:
    """`view` shows the rows of `table` that belong to the caller's company, found by `company_column` where the table
    has one, with its `encrypted` columns in clear."""

    table: str
    view: str
    company_column: str = ""
    encrypted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """What callers may read: patterns as of a shell, `*` for any. `without` wins over `tables`."""

    tenant: str = "*"
    user: str = "*"
    tables: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The first rule that fits a caller counts; without any, nothing may be read."""

    views: tuple[SecureView, ...] = ()
    rules: tuple[Rule, ...] = (Rule(),)

    @property
    def view_of(self) -> Mapping[str, str]:
        return {view.table: view.view for view in self.views}

    def allowed(self, principal: Principal, tables: Iterable[str]) -> frozenset[str]:
        """Those of `tables` that `principal` may read."""
        rule = next((rule for rule in self.rules if _fits(rule, principal)), None)
        if rule is None:
            return frozenset()
        return frozenset(name for name in tables if _any(rule.tables, name) and not _any(rule.without, name))


def _fits(rule: Rule, principal: Principal) -> bool:
    return fnmatchcase(principal.tenant, rule.tenant) and fnmatchcase(principal.user, rule.user)


def _any(patterns: Iterable[str], name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


# The file


class AccessError(UnusableFile):
    """A file of access rules cannot be used; the message names file, place and remedy."""


def load_access(path: Path) -> Access:
    """The access that a JSON file grants; raises AccessError. The file holds one object:

        {"views": [{"table": "employee", "view": "secure_employee", "company_column": "companyId",
                    "encrypted": ["firstName"]}],
         "rules": [{"tenant": "acme", "user": "*", "tables": ["*"], "without": ["payroll*"]}]}

    Only `table` and `view` must be given. `views` may also be an object from table to view. Without `rules` everyone
    may read everything; with an empty list nobody may read anything."""
    try:
        file = _File.model_validate_json(json.dumps(_with_listed_views(_read(path))))
    except ValidationError as error:
        raise AccessError(f"{path}: {_fault(error)}") from error
    views = tuple(SecureView(**view.model_dump()) for view in file.views)
    _refuse_doubles(path, "table", [view.table for view in views])
    _refuse_doubles(path, "view", [view.view for view in views])
    views = _real(path, views)
    return (
        Access(views) if file.rules is None else Access(views, tuple(Rule(**rule.model_dump()) for rule in file.rules))
    )


def _read(path: Path) -> Any:
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise AccessError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise AccessError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise AccessError(
            f"{path}:{error.lineno}: not JSON at column {error.colno} ({error.msg}); correct it"
        ) from error
    except RecursionError as error:
        raise AccessError(f"{path}: nested too deeply; write the object that load_access describes") from error


_Name = Annotated[str, StringConstraints(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _View(_Part):
    table: _Name
    view: _Name
    company_column: str = ""
    encrypted: tuple[_Name, ...] = ()


class _Rule(_Part):
    tenant: _Name = "*"
    user: _Name = "*"
    tables: tuple[_Name, ...] = ("*",)
    without: tuple[_Name, ...] = ()


class _File(_Part):
    views: tuple[_View, ...] = ()
    rules: tuple[_Rule, ...] | None = None


_REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "no such field is known; remove it or correct its name",
    "string_type": "write a text",
    "string_too_short": "write a name that is not empty",
    "tuple_type": "write a list",
    "model_type": "write an object",
    "model_attributes_type": "write an object",
}


def _with_listed_views(given: Any) -> Any:
    views = given.get("views") if isinstance(given, dict) else None
    if not isinstance(views, dict):
        return given
    return {**given, "views": [{"table": table, "view": view} for table, view in views.items()]}


def _fault(error: ValidationError) -> str:
    """The first fault: where it lies and what to do."""
    fault = error.errors()[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    return f"{place or 'the file'}: {_REMEDIES.get(fault['type'], fault['msg'])}"


def _real(path: Path, views: Sequence[SecureView]) -> tuple[SecureView, ...]:
    """Without tables that are named as a view of themselves: they are read as they are."""
    for at, view in enumerate(views):
        if view.table == view.view and (view.company_column or view.encrypted):
            raise AccessError(f"{path}: views[{at}].view: {view.view!r} is the table; give the view a name of its own")
    return tuple(view for view in views if view.table != view.view)


def _refuse_doubles(path: Path, what: str, names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise AccessError(
                f"{path}: views[{at}].{what}: {name!r} is also that of views[{names.index(name)}]; keep one"
            )
