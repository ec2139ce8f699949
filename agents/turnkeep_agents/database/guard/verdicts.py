"""What the guard answers: the SQL that may run, or what is wrong with what was written."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Dialect: TypeAlias = Literal["sqlite", "mysql", "postgres"]


@dataclass(frozen=True, slots=True)
class Problem:
    """`code` for machines; `message` is a sentence fit for a correction prompt, without secrets."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """`sql` is what runs. The rest has logical names: `tables` "employee", `columns` "employee.firstName" (or
    "employee.*"), `joins` "workOrder.crewId = crew.id". `notes` are doubts that are no reason to refuse."""

    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    joins: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    problems: tuple[Problem, ...]


class Refusal(Exception):
    """Ends a check inside the guard; never leaves it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__("refused")
        self.problems = tuple(problems)


def refuse(code: str, message: str) -> Refusal:
    """With one problem."""
    return Refusal([Problem(code, message)])
