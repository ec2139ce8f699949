"""The guard's verdict: SQL that may run, or the problems of what was written."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Dialect: TypeAlias = Literal["sqlite", "mysql", "postgres"]


@dataclass(frozen=True, slots=True)
class Problem:
    """`message` is a sentence for a correction prompt, without secrets."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """`sql` is what runs. The other fields have logical names: `tables` "employee", `columns` "employee.firstName" (or
    "employee.*"), `joins` "workOrder.crewId = crew.id"."""

    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    joins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    problems: tuple[Problem, ...]


class Refusal(Exception):
    """Ends a check inside the guard; never leaves it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__("refused")
        self.problems = tuple(problems)


def refuse(code: str, message: str) -> Refusal:
    return Refusal([Problem(code, message)])
