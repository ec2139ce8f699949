"""What a question asks of the database, before any SQL. Plain data: a follow-up changes a few fields of it."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

type Measure = Literal["rows", "count", "sum", "average", "minimum", "maximum", "share"]
type Test = Literal[
    "is",
    "is_not",
    "contains",
    "starts",
    "ends",
    "named",
    "over",
    "at_least",
    "under",
    "at_most",
    "between",
    "is_missing",
    "is_there",
]
type Grain = Literal["day", "week", "month", "quarter", "year"]

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
"""A period that is open at one side begins or ends there."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column. `via` is the column of the subject's side through which its table is reached, where a question says
    which of several links it means ("created by"); empty where it does not. With `since`, a date of the same table, it
    stands for the days from there to the date `column`."""

    table: str
    column: str
    via: str = ""
    since: str = ""


type Value = str | int | float | bool | Field
"""Days and times as ISO 8601 texts. A Field stands for that column of the same row ("below their minimum")."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`values` holds one value, two for `between`, several for `is` any of them, none for `is_missing`. It is enough
    that the test holds for `field` or for one of `others` (a name may be a first or a last one). `named` is a test of
    each table among them: of two columns of one table the first holds how the name begins, the other the rest."""

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
    than five"): two numbers for `between`; with `of` it is the sum of that column that has to be so. `via` as that of a
    Field."""

    table: str
    is_absent: bool = True
    conditions: tuple[Condition, ...] = ()
    period: Period | None = None
    test: Test = "at_least"
    times: tuple[int | float, ...] = (1,)
    via: str = ""
    of: Field | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """One more measure of the same rows."""

    measure: Measure
    of: Field | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the rows, called as the question does: what a share is of, or one side of a comparison."""

    words: str
    conditions: tuple[Condition, ...] = ()
    period: Period | None = None
    absences: tuple[Absence, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """`subject` is the table whose rows are counted, listed or summed. `of` is the column of a sum, an average or an
    extreme, `less` a column of the same table that is taken from it ("what is still owed"). `shown` is empty where the
    main columns of the subject will do. `groups` and `grain` (of the period's column, or `grain_of`) make one row a
    group. `order` sorts by `order_by`, or by the measure where that is None. `keep` holds groups against their measure
    ("with more than five"). `page` counts from 0. `unread` are the words that nothing in the schema answers to: they
    are said; `missing` are those without which there is no answer: then nothing is asked of the database. `through` are
    tables that the joins have to go through, where the shortest way would mean something else. `also` are further
    measures. The measure `share` is how much of the rows, in percent, the one of `parts` makes up; with any other
    measure there are several parts, and each is measured for itself. `tallies` are rows that belong to one of the
    subject: their number is shown beside it, or is what an average or an extreme is taken of. With `over` the average
    or extreme of the groups' measure is asked for, and no group is shown. `waived` are conditions on who is there today
    that a question about other days does without; `states` those of `conditions` that tell of today all the same.
    `stays` are the days of rows between the subject and a group (memberships): only those of that time count."""

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
    unread: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    less: Field | None = None
    also: tuple[Figure, ...] = ()
    parts: tuple[Part, ...] = ()
    tallies: tuple[Absence, ...] = ()
    over: Measure | None = None
    waived: tuple[Condition, ...] = ()
    states: tuple[Condition, ...] = ()
    stays: tuple[Period, ...] = ()
