"""A library that lends books, as its own people would have named its tables, with rows to count: states of now beside
the days of what was, planned evenings, lockers that are let and given back."""

import random
import sqlite3
from datetime import date, timedelta
from pathlib import Path

TODAY = date(2026, 11, 22)
SCRIPT = """
CREATE TABLE branch (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE member (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT, status TEXT, kind TEXT,
  joined_on DATE, left_on DATE, weekly_minutes INTEGER, branch_id INTEGER REFERENCES branch (id));
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, printed_year INTEGER, shelf_level INTEGER, rating REAL,
  branch_id INTEGER REFERENCES branch (id));
CREATE TABLE loan (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member (id),
  book_id INTEGER REFERENCES book (id), status TEXT, created_at DATETIME, taken_on DATE, returned_on DATE,
  days INTEGER);
CREATE TABLE fine (id INTEGER PRIMARY KEY, loan_id INTEGER REFERENCES loan (id), amount REAL, status TEXT,
  issued_on DATE, paid_on DATE);
CREATE TABLE evening (id INTEGER PRIMARY KEY, title TEXT, status TEXT, held_on DATE,
  branch_id INTEGER REFERENCES branch (id));
CREATE TABLE locker (id INTEGER PRIMARY KEY, number TEXT, branch_id INTEGER REFERENCES branch (id));
CREATE TABLE locker_rental (id INTEGER PRIMARY KEY, locker_id INTEGER REFERENCES locker (id),
  member_id INTEGER REFERENCES member (id), assigned_on DATE, returned_on DATE);
CREATE TABLE circle (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE member_circle (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member (id),
  circle_id INTEGER REFERENCES circle (id), joined_on DATE, left_on DATE);
"""
_TOWNS = ("Ashby", "Brill", "Corfe", "Dunster")


def write_library(file: Path) -> sqlite3.Connection:
    """The connection to a new file with all rows, the same each time."""
    connection, chance = sqlite3.connect(file), random.Random(7)
    connection.executescript(SCRIPT)
    for number, town in enumerate(_TOWNS, 1):
        connection.execute("INSERT INTO branch VALUES (?, ?, ?)", (number, f"{town} Library", town))
        connection.execute(
            "INSERT INTO circle VALUES (?, ?)", (number, ("Crime", "Poetry", "Travel", "Chess")[number - 1])
        )
    for number in range(1, 121):
        connection.execute(f"INSERT INTO member VALUES ({', '.join('?' * 10)})", _member(number, chance))
        year, level = chance.randint(1950, 2024), chance.randint(1, 6)
        book = (number, f"Volume {number}", year, level, round(chance.uniform(1, 5), 1), chance.randint(1, 4))
        connection.execute("INSERT INTO book VALUES (?, ?, ?, ?, ?, ?)", book)
    for number in range(1, 601):
        _lend(number, connection, chance)
    for number in range(1, 61):
        day = TODAY + timedelta(days=chance.randint(-300, 60))
        state = "planned" if day > TODAY else chance.choice(("held", "held", "cancelled"))
        row = (number, f"Evening {number}", state, day.isoformat(), chance.randint(1, 4))
        connection.execute("INSERT INTO evening VALUES (?, ?, ?, ?, ?)", row)
    for number in range(1, 41):
        connection.execute("INSERT INTO locker VALUES (?, ?, ?)", (number, f"L-{number:03}", chance.randint(1, 4)))
    for number in range(1, 81):
        connection.execute("INSERT INTO locker_rental VALUES (?, ?, ?, ?, ?)", _stay(number, chance, 30, 120))
    for number in range(1, 151):
        member, circle = chance.randint(1, 110), chance.randint(1, 4)
        _, _, _, begun, ended = _stay(number, chance, 40, 120)
        connection.execute("INSERT INTO member_circle VALUES (?, ?, ?, ?, ?)", (number, member, circle, begun, ended))
    connection.commit()
    return connection


def _member(number: int, chance: random.Random) -> tuple[object, ...]:
    joined = TODAY - timedelta(days=chance.randint(2, 900))
    status = chance.choice(("active", "active", "active", "resting", "left"))
    left = joined + timedelta(days=chance.randint(1, (TODAY - joined).days)) if status == "left" else None
    kind = chance.choice(("reader", "reader", "helper", "student"))
    minutes, branch = chance.randint(20, 400), chance.randint(1, 4)
    day = left.isoformat() if left else None
    return (
        number,
        f"Fay{number}",
        f"Oak{number}",
        _TOWNS[number % 4],
        status,
        kind,
        joined.isoformat(),
        day,
        minutes,
        branch,
    )


def _lend(number: int, connection: sqlite3.Connection, chance: random.Random) -> None:
    created = TODAY - timedelta(days=chance.randint(0, 400))
    status = chance.choice(("requested", "out", "returned", "returned", "returned", "cancelled"))
    taken = (
        min(created + timedelta(days=chance.randint(0, 6)), TODAY) if status not in ("requested", "cancelled") else None
    )
    back = min(taken + timedelta(days=chance.randint(1, 50)), TODAY) if taken and status == "returned" else None
    days = (back - taken).days if back and taken else None
    row = (number, chance.randint(1, 110), chance.randint(1, 120), status, f"{created} 10:00:00", taken, back, days)
    connection.execute(
        "INSERT INTO loan VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [day and (str(day) if isinstance(day, date) else day) for day in row],
    )
    if number % 3 == 0:
        issued = created + timedelta(days=chance.randint(0, (TODAY - created).days))
        state = chance.choice(("open", "paid", "waived"))
        paid = str(min(issued + timedelta(days=chance.randint(1, 40)), TODAY)) if state == "paid" else None
        fine = (number, number, round(chance.uniform(1, 30), 2), state, str(issued), paid)
        connection.execute("INSERT INTO fine VALUES (?, ?, ?, ?, ?, ?)", fine)


def _stay(number: int, chance: random.Random, things: int, members: int) -> tuple[int, int, int, str, str | None]:
    begun = TODAY - timedelta(days=chance.randint(10, 500))
    ended = min(begun + timedelta(days=chance.randint(5, 300)), TODAY) if chance.random() < 0.5 else None
    return number, chance.randint(1, things), chance.randint(1, members), str(begun), str(ended) if ended else None
