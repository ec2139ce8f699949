from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.calendars import notation
from turnkeep_agents.regulations.facts import Fact, Kind, canonical

TODAY = date(2026, 11, 23)  # a Monday
DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def value(text: str, kind: Kind = "date", language: str = "it", today: date = TODAY) -> str | None:
    fact = canonical(text, kind, today=today, language=language)
    return fact.value if fact else None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("dopodomani", "2026-11-25"),
        ("l'altro ieri", "2026-11-21"),
        ("venerdì scorso", "2026-11-20"),
        ("fra tre giorni", "2026-11-26"),
        ("due settimane fa", "2026-11-09"),
        ("tra un mese e mezzo", "2027-01-07"),
        ("il 31 marzo 2027", "2027-03-31"),
        ("1° gennaio duemilaventisette", "2027-01-01"),
        ("31.12.2025", "2025-12-31"),
        ("2026-03-31", "2026-03-31"),
        ("fine mese", "2026-11-30"),
        ("l'ultimo giorno di febbraio 2028", "2028-02-29"),
        ("il primo lunedì di maggio 2026", "2026-05-04"),
        ("venerdì della prossima settimana", "2026-12-04"),
        ("il 20 del mese scorso", "2026-10-20"),
        ("venerdì 27", "2026-11-27"),
        ("martedì 31 marzo", "2026-03-31"),
    ],
)
def test_italian_dates_count_from_the_day_of_the_run(text: str, meant: str) -> None:
    assert value(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the day after tomorrow", "2026-11-25"),
        ("last Friday", "2026-11-20"),
        ("in three days", "2026-11-26"),
        ("March 31st, 2027", "2027-03-31"),
        ("31 March 2027", "2027-03-31"),
        ("the last Friday of May 2026", "2026-05-29"),
        ("end of the month", "2026-11-30"),
        ("two weeks ago", "2026-11-09"),
    ],
)
def test_english_dates_count_from_the_day_of_the_run(text: str, meant: str) -> None:
    assert value(text, language="en") == meant


@pytest.mark.parametrize(
    "text",
    [
        "31 febbraio",
        "terza metà del 2026",
        "29/2/2027",
        "32/01/2026",
        "il 45",
        "2026-13-01",
        "la quinta domenica di giugno 2026",
    ],
)
def test_a_day_that_does_not_exist_is_no_date(text: str) -> None:
    assert value(text) is None


@pytest.mark.parametrize(
    ("text", "meant", "other"),
    [
        ("31 marzo", "2027-03-31", "2026-03-31"),
        ("il 15", "2026-12-15", "2026-11-15"),
        ("29/2", "2028-02-29", "2024-02-29"),
        ("04/05/2026", "2026-05-04", "2026-04-05"),
        ("sabato", "2026-11-28", "2026-11-21"),
        ("sabato prossimo", "2026-12-05", "2026-11-28"),
    ],
)
def test_what_the_words_leave_open_is_told_with_the_other_reading(text: str, meant: str, other: str) -> None:
    fact = canonical(text, "date", today=TODAY)
    assert fact is not None
    assert (fact.value, fact.other) == (meant, other)
    assert fact.reading


