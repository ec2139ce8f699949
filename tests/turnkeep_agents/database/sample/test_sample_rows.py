import sqlite3
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import String, Table

from turnkeep_agents.database.sample.rows.dice import iso
from turnkeep_agents.database.sample.rows.world import first_day
from turnkeep_agents.database.sample.sample import CANARY_TENANT, contents
from turnkeep_agents.database.sample.tables import metadata
from turnkeep_agents.database.sample.tables.columns import AUDITS, COMPANY_COLUMN, VALUES, secrets_of

SAMPLE_DAY = date(2026, 3, 4)
TODAY, LAST = SAMPLE_DAY.isoformat(), (SAMPLE_DAY - timedelta(days=1)).isoformat()
OWNED = [table for table in metadata.tables.values() if COMPANY_COLUMN in table.columns]
CANARY_IDS = 100_000_000

type Rows = list[tuple[Any, ...]]


def ask(sample: sqlite3.Connection, sql: str) -> Rows:
    return sample.execute(sql).fetchall()


def number(sample: sqlite3.Connection, sql: str) -> float:
    """Of the one row and column."""
    ((found,),) = ask(sample, sql)
    assert isinstance(found, int | float)
    return found


def shown(table: Table, name: str) -> str:
    return f'SHOWN("{name}")' if name in secrets_of(table) else f'"{name}"'


def texts(table: Table) -> Iterator[str]:
    """Expressions of the columns that hold text, decrypted."""
    for column in table.columns:
        if isinstance(column.type, String) or column.name in secrets_of(table):
            yield shown(table, column.name)


# Size and keys


def test_all_foreign_keys_hold(sample: sqlite3.Connection) -> None:
    assert ask(sample, "PRAGMA foreign_key_check") == []


def test_at_least_sixty_tables_have_a_hundred_rows_of_the_first_company_and_none_is_empty(
    sample: sqlite3.Connection,
) -> None:
    counts = {
        name: number(sample, f'SELECT COUNT(*) FROM "{name}" {"WHERE companyId = 1" if table in OWNED else ""}')
        for name, table in metadata.tables.items()
    }
    assert sum(count >= 100 for count in counts.values()) >= 60
    assert {name for name, count in counts.items() if count < 2 and name != "company"} == set()


def test_the_file_is_below_8_mb(sample_bytes: bytes) -> None:
    assert len(sample_bytes) < 8_000_000


def test_texts_fit_their_columns(sample: sqlite3.Connection) -> None:
    for table in metadata.tables.values():
        for column in table.columns:
            if isinstance(column.type, String):
                longest = sample.execute(f'SELECT MAX(LENGTH("{column.name}")) FROM "{table.name}"').fetchone()[0] or 0
                assert longest <= (column.type.length or 0), f"{table.name}.{column.name}"


def test_states_are_among_those_that_their_column_knows(sample: sqlite3.Connection) -> None:
    for table in metadata.tables.values():
        for column in table.columns:
            if VALUES in column.info:
                known = ", ".join(f"'{value}'" for value in column.info[VALUES])
                where = f'"{column.name}" NOT IN ({known}) {"AND companyId = 1" if table in OWNED else ""}'
                assert ask(sample, f'SELECT * FROM "{table.name}" WHERE {where} LIMIT 1') == [], str(column)


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
    assert number(sample, f"SELECT COUNT(*) FROM {whole}") > 100
    assert ask(sample, f"SELECT * FROM {whole} AS paper WHERE ABS({amount} - {sums}) > 0.001 OR {sums} IS NULL") == []


def test_a_bill_with_tax_is_net_and_tax_and_was_paid_by_its_payments(sample: sqlite3.Connection) -> None:
    paid = "COALESCE((SELECT SUM(amount) FROM payment WHERE payment.invoiceId = invoice.id), 0)"
    wrong = [
        "ABS(netAmount + taxAmount - totalAmount) > 0.001",
        f"ABS(paidAmount - {paid}) > 0.001",
        "paidAmount > totalAmount + 0.001",
        "(status = 'paid') <> (ABS(paidAmount - totalAmount) < 0.001)",
        "(status = 'overdue') AND (dueOn >= '{today}' OR paidAmount > 0)",
        "(status = 'paid') <> (paidOn IS NOT NULL)",
    ]
    where = " OR ".join(wrong).format(today=TODAY)
    assert ask(sample, f"SELECT * FROM invoice WHERE companyId = 1 AND ({where})") == []


