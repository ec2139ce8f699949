"""A small foreign schema, in snake_case and without comments: a chain of clinics that nobody wrote the rules for."""

from collections.abc import Sequence

from turnkeep_agents.database.joins.records import Column, JoinGraph, Kind, Relationship, Table

_KINDS: dict[str, Kind] = {"i": "integer", "n": "number", "t": "text", "d": "date", "m": "datetime", "b": "boolean"}


def clinic() -> JoinGraph:
    """Written as `column:kind`, values behind an equals sign, links as `column>table`."""
    tables = [
        _table("patient", "first_name:t last_name:t birth_date:d city:t email:t insurer_id>insurer is_smoker:b"),
        _table("insurer", "name:t"),
        _table(
            "doctor", "first_name:t last_name:t specialty:t=cardiology/dermatology/surgery department_id>department"
        ),
        _table("department", "name:t floor:i", synonyms=["ward"]),
        _table(
            "appointment",
            "patient_id>patient doctor_id>doctor booked_by>app_user scheduled_at:m length_minutes:i"
            " status:t=booked/kept/missed/cancelled fee:n",
        ),
        _table("prescription", "appointment_id>appointment drug_id>drug daily_dose:n issued_on:d is_repeat:b"),
        _table("drug", "name:t unit_price:n units_in_stock:i minimum_stock:i"),
        _table("bill", "appointment_id>appointment bill_number:t total_amount:n issued_on:d due_date:d paid_on:d"),
        _table("app_user", "login:t last_login:m"),
        _table("patient_doctor", "patient_id>patient doctor_id>doctor"),
    ]
    links = [link for _, links in tables for link in links]
    return JoinGraph({table.name: table for table, _ in tables}, tuple(links))


def _table(name: str, columns: str, synonyms: Sequence[str] = ()) -> tuple[Table, list[Relationship]]:
    made = {"id": Column("id", "integer")}
    links = []
    for said in columns.split():
        if ">" in said:
            column, to = said.split(">")
            made[column] = Column(column, "integer")
            links.append(Relationship(name, column, to, "id"))
            continue
        column, kind = said.split(":")
        kind, _, values = kind.partition("=")
        made[column] = Column(column, _KINDS[kind], values=tuple(values.split("/")) if values else ())
    return Table(name, made, ("id",), ("id",), synonyms=tuple(synonyms)), links
