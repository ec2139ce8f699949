"""How a database is named at the terminal, and what is said to be wrong with it. No login and no word of a driver's."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pymysql
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from turnkeep.databases.errors import DatabaseDown
from turnkeep_agents.database.commands.whereabouts import opened, place_of, trouble_of

URL = "mysql+pymysql://reader:hush@db.example.com:3307/shop"


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (URL, "shop at db.example.com:3307"),
        ("postgresql+psycopg://reader:hush@db.example.com/shop?sslpassword=hush", "shop at db.example.com"),
        ("mysql+pymysql://reader:hush@db.example.com", "The server at db.example.com"),
        ("mysql+pymysql://reader:its@hush@db.example.com/shop", "The database of the URL"),
        ("mysql+pymysql://a/reader:hush@db.example.com/shop", "The database of the URL"),
        ("sqlite:////folder/shop.sqlite?key=hush", "/folder/shop.sqlite"),
    ],
)
def test_a_place_is_told_without_a_login(url: str, place: str) -> None:
    assert place_of(url) == place


def test_a_path_of_the_folder_is_told_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert place_of("sqlite:///shop.sqlite") == str(tmp_path / "shop.sqlite")


def raised(cause: Exception) -> OperationalError:
    return OperationalError("SELECT 'hush'", {}, cause)


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (pymysql.err.OperationalError(1045, "hush"), "refuses user and password"),
        (pymysql.err.OperationalError(1044, "hush"), "may not be read by the user of the URL"),
        (pymysql.err.OperationalError(1049, "hush"), "is not on that server. Correct the name"),
        (pymysql.err.OperationalError(2003, "hush"), "no server answers there"),
        (pymysql.err.OperationalError(9999, "hush"), "could not be read (error 9999). Check that it runs"),
        (psycopg.errors.InvalidPassword("hush"), "refuses user and password"),
        (psycopg.errors.InvalidCatalogName("hush"), "is not on that server"),
        (psycopg.OperationalError("password authentication failed for hush"), "refuses user and password"),
        (psycopg.OperationalError('FATAL: database "hush" does not exist'), "is not on that server"),
        (psycopg.OperationalError("connection refused, hush"), "no server answers there"),
        (psycopg.OperationalError("sorry, too many clients, hush"), "takes no more connections"),
        (psycopg.OperationalError("connection timeout expired, hush"), "does not answer"),
        (psycopg.OperationalError("hush"), "could not be read. Check that it runs"),
    ],
)
def test_trouble_with_a_server_is_told_with_its_remedy(cause: Exception, told: str) -> None:
    said = trouble_of(URL, raised(cause))

    assert said.startswith("shop at db.example.com:3307 ")
    assert told in said
    assert "hush" not in said


def test_what_was_told_already_is_told_as_it_is() -> None:
    assert trouble_of(URL, DatabaseDown("It is away.")) == "It is away."


def shop(file: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        for statement in (*statements, "CREATE TABLE item (id INTEGER PRIMARY KEY)"):
            connection.execute(statement)
    return file


def trouble(file: Path | str) -> str:
    url = f"sqlite:///{file}"
    with opened(url, 1) as engine, pytest.raises(Exception) as caught, engine.connect() as connection:  # noqa: PT011
        connection.execute(text("SELECT * FROM item"))
    return trouble_of(url, caught.value)


def test_a_file_that_is_not_there_is_no_file_or_no_database_is_told_by_its_name(tmp_path: Path) -> None:
    words, damaged = tmp_path / "words.sqlite", shop(tmp_path / "damaged.sqlite")
    words.write_text("no database at all " * 90)
    damaged.write_bytes(damaged.read_bytes()[:100] + b"\xff" * 3_000)

    assert trouble(tmp_path / "absent.sqlite").startswith(f"{tmp_path / 'absent.sqlite'} does not exist. Correct the")
    assert trouble(tmp_path) == f"{tmp_path} is a folder. Name the file in it."
    assert trouble(words).startswith(f"{words} is no SQLite database")
    assert trouble(damaged).startswith(f"{damaged} is damaged")
    assert trouble("").startswith("The URL names no file. Write sqlite:////folder/file")


@contextmanager
def held(file: Path) -> Iterator[None]:
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        yield


def test_a_file_that_another_writes_to_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnkeep.databases.engines.BUSY_SECONDS", 0)
    file = shop(tmp_path / "held.sqlite")

    with held(file):
        assert trouble(file) == f"{file} is being written by another program. Try again when that is done."


def test_a_file_without_the_rights_to_it_is_told_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = shop(tmp_path / "logged.sqlite", "PRAGMA journal_mode = WAL")
    refused = sqlite3.OperationalError("unable to open database file")

    assert "keeps a log beside it (WAL), and its folder may not be written to" in trouble_of(
        f"sqlite:///{file}", refused
    )
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert (
        trouble_of(f"sqlite:///{file}", refused) == f"{file} may not be read by this user. Give the right to by chmod."
    )
