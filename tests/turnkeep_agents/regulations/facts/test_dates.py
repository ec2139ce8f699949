from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.kit.locales import notation
from turnkeep_agents.regulations.facts.reading import Fact, Kind, canonical

TODAY = date(2026, 11, 23)  # a Monday
DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def value(text: str, kind: Kind = "date", language: str = "it", today: date = TODAY) -> str | None:
    fact = canonical(text, kind, today=today, language=language)
    return fact.value if fact else None


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("it", "dopodomani", "2026-11-25"),
        ("it", "l'altro ieri", "2026-11-21"),
        ("it", "tra un mese e mezzo", "2027-01-07"),
        ("it", "1° gennaio duemilaventisette", "2027-01-01"),
        ("it", "l'ultimo giorno di febbraio 2028", "2028-02-29"),
        ("it", "il primo lunedì di maggio 2026", "2026-05-04"),
        ("it", "venerdì della prossima settimana", "2026-12-04"),
        ("it", "il 20 del mese scorso", "2026-10-20"),
        ("it", "venerdì 27", "2026-11-27"),
        ("it", "martedì 31 marzo", "2026-03-31"),
        ("en", "the day after tomorrow", "2026-11-25"),
        ("en", "March 31st, 2027", "2027-03-31"),
        ("en", "the last Friday of May 2026", "2026-05-29"),
        ("en", "end of the month", "2026-11-30"),
        ("it", "31 febbraio", None),
        ("it", "terza metà del 2026", None),
        ("it", "32/01/2026", None),
        ("it", "2026-13-01", None),
        ("it", "la quinta domenica di giugno 2026", None),
        ("it", "tra 9999 anni", None),
    ],
)
def test_dates_count_from_the_day_of_the_run_and_exist(language: str, text: str, meant: str | None) -> None:
    assert value(text, "date", language) == meant


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
def test_an_ambiguous_date_has_an_alternative_reading(text: str, meant: str, other: str) -> None:
    fact = canonical(text, "date", today=TODAY)
    assert fact is not None
    assert (fact.value, fact.other) == (meant, other)
    assert fact.reading


def test_a_wrong_weekday_is_noted() -> None:
    fact = canonical("martedì 31 marzo 2027", "date", today=TODAY)
    assert fact == Fact("martedì 31 marzo 2027", "date", "2027-03-31", reading="that day is no martedi")


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("it", "dal 4 al 22", "2026-12-04/2026-12-22"),
        ("it", "dal 10 dicembre 2025 al 3 marzo", "2025-12-10/2026-03-03"),
        ("it", "dal 4 al 30 novembre", "2026-11-04/2026-11-30"),
        ("it", "inizio febbraio 2027", "2027-02-01/2027-02-14"),
        ("it", "tra il 28 febbraio e il 3 marzo 2028", "2028-02-28/2028-03-03"),
        ("it", "secondo semestre dell'anno scorso", "2025-07-01/2025-12-31"),
        ("it", "la prossima settimana", "2026-11-30/2026-12-06"),
        ("it", "anno d'imposta 2025", "2025-01-01/2025-12-31"),
        ("it", "entro il 15 marzo", "2026-11-23/2027-03-15"),
        ("it", "i prossimi 10 giorni", "2026-11-24/2026-12-03"),
        ("it", "dal 1° gennaio 2026", "2026-01-01/.."),
        ("it", "fino al 31 marzo 2027", "../2027-03-31"),
        ("it", "03/2025", "2025-03-01/2025-03-31"),
        ("it", "anni novanta", "1990-01-01/1999-12-31"),
        ("it", "inizio del prossimo anno", "2027-01-01/2027-06-30"),
        ("it", "il weekend", "2026-11-28/2026-11-29"),
        ("en", "the third quarter of 2026", "2026-07-01/2026-09-30"),
        ("en", "tax year 2025", "2025-01-01/2025-12-31"),
        ("en", "since 2020", "2020-01-01/.."),
    ],
)
def test_periods_have_both_ends(language: str, text: str, meant: str) -> None:
    assert value(text, "period", language) == meant


def test_the_kind_is_what_the_words_are() -> None:
    fact = canonical("nel 2024", "date", today=TODAY)
    assert fact is not None
    assert fact.kind == "period"


def test_the_end_of_the_calendar_is_no_fault() -> None:
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
    assert (fact.reading == "it ends before it begins") == (first > last)
