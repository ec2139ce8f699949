"""The rows of the sample, on any day: keys hold, states fit their dates, the second company stays apart."""

import sqlite3
from datetime import date, timedelta

import pytest
from opened_sample import SAMPLE_DAY, opened

from turnkeep_demo.database.field_service import CANARY_TENANT, FOLDER, access, packed

CANARY_IDS = 100_000_000
DAYS = [SAMPLE_DAY, date(2026, 11, 22), date(2027, 12, 31), date(2028, 2, 29), date(2029, 1, 1)]
SECRETS = {view.table: view.encrypted for view in access().views}


def columns_of(sample: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Types by name, by table."""
    names = [name for (name,) in sample.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {name: sample.execute(f'PRAGMA table_info("{name}")').fetchall() for name in names}
    return {name: {row[1]: row[2] for row in rows} for name, rows in found.items() if not name.startswith("wall_")}


def test_every_table_of_a_company_has_a_secure_view(sample: sqlite3.Connection) -> None:
    owned = {name for name, columns in columns_of(sample).items() if "companyId" in columns}
    views = {name: f"secure_{name.lower()}" for name in {*owned, "company"}}
    assert {view.table: view.view for view in access().views} == views


@pytest.mark.parametrize("today", DAYS, ids=str)
def test_keys_hold_and_states_fit_their_dates_on_any_day(today: date) -> None:
    sample = opened(packed(today))
    monday = (today - timedelta(today.weekday())).isoformat()
    wrong = [
        "workOrder WHERE (status = 'completed') <> (completedAt IS NOT NULL) OR completedAt < startedAt",
        f"workOrder WHERE completedAt >= '{monday}' OR requestedOn >= '{monday}'",
        "employee WHERE (status = 'terminated') <> (terminatedOn IS NOT NULL) OR terminatedOn < hiredOn",
        f"contract WHERE status = 'active' AND NOT '{monday}' BETWEEN startsOn AND endsOn",
        f"contract WHERE status = 'upcoming' AND startsOn < '{monday}'",
        f"invoice WHERE status = 'overdue' AND (dueOn >= '{monday}' OR paidAmount > 0)",
        "invoice WHERE (status = 'paid') <> (paidOn IS NOT NULL) OR paidOn < issuedOn",
        f"employeeCertification WHERE status = 'valid' AND expiresOn < '{monday}'",
        f"workTime WHERE workDate >= '{monday}' OR hours <= 0 OR overtimeHours > hours",
        "payrollPeriod WHERE strftime('%Y-%m', startsOn) <> printf('%04d-%02d', year, month) OR endsOn <= startsOn",
        "contract WHERE endsOn <= startsOn OR strftime('%d', startsOn) <> '01'",
    ]
    assert sample.execute("PRAGMA foreign_key_check").fetchall() == []
    for each in wrong:
        table, _, condition = each.partition(" WHERE ")
        assert sample.execute(f"SELECT * FROM {table} WHERE companyId = 1 AND ({condition})").fetchall() == [], each


def test_weekdays_stay(sample: sqlite3.Connection) -> None:
    later = opened(packed(SAMPLE_DAY + timedelta(days=200)))
    sql = "SELECT id, strftime('%w', requestedOn) FROM workOrder ORDER BY id"
    assert sample.execute(sql).fetchall() == later.execute(sql).fetchall()


def test_the_canary_is_known_by_every_text_and_every_id(sample: sqlite3.Connection) -> None:
    owned = {name: columns for name, columns in columns_of(sample).items() if "companyId" in columns}
    for name, columns in owned.items():
        assert sample.execute(f'SELECT 1 FROM "{name}" WHERE companyId = 2 LIMIT 1').fetchone(), name
        secret = SECRETS.get(name, ())
        shown = [f'SHOWN("{each}")' for each in secret]
        shown += [f'"{each}"' for each, kind in columns.items() if kind.startswith("VARCHAR") and each not in secret]
        for text in shown:
            foreign = f"(companyId = 2) <> ({text} LIKE '%{CANARY_TENANT}%')"
            assert sample.execute(f'SELECT * FROM "{name}" WHERE {foreign} LIMIT 1').fetchall() == [], text
        links = [key[3] for key in sample.execute(f'PRAGMA foreign_key_list("{name}")') if key[2] in owned]
        for link in (each for each in ("id", *links) if each in columns):
            foreign = f'(companyId = 2) <> ("{link}" > {CANARY_IDS})'
            assert sample.execute(f'SELECT * FROM "{name}" WHERE {foreign} LIMIT 1').fetchall() == [], link


def test_the_join_graph_contains_nothing_of_the_second_company() -> None:
    assert CANARY_TENANT not in (FOLDER / "joins.json").read_text().lower()


def test_secrets_are_ciphers_in_the_file(sample: sqlite3.Connection) -> None:
    encrypted = {table: columns for table, columns in SECRETS.items() if columns}
    assert encrypted.keys() == {"user", "employee", "workOrder", "customer", "customerLocation", "customerContact"}
    for table, columns in encrypted.items():
        for name in columns:
            kinds = {row[0] for row in sample.execute(f'SELECT DISTINCT TYPEOF("{name}") FROM "{table}"')}
            assert "blob" in kinds <= {"blob", "null"}
