"""What stands in the sample's rows, whatever the day: keys hold, sums add up, states fit their dates."""

import json
import sqlite3
from datetime import date, timedelta
from typing import Any

import pytest
from opened_sample import SAMPLE_DAY, opened

from turnkeep_demo.database.field_service import CANARY_TENANT, FOLDER, access, contents, packed

CANARY_IDS = 100_000_000
DAYS = [SAMPLE_DAY, date(2026, 11, 22), date(2027, 12, 31), date(2028, 2, 29), date(2029, 1, 1)]
JOINS = json.loads((FOLDER / "joins.json").read_text())
VIEWED = access().view_of
SECRETS = {view.table: view.encrypted for view in access().views}

type Rows = list[tuple[Any, ...]]


def columns_of(sample: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Types by name, by table."""
    names = [name for (name,) in sample.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {name: sample.execute(f'PRAGMA table_info("{name}")').fetchall() for name in names}
    return {name: {row[1]: row[2] for row in rows} for name, rows in found.items() if not name.startswith("wall_")}


def number(sample: sqlite3.Connection, sql: str) -> float:
    """Of the one row and column."""
    ((found,),) = sample.execute(sql).fetchall()
    assert isinstance(found, int | float)
    return found


# Tables


def test_the_join_graph_knows_the_tables_of_the_schema_but_the_keys(sample: sqlite3.Connection) -> None:
    tables = columns_of(sample)
    hidden = set(access().rules[0].without)
    assert len(tables) >= 122
    assert hidden < tables.keys()
    for name, columns in tables.items():
        assert name in hidden or set(columns) == set(JOINS["tables"][name]["columns"]), name
    assert tables.keys() - hidden == JOINS["tables"].keys()


def test_every_foreign_key_is_a_relationship(sample: sqlite3.Connection) -> None:
    declared = {
        (name, key[3], key[2])
        for name in JOINS["tables"]
        for key in sample.execute(f'PRAGMA foreign_key_list("{name}")').fetchall()
    }
    graph = {(link["from_table"], link["from_column"], link["to_table"]) for link in JOINS["relationships"]}
    assert declared == graph
    assert len(declared) > 500


def test_every_table_of_a_company_has_a_secure_view(sample: sqlite3.Connection) -> None:
    owned = {name for name, columns in columns_of(sample).items() if "companyId" in columns}
    assert {view.table: view.view for view in access().views} == {
        name: f"secure_{name.lower()}" for name in {*owned, "company"}
    }


def test_no_table_is_empty_and_many_are_large(sample: sqlite3.Connection) -> None:
    counts = {name: number(sample, f'SELECT COUNT(*) FROM "{name}"') for name in columns_of(sample)}
    assert 15_000 < sum(counts.values()) < 25_000
    assert min(counts.values()) >= 2
    assert sum(count >= 100 for count in counts.values()) >= 50


def test_states_are_among_those_that_the_join_graph_knows(sample: sqlite3.Connection) -> None:
    for name, table in JOINS["tables"].items():
        for column, values in table.get("values", {}).items():
            owner = next((each for each in ("companyId", "id") if each in table["columns"] and name in VIEWED), "1")
            where = f"WHERE {owner} = 1"
            found = {str(value) for (value,) in sample.execute(f'SELECT DISTINCT "{column}" FROM "{name}" {where}')}
            assert found - {"None"} <= set(values), f"{name}.{column}"


# Days


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


def test_planning_reaches_some_weeks_ahead(sample: sqlite3.Connection) -> None:
    planned = ("workOrder", "scheduledStart"), ("plannedVisit", "plannedOn"), ("trainingSession", "startsOn")
    for table, column in planned:
        assert number(sample, f"SELECT COUNT(*) FROM {table} WHERE {column} >= '{SAMPLE_DAY}' AND companyId = 1") > 8


# Figures


@pytest.mark.parametrize(
    ("whole", "amount", "lines", "key"),
    [
        ("invoice", "netAmount", "invoiceLine", "invoiceId"),
        ("estimate", "totalAmount", "estimateLine", "estimateId"),
        ("purchaseOrder", "totalAmount", "purchaseOrderLine", "purchaseOrderId"),
        ('"order"', "totalAmount", "orderLine", "orderId"),
    ],
)
def test_the_lines_of_a_paper_add_up_to_its_amount(
    sample: sqlite3.Connection, whole: str, amount: str, lines: str, key: str
) -> None:
    sums = f"(SELECT SUM(lineTotal) FROM {lines} WHERE {lines}.{key} = paper.id)"
    assert number(sample, f"SELECT COUNT(*) FROM {whole}") > 50
    wrong = f"SELECT * FROM {whole} AS paper WHERE ABS({amount} - {sums}) > 0.001 OR {sums} IS NULL"
    assert sample.execute(wrong).fetchall() == []


def test_a_bill_was_paid_by_its_payments(sample: sqlite3.Connection) -> None:
    paid = "COALESCE((SELECT SUM(amount) FROM payment WHERE payment.invoiceId = invoice.id), 0)"
    wrong = f"ABS(netAmount + taxAmount - totalAmount) > 0.001 OR ABS(paidAmount - {paid}) > 0.001"
    assert sample.execute(f"SELECT * FROM invoice WHERE companyId = 1 AND ({wrong})").fetchall() == []


def test_stock_is_the_sum_of_its_movements_and_never_below_zero(sample: sqlite3.Connection) -> None:
    moved = """(SELECT SUM(quantity) FROM stockMovement AS moved WHERE moved.warehouseId = stockLevel.warehouseId
        AND moved.inventoryItemId = stockLevel.inventoryItemId)"""
    assert sample.execute(f"SELECT * FROM stockLevel WHERE quantity <> {moved} OR quantity < 0").fetchall() == []


def test_overtime_of_a_wage_is_that_of_the_hours_worked(sample: sqlite3.Connection) -> None:
    worked = """(SELECT COALESCE(SUM(overtimeHours), 0) FROM workTime
        WHERE workTime.employeeId = entry.employeeId AND workDate BETWEEN period.startsOn AND period.endsOn)"""
    wages = "payrollEntry AS entry JOIN payrollPeriod AS period ON period.id = entry.payrollPeriodId"
    assert number(sample, f"SELECT SUM(entry.overtimeHours) FROM {wages}") > 0
    assert sample.execute(f"SELECT * FROM {wages} WHERE ABS(entry.overtimeHours - {worked}) > 0.01").fetchall() == []


# The second company


def test_the_canary_is_known_by_every_text_and_every_id(sample: sqlite3.Connection) -> None:
    owned = {name: columns for name, columns in columns_of(sample).items() if "companyId" in columns}
    for name, columns in owned.items():
        assert number(sample, f'SELECT COUNT(*) FROM "{name}" WHERE companyId = 2') > 0
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


def test_nothing_of_the_second_company_is_told_by_the_join_graph() -> None:
    assert CANARY_TENANT not in (FOLDER / "joins.json").read_text().lower()


def test_secrets_are_ciphers_in_the_file(sample: sqlite3.Connection) -> None:
    encrypted = {table: columns for table, columns in SECRETS.items() if columns}
    assert encrypted.keys() == {"user", "employee", "workOrder", "customer", "customerLocation", "customerContact"}
    for table, columns in encrypted.items():
        for name in columns:
            kinds = {row[0] for row in sample.execute(f'SELECT DISTINCT TYPEOF("{name}") FROM "{table}"')}
            assert "blob" in kinds <= {"blob", "null"}


def test_rows_have_the_columns_of_their_table(sample: sqlite3.Connection) -> None:
    tables = columns_of(sample)
    assert {name: columns for name, columns, _ in contents(SAMPLE_DAY)} == {
        name: list(columns) for name, columns in tables.items()
    }
