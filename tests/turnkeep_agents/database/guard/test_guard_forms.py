"""Harmless forms that models write: one row compared with several tables, bounded recursion, rows of constants, JSON.
Next to each form, what is still refused."""

import pytest
from guarded import DIALECTS, Dialect, guard, passed

from turnkeep_agents.database.guard.guard import Refused

MEAN = "(SELECT AVG(amount) AS mean FROM workOrder) AS m"
OWN_ROW = "(SELECT crewId, id FROM workOrder ORDER BY id LIMIT 1) AS m"
ONE_ROW = [
    f"SELECT w.title FROM {MEAN} JOIN workOrder AS w ON w.amount > m.mean",
    f"SELECT c.name FROM {MEAN} JOIN workOrder AS w ON w.amount > m.mean JOIN crew AS c ON c.id = w.crewId",
    f"SELECT c.name FROM {MEAN} JOIN crew AS c ON c.id < m.mean JOIN workOrder AS w ON w.amount > m.mean",
    f"SELECT c.name FROM {MEAN} JOIN crew AS c ON c.id < m.mean JOIN workOrder AS w ON w.amount > m.mean"
    " JOIN customer AS k ON k.id < m.mean",
    f"SELECT c.name, k.name FROM {OWN_ROW} JOIN crew AS c ON c.id = m.crewId JOIN customer AS k ON k.id = m.id"
    " JOIN workOrder AS w ON w.id = m.id",
    f"SELECT c.name FROM {MEAN} LEFT JOIN workOrder AS w ON w.amount > m.mean LEFT JOIN crew AS c ON c.id = w.crewId",
    "WITH one AS (SELECT MAX(id) AS newest FROM workOrder) SELECT c.name FROM one JOIN crew AS c ON c.id <= one.newest"
    " JOIN customer AS k ON k.id <= one.newest JOIN workOrder AS w ON w.id = one.newest",
    f"SELECT w.title FROM {MEAN}, workOrder AS w, crew AS c, customer AS k WHERE w.amount > m.mean AND c.id = w.crewId"
    " AND k.id < m.mean",
    "SELECT c.name FROM (SELECT MIN(id) AS low, MAX(id) AS high FROM crew) AS m JOIN crew AS c ON c.id BETWEEN m.low"
    " AND m.high JOIN customer AS k ON k.id BETWEEN m.low AND m.high JOIN workOrder AS w ON w.id < m.high",
]  # fmt: skip
PRODUCTS = [
    "SELECT 1 FROM crew a JOIN crew b ON a.id <> b.id JOIN crew c ON b.id <> c.id",
    "SELECT c.name FROM crew AS c JOIN customer AS k ON 1 = 1 JOIN workOrder AS w ON 1 = 1",
    f"SELECT c.name FROM {MEAN} JOIN crew AS c ON 1 = 1 JOIN customer AS k ON 1 = 1 JOIN workOrder AS w ON 1 = 1",
    "SELECT c.name FROM (SELECT 1 AS one) AS m JOIN crew AS c ON c.id > m.one JOIN customer AS k ON k.id > m.one"
    " JOIN workOrder AS w ON w.id > m.one",
    "SELECT c.name FROM (SELECT id FROM crew) AS m JOIN crew AS c ON 1 = 1 JOIN customer AS k ON 1 = 1",
]
MONTHS = "WITH RECURSIVE month(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM month WHERE n < 12) SELECT n FROM month"
RECURSIONS = [
    MONTHS,
    "WITH RECURSIVE chain(id, depth) AS (SELECT id, 0 FROM crew UNION ALL SELECT w.id, chain.depth + 1 FROM chain"
    " JOIN workOrder AS w ON w.crewId = chain.id WHERE chain.depth < 5) SELECT id FROM chain",
    "WITH RECURSIVE crew(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM crew WHERE n < 3) SELECT n FROM crew",
]
ENDLESS = [
    "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d) SELECT n FROM d",
    "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 1000000000) SELECT n FROM d",
    "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < n + 1) SELECT n FROM d",
    "WITH RECURSIVE d(n) AS (SELECT 'x' UNION ALL SELECT n || n FROM d WHERE n < 'y') SELECT n FROM d",
    "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT a.n FROM d AS a JOIN d AS b ON a.n = b.n WHERE a.n < 9)"
    " SELECT n FROM d",
    "WITH RECURSIVE d(n) AS (SELECT n FROM d) SELECT n FROM d",
]


def refused(sql: str, dialect: Dialect) -> set[str]:
    found = guard(dialect).check(sql)
    return {problem.code for problem in found.problems} if isinstance(found, Refused) else set()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_row_may_connect_other_tables_and_a_cross_product_is_refused(dialect: Dialect) -> None:
    assert [sql for sql in [*ONE_ROW, "SELECT 1 FROM crew, customer"] if refused(sql, dialect)] == []
    assert [sql for sql in PRODUCTS if refused(sql, dialect) != {"cartesian"}] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_only_a_bounded_recursion_may_run(dialect: Dialect) -> None:
    assert [sql for sql in RECURSIONS if refused(sql, dialect)] == []
    assert [sql for sql in ENDLESS if not refused(sql, dialect)] == []


def test_a_recursion_named_after_a_table_reads_no_table() -> None:
    assert passed(RECURSIONS[-1]).tables == ()
    assert passed(RECURSIONS[-1]).sql.count("cte_crew") == 3


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_rows_of_constants_may_be_read(dialect: Dialect) -> None:
    assert refused("SELECT v.column1 FROM (VALUES (1, 'a'), (2, NULL)) AS v", dialect) == set()
    assert "unknown_column" in refused("SELECT v.column3 FROM (VALUES (1, 'a')) AS v", dialect)
    assert refused("SELECT v.column1 FROM (VALUES (SLEEP(9))) AS v", dialect) == {"forbidden"}
    assert refused("VALUES (1)", dialect) == {"not_select"}


def test_json_functions_are_allowed_and_printf_is_not() -> None:
    texts: dict[Dialect, str] = {
        "sqlite": "JSON_GROUP_ARRAY(name), JSON_GROUP_OBJECT(name, id), JSON_OBJECT('a', name), JSON_ARRAY(id)",
        "mysql": "JSON_ARRAYAGG(name), JSON_OBJECTAGG(name, id), JSON_OBJECT('a', name), JSON_ARRAY(id)",
        "postgres": "JSON_AGG(name), JSON_BUILD_OBJECT('a', name)",
    }
    for dialect, functions in texts.items():
        assert refused(f"SELECT {functions} FROM crew", dialect) == set()
    assert refused("SELECT PRINTF('%1000000d', id) FROM crew", "sqlite") == {"function"}
