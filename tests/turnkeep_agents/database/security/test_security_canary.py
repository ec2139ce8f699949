"""No generated SELECT over tables, views and their names returns a row of the second company."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from two_companies import ANN, CANARY, KEY, hasty

from mariadb import Server
from turnkeep_agents.database.security.ciphers import encrypt
from turnkeep_agents.database.security.database import Database
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.errors import DatabaseError

VIEWS = ["secure_employee", "secure_crew", "secure_workorder"]
NAMES = [*VIEWS * 4, "employee", "crew", "workOrder", "everybody", "audit", "trade"]
COLUMNS = ["*", "*", "id", "companyId", "x.id", "x.*", "name", "lastName"]
SHAPES = ["{}", "{}", "COUNT({})", "MAX({})", "COALESCE({}, 1)"]
CONDITIONS = ["", "", " WHERE companyId = 2", " WHERE x.id > 1000", " WHERE 1 = 1", " WHERE companyId = 2 OR 1 = 1"]
ENDS = ["", "", " ORDER BY 1 DESC", " LIMIT 5", " LIMIT 5 OFFSET 1"]
FOREIGN = [CANARY.lower(), CANARY.encode().hex(), *(encrypt(f"{CANARY}{end}", KEY).hex() for end in ("son", " 1001"))]

names = st.sampled_from(NAMES)


@st.composite
def selects(draw: DrawFn, depth: int = 2) -> str:
    """Many are refused because of names; those that run are checked."""
    source, column = draw(sources(depth)), draw(st.sampled_from(COLUMNS))
    shown = column if "*" in column else draw(st.sampled_from(SHAPES)).format(column)
    where = draw(st.sampled_from(CONDITIONS))
    if depth and draw(st.integers(0, 3)) == 0:
        where = f" WHERE EXISTS ({draw(selects(depth - 1))})"
    return f"SELECT {shown} FROM {source}{where}"


@st.composite
def sources(draw: DrawFn, depth: int) -> str:
    """Sources with the alias x."""
    match draw(st.integers(0, 4 if depth else 2)):
        case 0 | 1:
            return f"{draw(names)} x"
        case 2:
            kind = draw(st.sampled_from(["JOIN", "LEFT JOIN", "RIGHT JOIN"]))
            return f"{draw(names)} x {kind} {draw(names)} y ON y.id > x.id"
        case 3:
            return f"({draw(selects(depth - 1))}) AS x"
    return f"{draw(names)} x NATURAL JOIN {draw(names)} y"


@st.composite
def statements(draw: DrawFn) -> str:
    select = draw(selects())
    own, other = draw(st.permutations(["secure_crew", "secure_employee", "everybody", "own"]))[:2]
    match draw(st.integers(0, 4)):
        case 0:
            select = f"{select} UNION ALL {draw(selects(0))}"
        case 1:
            select = f"WITH {own} AS ({draw(selects(1))}) SELECT * FROM {own} UNION ALL {draw(selects(0))}"
        case 2:
            select = f"WITH {own} AS ({draw(selects(0))}), {other} AS (SELECT * FROM {own}) SELECT * FROM {other} x"
    return select + draw(st.sampled_from(ENDS))


def test_no_select_gives_a_row_of_the_second_company(tuning: DatabaseSettings) -> None:
    database = hasty(tuning)

    @given(sql=statements())
    @settings(max_examples=120 if database.dialect == "sqlite" else 40, deadline=None)
    def look(sql: str) -> None:
        shown = given_by(database, sql).lower()
        assert not [trace for trace in FOREIGN if trace in shown], sql

    look()
    assert "crew 1" in given_by(database, "SELECT * FROM secure_crew").lower()


def given_by(database: Database, sql: str) -> str:
    """Return the rows or the error: most random statements are refused."""
    try:
        return repr(database.run(sql, ANN).rows)
    except DatabaseError as error:
        return str(error).replace("Can%", "")


def test_the_canaries_exist(field: Server) -> None:
    rows = field.run("SELECT name FROM crew UNION SELECT HEX(lastName) FROM employee", database="field")
    shown = repr(rows).lower()
    assert FOREIGN[0] in shown
    assert FOREIGN[2] in shown