def test_stock_is_the_sum_of_its_movements_and_never_below_zero(sample: sqlite3.Connection) -> None:
    moved = """(SELECT SUM(quantity) FROM stockMovement AS moved WHERE moved.warehouseId = stockLevel.warehouseId
        AND moved.inventoryItemId = stockLevel.inventoryItemId)"""
    assert ask(sample, f"SELECT * FROM stockLevel WHERE quantity <> {moved} OR quantity < 0") == []
    scarce = number(sample, "SELECT COUNT(*) FROM stockLevel WHERE quantity < minimumQuantity AND companyId = 1")
    assert 0 < scarce < 200


def test_what_a_work_order_used_up_left_the_stock(sample: sqlite3.Connection) -> None:
    used = number(sample, "SELECT SUM(quantity) FROM workOrderMaterial")
    assert used == -number(sample, "SELECT SUM(quantity) FROM stockMovement WHERE workOrderId IS NOT NULL") > 1000


def test_overtime_of_a_wage_is_that_of_the_hours_worked(sample: sqlite3.Connection) -> None:
    paid = """SELECT period.startsOn, period.endsOn, entry.employeeId, entry.overtimeHours FROM payrollEntry AS entry
        JOIN payrollPeriod AS period ON period.id = entry.payrollPeriodId"""
    worked = "SELECT SUM(overtimeHours) FROM workTime WHERE employeeId = ? AND workDate BETWEEN ? AND ?"
    some = ask(sample, f"{paid} ORDER BY entry.overtimeHours DESC LIMIT 25")
    assert all(row[3] > 1 for row in some)
    for starts, ends, employee, overtime in some:
        found = sample.execute(worked, (employee, starts, ends)).fetchone()[0]
        assert found == pytest.approx(overtime)


@pytest.mark.parametrize(
    "wrong",
    [
        "workOrder WHERE (status = 'completed') <> (completedAt IS NOT NULL)",
        "workOrder WHERE status IN ('in_progress', 'on_hold') AND startedAt IS NULL",
        "workOrder WHERE status = 'new' AND (crewId IS NOT NULL OR scheduledStart IS NOT NULL)",
        "workOrder WHERE (status = 'cancelled') <> (cancellationReasonId IS NOT NULL)",
        "workOrder WHERE status = 'scheduled' AND scheduledStart < '{today}'",
        "workOrder WHERE completedAt < startedAt OR completedAt >= '{today}' OR requestedOn >= '{today}'",
        "employee WHERE (status = 'terminated') <> (terminatedOn IS NOT NULL) OR terminatedOn < hiredOn",
        "employee WHERE hiredOn >= '{today}' OR terminatedOn >= '{today}'",
        "contract WHERE status = 'active' AND ('{last}' < startsOn OR '{last}' > endsOn)",
        "contract WHERE status = 'upcoming' AND startsOn < '{today}'",
        "inspections WHERE (status IN ('passed', 'failed')) <> (score IS NOT NULL)",
        "purchaseOrder WHERE (status = 'received') <> (receivedOn IS NOT NULL)",
        "workTime WHERE workDate >= '{today}' OR hours <= 0 OR overtimeHours > hours",
        "employeeAbsence WHERE endsOn < startsOn OR (status = 'requested') <> (approvedBy IS NULL)",
        "employeeCertification WHERE status = 'valid' AND expiresOn < '{today}'",
        "plannedVisit WHERE status = 'done' AND doneOn >= '{today}'",
        "complaint WHERE (status = 'open') <> (resolvedOn IS NULL)",
    ],
)
def test_states_fit_their_dates(sample: sqlite3.Connection, wrong: str) -> None:
    table, _, condition = wrong.partition(" WHERE ")
    where = condition.format(today=TODAY, last=LAST)
    assert number(sample, f"SELECT COUNT(*) FROM {table} WHERE companyId = 1") > 50
    assert ask(sample, f"SELECT * FROM {table} WHERE companyId = 1 AND ({where}) LIMIT 3") == []


def test_the_history_of_a_work_order_ends_with_its_status(sample: sqlite3.Connection) -> None:
    early = "(startedAt < createdAt OR completedAt < startedAt)"
    assert ask(sample, f"SELECT * FROM workOrder WHERE {early}") == []
    history = "workOrderStatusHistory AS history WHERE history.workOrderId = workOrder.id"
    last = f"SELECT toStatus FROM {history} ORDER BY history.changedAt DESC, history.id DESC LIMIT 1"
    assert ask(sample, f"SELECT * FROM workOrder WHERE status <> ({last})") == []


