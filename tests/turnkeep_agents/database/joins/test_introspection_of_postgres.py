"""Introspection of PostgreSQL: own types, schemas, partitions, materialized views."""

from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine

from postgres import PostgresServer
from turnkeep_agents.database.guard.guard import Checked, Guard
from turnkeep_agents.database.joins.introspection import introspect
from turnkeep_agents.database.joins.records import JoinGraph

SCRIPT = """
CREATE EXTENSION citext;
CREATE EXTENSION pgcrypto;
CREATE TYPE mood AS ENUM ('sad', 'glad', 'never seen');
CREATE DOMAIN zip AS varchar(10);
CREATE DOMAIN amount AS numeric(10, 2);
CREATE TABLE "Customer" ("Id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "fullName" text NOT NULL,
  email citext UNIQUE, mood mood, zip zip, spent amount, "größe" int);
CREATE TABLE customer ("Id" int PRIMARY KEY);
COMMENT ON TABLE "Customer" IS 'Who buys.';
COMMENT ON COLUMN "Customer"."fullName" IS 'Family name last.';
CREATE TABLE "order" (no int, year smallint, "customerId" bigint REFERENCES "Customer" ("Id"), "when" timestamptz,
  day date, at time, took interval, price money, total numeric(12, 2), ratio double precision, paid boolean,
  tags text[], extra jsonb, ref uuid, data bytea, host inet, span int4range, kind varchar(20), PRIMARY KEY (year, no));
CREATE TABLE line (id serial PRIMARY KEY, year smallint, no int, "select" text UNIQUE,
  FOREIGN KEY (year, no) REFERENCES "order" (year, no));
CREATE UNIQUE INDEX only_some ON line (no) WHERE no > 3;
CREATE UNIQUE INDEX by_expression ON line (lower("select"));
CREATE TABLE reading (id bigint, taken date NOT NULL, "customerId" bigint REFERENCES "Customer" ("Id"))
  PARTITION BY RANGE (taken);
CREATE TABLE reading_2025 PARTITION OF reading FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE VIEW "vOrder" AS SELECT no, year, total FROM "order";
CREATE VIEW clear AS SELECT pgp_sym_decrypt(data, 'x') AS d FROM "order";
CREATE MATERIALIZED VIEW sums AS SELECT "customerId", SUM(total) AS total FROM "order" GROUP BY 1;
CREATE SCHEMA shop;
CREATE TABLE shop."Customer" (id int PRIMARY KEY, name text);
CREATE TABLE shop.sale (id int PRIMARY KEY, "customerId" int REFERENCES shop."Customer",
  buyer bigint REFERENCES public."Customer");
INSERT INTO "Customer" ("fullName", mood) SELECT 'x' || g, (ARRAY['sad', 'glad'])[g % 2 + 1]::mood
  FROM generate_series(1, 20) g;
INSERT INTO "order" (no, year, kind, ref) SELECT g, 2025, (ARRAY['web', 'shop'])[g % 2 + 1], gen_random_uuid()
  FROM generate_series(1, 20) g
"""


@pytest.fixture(scope="module")
def server(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    postgres_server.run("CREATE DATABASE introspected")
    postgres_server.run(*SCRIPT.split(";\n"), database="introspected")
    yield postgres_server
    postgres_server.run("DROP DATABASE introspected WITH (FORCE)")


def graph_of(server: PostgresServer, options: str = "") -> JoinGraph:
    engine = create_engine(server.url("introspected") + options)
    try:
        return introspect(engine, with_values=True)
    finally:
        engine.dispose()


@pytest.fixture(scope="module")
def graph(server: PostgresServer) -> JoinGraph:
    return graph_of(server)


def test_partitions_and_decrypting_views_are_left_out(graph: JoinGraph) -> None:
    assert list(graph.tables) == ["Customer", "customer", "line", "order", "reading", "sums", "vOrder"]


def test_columns_have_the_kind_of_their_base_type(graph: JoinGraph) -> None:
    customer, order = graph.tables["Customer"].columns, graph.tables["order"].columns
    kinds = ", ".join(f"{name} {column.kind}" for name, column in (customer | order).items())
    assert kinds == (
        "Id integer, fullName text, email text, mood text, zip text, spent number, größe integer, "
        "no integer, year integer, customerId integer, when datetime, day date, at time, took other, price other, "
        "total number, ratio number, paid boolean, tags other, extra other, ref text, data binary, host other, "
        "span other, kind text"
    )
    assert (customer["mood"].values, order["kind"].values) == (("glad", "sad"), ("shop", "web"))


def test_comments_and_keys_are_read_and_partial_indexes_are_none(graph: JoinGraph) -> None:
    customer, line = graph.tables["Customer"], graph.tables["line"]
    assert (customer.comment, customer.columns["fullName"].comment) == ("Who buys.", "Family name last.")
    assert (customer.primary_key, customer.unique_columns) == (("Id",), ("Id", "email"))
    assert (line.primary_key, line.unique_columns) == (("id",), ("id", "select"))
    assert graph.tables["order"].primary_key == ("year", "no")


def test_foreign_keys_lead_to_the_table_with_the_exact_name(graph: JoinGraph) -> None:
    links = [link for link in graph.relationships if link.type == "foreign_key"]
    assert {(link.from_table, link.to_table, link.pairs) for link in links} == {
        ("order", "Customer", (("customerId", "Id"),)),
        ("reading", "Customer", (("customerId", "Id"),)),
        ("line", "order", (("year", "year"), ("no", "no"))),
    }


def test_another_schema_is_read_without_links_into_the_first(server: PostgresServer) -> None:
    shop = graph_of(server, "?options=-csearch_path%3Dshop")
    assert list(shop.tables) == ["Customer", "sale"]
    assert [(link.from_column, link.to_column) for link in shop.relationships] == [("customerId", "id")]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT COUNT(*) FROM \"Customer\" WHERE mood LIKE '%LAD' OR LOWER(mood) LIKE '%lad'", 10),
        ("SELECT COUNT(*) FROM \"Customer\" WHERE mood = 'unknown' OR mood IN ('sad', 'other')", 10),
        ("SELECT COUNT(*) FROM \"order\" WHERE LOWER(ref) LIKE '%-%'", 20),
        ('SELECT COUNT(DISTINCT FULLNAME) FROM "Customer"', 20),
        ('SELECT COUNT(*) FROM vorder JOIN "order" o USING (YEAR, no)', 20),
        ('SELECT COUNT(*) FROM line l WHERE l."select" IS NULL AND größe IS NULL', None),
        ('SELECT COUNT(größe) FROM "Customer"', 0),
    ],
)
def test_guarded_sql_runs_on_the_introspected_schema(
    graph: JoinGraph, server: PostgresServer, sql: str, rows: int | None
) -> None:
    found = Guard(graph, dialect="postgres").check(sql)
    assert isinstance(found, Checked) == (rows is not None)
    if isinstance(found, Checked):
        assert server.run(found.sql, database="introspected") == [(rows,)]
