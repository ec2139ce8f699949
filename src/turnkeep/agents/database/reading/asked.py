"""What a question asks of the database, before any SQL. Plain data: a follow-up changes a few fields of it."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

type Measure = Literal["rows", "count", "sum", "average", "minimum", "maximum"]
type Test = Literal[
    "is", "is_not", "contains", "over", "at_least", "under", "at_most", "between", "is_missing", "is_there"
]
type Grain = Literal["day", "week", "month", "quarter", "year"]

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
"""A period that is open at one side begins or ends there."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column. `via` is the column of the subject's side through which its table is reached, where a question says
    which of several links it means ("created by"); empty where it does not."""

    table: str
    column: str
    via: str = ""


type Value = str | int | float | bool | Field
"""Days and times as ISO 8601 texts. A Field stands for that column of the same row ("below their minimum")."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`values` holds one value, two for `between`, several for `is` any of them, none for `is_missing`. It is enough
    that the test holds for `field` or for one of `others` (a name may be a first or a last one)."""

    field: Field
    test: Test
    values: tuple[Value, ...] = ()
    others: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Period:
    """`start` and `end` are both included. `words` is how it is told. `until` is the column of the end of rows that
    last (employed from, employed until): those count that began by `end` and have no end, or none before `start`."""

    field: Field
    start: date
    end: date
    words: str
    until: Field | None = None


@dataclass(frozen=True, slots=True)
class Absence:
    """Only rows of the subject to which no row of `table` belongs ("customers without work orders"), or at least one
    (`is_absent` false). `test` and `times` say how many rows must belong to it where one is not enough ("with more
    than five"): two numbers for `between`. `via` as that of a Field."""

    table: str
    is_absent: bool = True
    conditions: tuple[Condition, ...] = ()
    period: Period | None = None
    test: Test = "at_least"
    times: tuple[int, ...] = (1,)
    via: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """`subject` is the table whose rows are counted, listed or summed. `of` is the column of a sum, an average or an
    extreme, `less` a column of the same table that is taken from it ("what is still owed"). `shown` is empty where the
    main columns of the subject will do. `groups` and `grain` (of the period's column, or `grain_of`) make one row a
    group. `order` sorts by `order_by`, or by the measure where that is None. `keep` holds groups against their measure
    ("with more than five"). `page` counts from 0. `unread` are the words that nothing in the schema answers to: they
    are said. `through` are tables that the joins have to go through, where the shortest way would mean something
    else."""

    subject: str
    measure: Measure = "rows"
    of: Field | None = None
    is_distinct: bool = False
    shown: tuple[Field, ...] = ()
    conditions: tuple[Condition, ...] = ()
    period: Period | None = None
    absences: tuple[Absence, ...] = ()
    groups: tuple[Field, ...] = ()
    grain: Grain | None = None
    grain_of: Field | None = None
    order: Literal["descending", "ascending"] | None = None
    order_by: Field | None = None
    limit: int | None = None
    keep: Condition | None = None
    page: int = 0
    unread: tuple[str, ...] = field(default=())
    through: tuple[str, ...] = ()
    less: Field | None = None