def test_planning_reaches_some_weeks_ahead(sample: sqlite3.Connection) -> None:
    planned = ("workOrder", "scheduledStart"), ("plannedVisit", "plannedOn"), ("trainingSession", "startsOn")
    for table, column in planned:
        assert number(sample, f"SELECT COUNT(*) FROM {table} WHERE {column} >= '{TODAY}' AND companyId = 1") > 10


def test_nothing_was_entered_after_yesterday(sample: sqlite3.Connection) -> None:
    for table in OWNED:
        for column in set(AUDITS[2:]) & set(table.columns.keys()):
            assert ask(sample, f"SELECT * FROM \"{table.name}\" WHERE {column} >= '{TODAY}' LIMIT 1") == [], table.name


def test_there_are_100_to_130_employees_of_many_positions(sample: sqlite3.Connection) -> None:
    counts: dict[str, int] = dict(
        ask(sample, "SELECT status, COUNT(*) FROM employee WHERE companyId = 1 GROUP BY status")
    )
    assert 100 <= sum(counts.values()) <= 130
    assert {"active", "on_leave", "terminated"} <= counts.keys()
    assert number(sample, "SELECT COUNT(DISTINCT position) FROM employee WHERE companyId = 1") == 11
    assert number(sample, "SELECT COUNT(DISTINCT crewId) FROM employeeCrew WHERE companyId = 1 AND leftOn IS NULL") > 10


# Days


def by_key(today: date) -> dict[tuple[Any, ...], dict[str, Any]]:
    found = {}
    for table, rows in contents(today, (1,)):
        names = list(table.columns.keys())
        keys = [names.index(column.name) for column in table.primary_key]
        for row in rows:
            found[table.name, *(row[key] for key in keys)] = dict(zip(names, row, strict=True))
    return found


SETTLED = (
    "payment", "invoiceLine", "workOrderMaterial", "workOrderStatusHistory", "inspectionAnswer", "trip", "fuelPurchase",
    "callLog", "payrollEntry", "customerFeedback", "meterReading", "goodsReceipt", "orderLine", "purchaseOrderLine",
    "performanceReview", "qualityAudit", "calibration", "loginEvent", "auditLog", "signature", "riskAssessment",
)  # fmt: skip
"""Tables whose rows never change once they are there."""


def test_a_past_day_never_changes() -> None:
    """But for who entered what is older than the data: their names are gone."""
    later_day = SAMPLE_DAY + timedelta(days=33)
    before, later = by_key(SAMPLE_DAY), by_key(later_day)
    begin = first_day(later_day)
    shared = [key for key in before.keys() & later.keys() if key[0] in SETTLED]
    for key in shared:
        is_old = str(before[key].get("createdAt", "9")) < iso(begin)
        assert without_clerk(before[key], is_old) == without_clerk(later[key], is_old)
    settled = iso(begin + 200)
    assert [key for key, row in before.items() if str(row.get("createdAt") or "") >= settled and key not in later] == []
    assert len(shared) > 15_000
    assert len(later.keys() - before.keys()) > 3_000


def without_clerk(row: dict[str, Any], is_old: bool) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not is_old or name not in AUDITS}


# The second company


@pytest.mark.parametrize("table", OWNED, ids=str)
def test_the_canary_is_known_by_every_text_and_every_id(sample: sqlite3.Connection, table: Table) -> None:
    assert number(sample, f'SELECT COUNT(*) FROM "{table.name}" WHERE companyId = 2') > 0
    for column in texts(table):
        foreign = f"(companyId = 2) <> ({column} LIKE '%{CANARY_TENANT}%')"
        assert ask(sample, f'SELECT * FROM "{table.name}" WHERE {foreign} LIMIT 1') == [], column
    for link in (column for column in table.columns if column.name == "id" or column.foreign_keys):
        targets = {key.column.table for key in link.foreign_keys}
        if link.name != COMPANY_COLUMN and (not targets or targets <= set(OWNED)):
            foreign = f'(companyId = 2) <> ("{link.name}" > {CANARY_IDS})'
            assert ask(sample, f'SELECT * FROM "{table.name}" WHERE {foreign} LIMIT 1') == [], link.name


def test_secrets_are_ciphers_in_the_file(sample: sqlite3.Connection) -> None:
    for table in OWNED:
        for name in secrets_of(table):
            kinds = {row[0] for row in ask(sample, f'SELECT DISTINCT TYPEOF("{name}") FROM "{table.name}"')}
            assert kinds <= {"blob", "null"}
            assert "blob" in kinds
