import sqlite3
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine, StaticPool, create_engine

from mariadb import Server
from turnkeep_agents.database.joins.introspection import in_clear, introspect
from turnkeep_agents.database.joins.records import JoinGraph, Relationship

SCRIPT = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(80), vat VARCHAR(20) UNIQUE);
CREATE TABLE "order" (
    id INTEGER PRIMARY KEY, "customerId" INT REFERENCES customer (id), "group" TEXT, total NUMERIC(10, 2),
    placed DATE, changed DATETIME, at TIME, "isPaid" BOOLEAN, scan BLOB, status VARCHAR(20)
);
CREATE TABLE site (country CHAR(2), code VARCHAR(10), PRIMARY KEY (country, code));
CREATE TABLE visit (
    id INTEGER PRIMARY KEY, country CHAR(2), site_code VARCHAR(10), "orderId" INT UNIQUE REFERENCES "order",
    FOREIGN KEY (country, site_code) REFERENCES site (country, code)
);
CREATE TABLE "straße und größe" (id INTEGER PRIMARY KEY, "Straßen-Nr" TEXT, "customerId" INT);
CREATE UNIQUE INDEX only_paid ON "order" (status) WHERE "isPaid";
CREATE VIEW broken AS SELECT id FROM gone;
CREATE VIEW open_order AS SELECT id, "customerId" FROM "order";
CREATE VIEW secure_customer AS SELECT id, CAST(name AS TEXT) AS name /* decrypted */ FROM customer;
"""


def engine_of(script: str) -> Engine:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(script)
    return create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)


@pytest.fixture(scope="module")
def graph() -> JoinGraph:
    return introspect(engine_of(SCRIPT))


def links(graph: JoinGraph, table: str) -> list[Relationship]:
    return [link for link in graph.relationships if link.from_table == table]


def test_decrypting_views_and_excluded_tables_are_left_out(graph: JoinGraph) -> None:
    assert list(graph.tables) == ["customer", "open_order", "order", "site", "straße und größe", "visit"]
    shown = introspect(engine_of(SCRIPT), without=["customer", "open_order"])
    assert {"customer", "open_order"}.isdisjoint(shown.tables)
    assert all("customer" not in (link.from_table, link.to_table) for link in shown.relationships)


def test_what_cannot_be_read_is_left_out_with_the_reason() -> None:
    omitted: list[str] = []
    broken = """
    CREATE TABLE pair (x INT, y INT, PRIMARY KEY (x, y));
    CREATE TABLE note (id INTEGER PRIMARY KEY, "userId" INT REFERENCES user (id), "pairX" INT REFERENCES pair,
      "pairY" INT REFERENCES pair (z), "hiddenId" INT REFERENCES hidden (id));
    CREATE TABLE hidden (id INTEGER PRIMARY KEY);
    CREATE VIEW broken AS SELECT id FROM gone;
    """
    graph = introspect(engine_of(broken), without=["hidden"], omit=omitted.append)
    assert list(graph.tables) == ["note", "pair"]
    assert graph.relationships == ()
    assert sorted(omitted) == [
        "the foreign key note.pairX to pair (its key has 2 columns, and not 1)",
        "the foreign key note.pairY to pair (it has no column z)",
        "the foreign key note.userId to user (the database lacks it)",
        "the view broken (the database itself cannot read it: repair or drop it there)",
    ]


def test_virtual_tables_of_sqlite_are_left_out() -> None:
    omitted: list[str] = []
    indexed = """
    CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT);
    CREATE VIRTUAL TABLE found USING fts5(body);
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_master VALUES ('table', 'map', 'map', 0, 'CREATE VIRTUAL TABLE map USING unheard_of(x)');
    PRAGMA writable_schema = RESET;
    """
    assert list(introspect(engine_of(indexed), omit=omitted.append).tables) == ["page"]
    left_out = "the virtual table {} and what it keeps (only plain tables and views are read)"
    assert omitted == [left_out.format("found"), left_out.format("map")]


def test_a_foreign_key_distinguishes_names_that_differ_in_case() -> None:
    alike = """
    CREATE TABLE "ÄPFEL" (id INTEGER PRIMARY KEY, "KÜHE" INT UNIQUE, "kühe" INT UNIQUE);
    CREATE TABLE "äpfel" (id INTEGER PRIMARY KEY);
    CREATE TABLE kern (id INTEGER PRIMARY KEY, a INT REFERENCES "ÄPFEL" ("KÜHE"), b INT REFERENCES "äpfel");
    """
    found = {(link.to_table, link.to_column) for link in introspect(engine_of(alike)).relationships}
    assert found == {("ÄPFEL", "KÜHE"), ("äpfel", "id")}


def test_columns_and_keys_are_read_and_a_partial_index_is_none(graph: JoinGraph) -> None:
    kinds = [f"{name} {column.kind}" for name, column in graph.tables["order"].columns.items()]
    assert ", ".join(kinds) == (
        "id integer, customerId integer, group text, total number, placed date, changed datetime, at time, "
        "isPaid boolean, scan binary, status text"
    )
    assert graph.tables["order"].columns["total"].type == "NUMERIC(10, 2)"
    assert graph.tables["customer"].unique_columns == ("id", "vat")
    assert graph.tables["order"].unique_columns == ("id",)
    assert graph.tables["site"].primary_key == ("country", "code")
    assert graph.tables["site"].unique_columns == ()


def test_foreign_keys_are_links_and_default_to_the_primary_key(graph: JoinGraph) -> None:
    assert links(graph, "order") == [Relationship("order", "customerId", "customer", "id")]
    of_visit = {link.to_table: link for link in links(graph, "visit")}
    assert of_visit["site"].pairs == (("country", "country"), ("site_code", "code"))
    assert (of_visit["order"].to_column, of_visit["order"].cardinality) == ("id", "1:1"), "it is unique"


def test_undeclared_links_are_inferred_in_odd_names_and_views(graph: JoinGraph) -> None:
    for table in ("straße und größe", "open_order"):
        (link,) = links(graph, table)
        assert (link.from_column, link.to_table, link.type) == ("customerId", "customer", "inferred")
        assert link.confidence < 1


# Values

type Read = Callable[..., dict[str, tuple[str, ...]]]

ROWS = """
CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT, note TEXT);
INSERT INTO kind VALUES (1, 'repair', 'x'), (2, 'survey', 'x'), (3, 'repair', 'x');
CREATE TABLE van (id INTEGER PRIMARY KEY, plate TEXT, fuel TEXT);
INSERT INTO van VALUES (1, 'AB', 'gas'), (2, 'CD', 'gas'), (3, 'EF', 'oil'), (4, 'GH', 'oil');
CREATE TABLE job (
    id INTEGER PRIMARY KEY, kindId INTEGER REFERENCES kind, companyId INTEGER, state TEXT, town TEXT, title VARCHAR,
    email TEXT, photo BLOB, "is open" BOOLEAN, secret TEXT, rare TEXT, long TEXT
);
"""


def job_rows() -> Iterator[str]:
    for number in range(60):
        state, company = ("open", "closed", "held''")[number % 3], number % 2
        rare = "only ours" if company and number % 3 else "both"
        yield (
            f"INSERT INTO job VALUES ({number}, 1, {company}, '{state}', 'town {number}', "
            f"'title', 'a@b.c', x'00', {number % 2}, 'hush', '{rare}', '{'long ' * 9}');"
        )


@pytest.fixture(scope="module")
def read() -> Read:
    engine = engine_of(ROWS + "".join(job_rows()))

    def values(table: str, **how: object) -> dict[str, tuple[str, ...]]:
        found = introspect(engine, **{"with_values": True, **how})  # type: ignore[arg-type]
        return {name: column.values for name, column in found.tables[table].columns.items() if column.values}

    return values


def test_repeated_texts_and_names_of_kinds_are_values(read: Read) -> None:
    few = {"is open": ("0", "1"), "title": ("title",), "rare": ("both", "only ours")}
    assert read("job") == {"state": ("closed", "held'", "open"), **few}
    assert read("van") == {"fuel": ("gas", "oil")}
    assert read("kind") == {"name": ("repair", "survey")}


def test_hidden_columns_and_values_of_a_single_tenant_are_not_read(read: Read) -> None:
    assert read("job", with_values=False) == {}
    found = read("job", tenant_columns={"job": "companyId"})
    assert ("only ours" in found.get("rare", ()), found["state"]) == (False, ("closed", "held'", "open"))
    assert read("job", hidden=["job"]) == {}
    assert "secret" not in read("job")  # its very name says so
    assert "state" not in read("job", hidden=["job.state"])
    assert read("kind", hidden=["job"]) == {"name": ("repair", "survey")}


# MariaDB

MARIADB = (
    "CREATE TABLE `customer` (`id` INT PRIMARY KEY COMMENT 'the number', `name` VARBINARY(80)) COMMENT 'who pays'",
    "CREATE TABLE `order` (`id` INT PRIMARY KEY, `customerId` INT, `größe` VARCHAR(9), `isPaid` TINYINT(1), `rank` "
    "TINYINT, `state` ENUM('open', 'closed'), `at` DATETIME, FOREIGN KEY (`customerId`) REFERENCES `customer` (`id`))",
    "CREATE TABLE `stop` (`orderId` INT, `place` INT, `dayId` INT, PRIMARY KEY (`orderId`, `place`), "
    "FOREIGN KEY (`orderId`) REFERENCES `order` (`id`))",
    "CREATE TABLE `delay` (`id` INT PRIMARY KEY, `orderId` INT, `place` INT, "
    "FOREIGN KEY (`orderId`, `place`) REFERENCES `stop` (`orderId`, `place`))",
    "CREATE TABLE `day` (`id` INT PRIMARY KEY)",
    "CREATE VIEW `open_order` AS SELECT `id`, `customerId` FROM `order`",
    "CREATE VIEW `secure_customer` AS SELECT `id`, AES_DECRYPT(`name`, 'k') AS `name` FROM `customer`",
    "CREATE TABLE `gone` (`id` INT)",
    "CREATE VIEW `broken` AS SELECT `id` FROM `gone`",
    "DROP TABLE `gone`",
    "INSERT INTO `customer` VALUES (1, 'x'), (2, 'y')",
    "INSERT INTO `order` VALUES (1, 1, 'klein', 1, 1, 'open', NOW()), (2, 1, 'klein', 0, 2, 'closed', NOW()),"
    "(3, 2, 'groß', 1, 3, 'open', NOW()), (4, 2, 'groß', 1, 3, 'closed', NOW())",
)


@pytest.fixture(scope="module")
def on_mariadb(mariadb_server: Server) -> Iterator[JoinGraph]:
    mariadb_server.run("CREATE DATABASE joins_test CHARACTER SET utf8mb4")
    mariadb_server.run(*MARIADB, database="joins_test")
    engine = create_engine(mariadb_server.url("joins_test"))
    yield introspect(engine, with_values=True)
    engine.dispose()
    mariadb_server.run("DROP DATABASE joins_test")


def test_mariadb_returns_the_same(on_mariadb: JoinGraph) -> None:
    assert list(on_mariadb.tables) == ["customer", "day", "delay", "open_order", "order", "stop"]
    assert on_mariadb.tables["customer"].comment == "who pays"
    assert on_mariadb.tables["customer"].columns["id"].comment == "the number"
    assert on_mariadb.tables["open_order"].comment == ""
    kinds = [column.kind for column in on_mariadb.tables["order"].columns.values()]
    assert kinds == ["integer", "integer", "text", "boolean", "integer", "text", "datetime"]
    assert on_mariadb.tables["customer"].columns["name"].kind == "binary"
    values = {name: column.values for name, column in on_mariadb.tables["order"].columns.items() if column.values}
    assert values == {"größe": ("groß", "klein"), "isPaid": ("0", "1"), "state": ("closed", "open")}


def test_what_mariadb_cannot_read_is_reported(mariadb_server: Server) -> None:
    omitted: list[str] = []
    mariadb_server.run("CREATE DATABASE elsewhere", "CREATE TABLE elsewhere.town (id INT PRIMARY KEY)")
    mariadb_server.run("CREATE DATABASE holed", "CREATE TABLE holed.lost (id INT)")
    mariadb_server.run(
        "CREATE TABLE shop (id INT PRIMARY KEY, townId INT, FOREIGN KEY (townId) REFERENCES elsewhere.town (id))",
        "CREATE VIEW broken AS SELECT id FROM lost",
        "CREATE TABLE merged (id INT) ENGINE = MERGE UNION = (lost)",
        "DROP TABLE lost",
        database="holed",
    )
    engine = create_engine(mariadb_server.url("holed"))
    assert list(introspect(engine, omit=omitted.append).tables) == ["shop"]
    engine.dispose()
    mariadb_server.run("DROP DATABASE holed", "DROP DATABASE elsewhere")
    assert omitted == [
        "the table merged (the database itself cannot read it: repair or drop it there)",
        "the view broken (the database itself cannot read it: repair or drop it there)",
        "the foreign key shop.townId to town (elsewhere.town is of another schema)",
    ]


def test_a_decrypted_column_is_text(on_mariadb: JoinGraph) -> None:
    shown = in_clear(on_mariadb, {"customer": ("name", "unknown"), "nothing": ("id",)})
    assert [(name, column.kind) for name, column in shown.tables["customer"].columns.items()][1:] == [("name", "text")]
