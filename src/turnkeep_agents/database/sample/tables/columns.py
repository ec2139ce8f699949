"""How the tables of the sample are written down. A table belongs to a company and is audited unless it says otherwise;
`secret` columns hold AES ciphertext, which only the secure views show in clear."""

from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    String,
    Table,
    Time,
)

metadata = MetaData(
    naming_convention={"fk": "fk_%(table_name)s_%(column_0_name)s", "uq": "uq_%(table_name)s_%(column_0_name)s"}
)

SECRET = "secret"  # noqa: S105 - the name of a property
VALUES = "values"
AUDITS = ("createdBy", "updatedBy", "createdAt", "updatedAt")
COMPANY_COLUMN = "companyId"

type AnyColumn = Column[Any]


def table(name: str, comment: str, *columns: AnyColumn, owned: bool = True, audited: bool = True) -> Table:
    """Adds `id` where no column is a primary key, `companyId` after the first, and the audit columns at the end."""
    own = list(columns) if any(column.primary_key for column in columns) else [_identity(), *columns]
    if owned:
        own.insert(1, link(COMPANY_COLUMN, "company", "The company that owns the row."))
    return Table(name, metadata, *own, *(_audits() if audited else ()), comment=comment)


def lookup(name: str, comment: str, *columns: AnyColumn) -> Table:
    """A short list that all companies share."""
    return table(name, comment, *columns, owned=False, audited=False)


def _identity() -> AnyColumn:
    return Column("id", Integer, primary_key=True, autoincrement=False)


def _audits() -> list[AnyColumn]:
    return [
        link("createdBy", "user", "Who entered the row.", optional=True),
        link("updatedBy", "user", "Who changed the row last.", optional=True),
        moment("createdAt", "When the row was entered."),
        moment("updatedAt", "When the row was changed last."),
    ]


def link(
    name: str, to: str, comment: str | None = None, *, optional: bool = False, key: bool = False, late: bool = False
) -> AnyColumn:
    """A foreign key to the `id` of a table. `late` where two tables point at each other."""
    foreign = ForeignKey(f"{to}.id", use_alter=late)
    return Column(
        name, Integer, foreign, primary_key=key, autoincrement=False, nullable=optional and not key, comment=comment
    )


def text(name: str, comment: str | None = None, *, size: int = 120, optional: bool = False) -> AnyColumn:
    return Column(name, String(size), nullable=optional, comment=comment)


def unique(name: str, comment: str | None = None, *, size: int = 60) -> AnyColumn:
    return Column(name, String(size), nullable=False, unique=True, comment=comment)


def choice(name: str, values: str, comment: str = "", *, optional: bool = False) -> AnyColumn:
    """One of a few words; `values` are parted by blanks."""
    return Column(
        name, String(40), nullable=optional, comment=comment or None, info={VALUES: tuple(sorted(values.split()))}
    )


def secret(name: str, comment: str | None = None, *, optional: bool = False) -> AnyColumn:
    return Column(name, LargeBinary, nullable=optional, comment=comment, info={SECRET: True})


def money(name: str, comment: str | None = None, *, optional: bool = False) -> AnyColumn:
    """In the company's currency."""
    return Column(name, Numeric(12, 2), nullable=optional, comment=comment)


def number(name: str, comment: str | None = None, *, optional: bool = False) -> AnyColumn:
    return Column(name, Numeric(10, 2), nullable=optional, comment=comment)


def whole(name: str, comment: str | None = None, *, optional: bool = False, key: bool = False) -> AnyColumn:
    return Column(name, Integer, primary_key=key, autoincrement=False, nullable=optional and not key, comment=comment)


def degrees(name: str, comment: str | None = None) -> AnyColumn:
    return Column(name, Numeric(9, 6), nullable=False, comment=comment)


def flag(name: str, comment: str | None = None) -> AnyColumn:
    return Column(name, Boolean, nullable=False, comment=comment)


def day(name: str, comment: str | None = None, *, optional: bool = False) -> AnyColumn:
    return Column(name, Date, nullable=optional, comment=comment)


def moment(name: str, comment: str | None = None, *, optional: bool = False) -> AnyColumn:
    return Column(name, DateTime, nullable=optional, comment=comment)


def clock(name: str, comment: str | None = None, *, optional: bool = False) -> AnyColumn:
    return Column(name, Time, nullable=optional, comment=comment)


def secrets_of(table: Table) -> tuple[str, ...]:
    """The names of the encrypted columns."""
    return tuple(column.name for column in table.columns if SECRET in column.info)