def test_a_weekday_that_is_another_one_is_told() -> None:
    fact = canonical("martedì 31 marzo 2027", "date", today=TODAY)
    assert fact == Fact("martedì 31 marzo 2027", "date", "2027-03-31", reading="that day is no martedi")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("dal 4 al 22 marzo 2027", "2027-03-04/2027-03-22"),
        ("dal 4 al 22", "2026-12-04/2026-12-22"),
        ("dal 10 dicembre al 3 marzo", "2026-12-10/2027-03-03"),
        ("dal 10 dicembre 2025 al 3 marzo", "2025-12-10/2026-03-03"),
        ("dal 4 al 30 novembre", "2026-11-04/2026-11-30"),
        ("inizio febbraio 2027", "2027-02-01/2027-02-14"),
        ("tra il 28 febbraio e il 3 marzo 2028", "2028-02-28/2028-03-03"),
        ("primo trimestre 2025", "2025-01-01/2025-03-31"),
        ("secondo semestre dell'anno scorso", "2025-07-01/2025-12-31"),
        ("la prossima settimana", "2026-11-30/2026-12-06"),
        ("lo scorso anno", "2025-01-01/2025-12-31"),
        ("nel 2024", "2024-01-01/2024-12-31"),
        ("anno d'imposta 2025", "2025-01-01/2025-12-31"),
        ("entro 30 giorni", "2026-11-23/2026-12-23"),
        ("entro il 15 marzo", "2026-11-23/2027-03-15"),
        ("gli ultimi tre mesi", "2026-08-23/2026-11-22"),
        ("i prossimi 10 giorni", "2026-11-24/2026-12-03"),
        ("dal 1° gennaio 2026", "2026-01-01/.."),
        ("fino al 31 marzo 2027", "../2027-03-31"),
        ("da gennaio ad aprile 2021", "2021-01-01/2021-04-30"),
        ("2014-2018", "2014-01-01/2018-12-31"),
        ("03/2025", "2025-03-01/2025-03-31"),
        ("anni novanta", "1990-01-01/1999-12-31"),
        ("inizio del prossimo anno", "2027-01-01/2027-06-30"),
        ("il weekend", "2026-11-28/2026-11-29"),
    ],
)
def test_italian_periods_have_both_ends(text: str, meant: str) -> None:
    assert value(text, "period") == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("from 4 to 22 March 2027", "2027-03-04/2027-03-22"),
        ("the third quarter of 2026", "2026-07-01/2026-09-30"),
        ("Q1 2025", "2025-01-01/2025-03-31"),
        ("tax year 2025", "2025-01-01/2025-12-31"),
        ("within 30 days", "2026-11-23/2026-12-23"),
        ("since 2020", "2020-01-01/.."),
        ("next week", "2026-11-30/2026-12-06"),
    ],
)
def test_english_periods_have_both_ends(text: str, meant: str) -> None:
    assert value(text, "period", "en") == meant


@pytest.mark.parametrize("text", ["dal 10 al 3 marzo", "dal 2025 al 2024", "dal 3 maggio 2026 al 10 aprile 2026"])
def test_a_range_that_ends_before_it_begins_has_no_value_and_says_so(text: str) -> None:
    assert canonical(text, "period", today=TODAY) == Fact(text, "period", "", reading="it ends before it begins")


def test_the_kind_is_what_the_words_are() -> None:
    fact = canonical("nel 2024", "date", today=TODAY)
    assert fact is not None
    assert fact.kind == "period"


def test_the_end_of_the_calendar_is_no_fault() -> None:
    assert value("tra 9999 anni") is None
    assert value("ieri", today=date.min) is None
    assert value("la prossima settimana", "period", today=date.max) is None


@given(day=DAYS, today=DAYS, language=st.sampled_from(["it", "en"]))
def test_a_day_is_read_as_it_is_written(day: date, today: date, language: str) -> None:
    names = {number: name for name, numbers in notation(language).months.items() for number in numbers if len(name) > 2}
    for text in (f"{day}", f"{day:%d/%m/%Y}", f"{day.day} {names[day.month]} {day.year}"):
        assert value(text, language=language, today=today) == day.isoformat()


@given(today=DAYS, days=st.integers(0, 10_000))
def test_days_ago_and_days_ahead_meet(today: date, days: int) -> None:
    there = today + timedelta(days=days)
    assert value(f"fra {days} giorni", today=today) == there.isoformat()
    assert value(f"{days} giorni fa", today=there) == today.isoformat()


@given(first=DAYS, last=DAYS)
def test_a_range_keeps_its_ends_or_has_no_value(first: date, last: date) -> None:
    fact = canonical(f"dal {first:%d/%m/%Y} al {last:%d/%m/%Y}", "period", today=TODAY)
    assert fact is not None
    assert fact.value == (f"{first}/{last}" if first <= last else "")
