"""From words to days, always on the same Thursday, with data up to the day before."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_shops import FIRST, LAST, TODAY

from turnkeep_agents.campaigns.reading.days import Week
from turnkeep_agents.campaigns.reading.periods import ReadPeriods, names_time, read_periods, usual_period
from turnkeep_agents.campaigns.reading.vocabulary import plain
from turnkeep_agents.campaigns.requests import Period


def read(text: str, *, week: Week | None = None, before: Period | None = None) -> ReadPeriods:
    return read_periods(plain(text), first=FIRST, last=LAST, today=TODAY, week=week, before=before)


def days(text: str, week: Week | None = None) -> tuple[str, str]:
    found = read(text, week=week)
    assert found.period is not None
    return found.period.start.isoformat(), found.period.end.isoformat()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("clicks yesterday", "2026-06-10", "2026-06-10"),
        ("the day before yesterday", "2026-06-09", "2026-06-09"),
        ("three days ago", "2026-06-08", "2026-06-08"),
        ("last Monday", "2026-06-08", "2026-06-08"),
        ("over the weekend", "2026-06-06", "2026-06-07"),
        ("the last 7 days", "2026-06-04", "2026-06-10"),
        ("over the past fourteen days", "2026-05-28", "2026-06-10"),
        ("for a couple of days", "2026-06-09", "2026-06-10"),
        ("a 30-day view", "2026-05-12", "2026-06-10"),
        ("the trailing 2 weeks", "2026-05-28", "2026-06-10"),
        ("last month", "2026-05-01", "2026-05-31"),
        ("the past three months", "2026-03-01", "2026-05-31"),
        ("previous 2 months", "2026-04-01", "2026-05-31"),
        ("two months ago", "2026-04-01", "2026-04-30"),
        ("the month before last", "2026-04-01", "2026-04-30"),
        ("this month", "2026-06-01", "2026-06-10"),
        ("month to date", "2026-06-01", "2026-06-10"),
        ("MTD", "2026-06-01", "2026-06-10"),
        ("so far this quarter", "2026-04-01", "2026-06-10"),
        ("year-to-date", "2026-01-01", "2026-06-10"),
        ("last quarter", "2026-01-01", "2026-03-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("next month", "2026-07-01", "2026-07-31"),
        ("May", "2026-05-01", "2026-05-31"),
        ("in may", "2026-05-01", "2026-05-31"),
        ("dec", "2025-12-01", "2025-12-31"),
        ("Sept. 2025", "2025-09-01", "2025-09-30"),
        ("May 2025", "2025-05-01", "2025-05-31"),
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("Q1", "2026-01-01", "2026-03-31"),
        ("Q4 2025", "2025-10-01", "2025-12-31"),
        ("the second quarter of 2025", "2025-04-01", "2025-06-30"),
        ("the last quarter of 2025", "2025-10-01", "2025-12-31"),
        ("H1 2026", "2026-01-01", "2026-06-30"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("in the first half of May", "2026-05-01", "2026-05-15"),
        ("the second half of February", "2026-02-15", "2026-02-28"),
        ("second half of 2025", "2025-07-01", "2025-12-31"),
        ("early May", "2026-05-01", "2026-05-10"),
        ("mid-May", "2026-05-11", "2026-05-20"),
        ("at the end of May", "2026-05-21", "2026-05-31"),
        ("the first ten days of May", "2026-05-01", "2026-05-10"),
        ("the last two weeks of May", "2026-05-18", "2026-05-31"),
        ("3 May", "2026-05-03", "2026-05-03"),
        ("on the 3rd of May", "2026-05-03", "2026-05-03"),
        ("May 3rd, 2026", "2026-05-03", "2026-05-03"),
        ("2026-05-03", "2026-05-03", "2026-05-03"),
        ("14/05/2026", "2026-05-14", "2026-05-14"),
        ("since 3 May", "2026-05-03", "2026-06-10"),
        ("since May", "2026-05-01", "2026-06-10"),
        ("since the 3rd", "2026-06-03", "2026-06-10"),
        ("after 3 May", "2026-05-04", "2026-06-10"),
        ("until 10 November", "2025-11-01", "2025-11-10"),
        ("before December", "2025-11-01", "2025-11-30"),
        ("from 1 to 14 May", "2026-05-01", "2026-05-14"),
        ("May 1-14", "2026-05-01", "2026-05-14"),
        ("between 2026-05-01 and 2026-05-14", "2026-05-01", "2026-05-14"),
        ("from Friday 1 May until Sunday 10 May", "2026-05-01", "2026-05-10"),
        ("from 28 December 2025 to 4 January", "2025-12-28", "2026-01-04"),
        ("November to February", "2025-11-01", "2026-02-28"),
        ("from March through May", "2026-03-01", "2026-05-31"),
        ("April and May", "2026-04-01", "2026-05-31"),
        ("March, April and May", "2026-03-01", "2026-05-31"),
        ("14 days from 4 May", "2026-05-04", "2026-05-17"),
        ("the 14 days up to 31 May", "2026-05-18", "2026-05-31"),
        ("week commencing 4 May", "2026-05-04", "2026-05-10"),
        ("week 19", "2026-05-04", "2026-05-10"),
        ("all time", "2025-11-01", "2026-06-10"),
    ],
)
def test_a_period_is_read_from_its_words(text: str, start: str, end: str) -> None:
    assert days(f"Quiz {text}") == (start, end)
    assert read(text).doubts == ()


@pytest.mark.parametrize(
    "text",
    [
        "Quiz performance",
        "it may be that we may improve",
        "top 3 creatives",
        "the 300x250",
        "weeks of work",
        "spend by week",
        "we march on 2 fronts",
    ],
)
def test_what_names_no_time_is_no_period(text: str) -> None:
    assert (read(text).period, read(text).doubts, names_time(plain(text))) == (None, (), False)


@pytest.mark.parametrize(
    ("text", "period", "compared"),
    [
        ("May vs April", "May 2026", "April 2026"),
        ("May compared with the month before", "May 2026", "April 2026"),
        ("May against the previous period", "May 2026", "April 2026"),
        ("more in May than in March", "May 2026", "March 2026"),
        ("compare March with May", "May 2026", "March 2026"),
        ("what changed between April and May", "May 2026", "April 2026"),
        ("clicks in March and May", "May 2026", "March 2026"),
        ("clicks fell from April to May", "May 2026", "April 2026"),
        ("did spend go up between March and May", "May 2026", "March 2026"),
        ("Q1 versus Q4 2025", "Q1 2026", "Q4 2025"),
        ("month over month", "May 2026", "April 2026"),
        ("quarter on quarter", "Q1 2026", "Q4 2025"),
        ("May year over year", "May 2026", "May 2025"),
        ("May against the same month last year", "May 2026", "May 2025"),
        ("the last 14 days vs the 14 days before", "28 May to 10 June 2026", "14 to 27 May 2026"),
        ("is it more than last month", "1 to 10 June 2026", "May 2026"),
        ("was it better than before", "12 May to 10 June 2026", "12 April to 11 May 2026"),
    ],
)
def test_two_periods_are_compared(text: str, period: str, compared: str) -> None:
    found = read(text)
    assert found.period is not None
    assert found.compared is not None
    assert (found.period.label, found.compared.label) == (period, compared)


@pytest.mark.parametrize(
    ("text", "is_series"),
    [
        ("clicks fell from March to May", True),
        ("what changed from March to May", True),
        ("clicks from March to May", False),
    ],
)
def test_a_series_shows_all_months_between_and_compares_none(text: str, is_series: bool) -> None:
    found = read_periods(plain(text), first=FIRST, last=LAST, today=TODAY, is_series=is_series)
    assert found.period is not None
    assert (found.period.label, found.compared) == ("March to May 2026", None)


def test_a_move_between_two_days_is_one_period() -> None:
    found = read("clicks fell from 4 May to 10 May")
    assert found.period is not None
    assert (found.period.label, found.compared) == ("4 to 10 May 2026", None)


def test_periods_of_unequal_length_are_said() -> None:
    assert any("10 and 31 days" in said for said in read("this month vs last month").assumed)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("for two weeks", ["Sunday 24 May", "Saturday 6 June 2026", "14 days"]),
        ("last week", ["Sunday 31 May", "Saturday 6 June 2026", "7 days"]),
        ("a fortnight", ["Sunday 24 May", "Saturday 6 June 2026"]),
        ("the week of 4 May", ["Sunday 3 May", "Saturday 9 May 2026"]),
        ("three weeks ago", ["Sunday 17 May", "Saturday 23 May 2026"]),
        ("from last week until yesterday", ["Sunday 31 May", "Wednesday 10 June 2026"]),
        ("week over week", ["Sunday 31 May", "Sunday 24 May", "Saturday 30 May 2026"]),
    ],
)
def test_a_week_is_in_doubt_and_asked_with_its_dates(text: str, dates: list[str]) -> None:
    (question,) = read(text).doubts
    assert question.endswith("?")
    assert [date for date in dates if date not in question] == []
    assert "Monday" in question


@pytest.mark.parametrize(
    ("week", "start", "end"),
    [
        ("sunday", "2026-05-24", "2026-06-06"),
        ("monday", "2026-05-25", "2026-06-07"),
        ("rolling", "2026-05-28", "2026-06-10"),
    ],
)
def test_a_settled_week_is_only_said(week: Week, start: str, end: str) -> None:
    found = read("two weeks", week=week)
    assert days("two weeks", week) == (start, end)
    assert found.doubts == ()
    assert len(found.assumed) == 1


def test_a_message_that_says_its_weeks_needs_no_question() -> None:
    assert read("Quiz for two weeks, Monday to Sunday").doubts == ()
    assert days("Quiz for two weeks, Monday to Sunday") == ("2026-05-25", "2026-06-07")
    assert days("two weeks, Monday to Sunday", "sunday") == ("2026-05-25", "2026-06-07")


@pytest.mark.parametrize(
    "text",
    [
        "from 14 to 1 May",
        "31 February",
        "between 2026-05-14 and 2026-05-01",
        "2026-13-01",
        "99 January",
        "May to March",
    ],
)
def test_impossible_or_reversed_dates_are_asked_back(text: str) -> None:
    found = read(text)
    assert found.period is None
    assert [doubt[-1] for doubt in found.doubts] == ["?"]


@pytest.mark.parametrize("text", ["in May in June", "spend of April for Quiz during Q1"])
def test_periods_that_contradict_each_other_are_asked_back(text: str) -> None:
    (question,) = read(text).doubts
    assert " or " in question


def test_the_same_period_twice_is_one() -> None:
    assert days("May, that is May 2026") == ("2026-05-01", "2026-05-31")


def test_a_period_that_tells_from_the_last_one() -> None:
    april = Period(start=date(2026, 4, 1), end=date(2026, 4, 30), label="April 2026")
    found = read("and for the month before?", before=april)
    assert found.period is not None
    assert found.period.label == "March 2026"
    after = read("and the following month?", before=april)
    assert after.period is not None
    assert after.period.label == "May 2026"
    against = read("compared with March?", before=april)
    assert (against.period, against.compared and against.compared.label) == (april, "March 2026")
    same = read("compared with April?", before=april)
    assert (same.period, same.compared and same.compared.label) == (april, "March 2026")


def test_a_range_without_data_is_a_period_all_the_same() -> None:
    assert days("May 2019") == ("2019-05-01", "2019-05-31")
    assert read("May 2019").assumed == ()


def test_today_has_no_data_yet_and_that_is_said() -> None:
    assert days("today") == ("2026-06-11", "2026-06-11")
    assert len(read("today").assumed) == 1


def test_the_edges_of_the_data_are_said() -> None:
    assert any("10 June 2026" in said for said in read("June").assumed)
    assert any("1 November 2025" in said for said in read("in 2025").assumed)
    assert read("May").assumed == ()


def test_old_data_is_counted_back_from_its_newest_day_and_that_is_said() -> None:
    found = read_periods("last month", first=FIRST, last=LAST, today=date(2027, 2, 3))
    assert found.period is not None
    assert found.period.label == "May 2026"
    assert any("10 June 2026" in said for said in found.assumed)
    assert read_periods("May 2026", first=FIRST, last=LAST, today=date(2027, 2, 3)).assumed == ()


def test_no_period_reaches_into_a_day_that_is_not_over() -> None:
    found = read_periods("the last 7 days", first=FIRST, last=TODAY + timedelta(days=9), today=TODAY)
    assert found.period is not None
    assert found.period.end == TODAY - timedelta(days=1)


def test_a_date_that_can_be_read_two_ways_is_said() -> None:
    assert days("on 05/06/2026") == ("2026-06-05", "2026-06-05")
    assert len(read("on 05/06/2026").assumed) == 1


def test_without_a_period_the_last_thirty_days_with_data_are_taken() -> None:
    period, said = usual_period(first=FIRST, last=LAST, today=TODAY)
    assert (period.start, period.end) == (date(2026, 5, 12), LAST)
    assert period.label in said
    short, _ = usual_period(first=date(2026, 6, 3), last=LAST, today=TODAY)
    assert (short.start, short.end) == (date(2026, 6, 3), LAST)


def test_what_was_read_is_gone_from_the_rest() -> None:
    assert read("clicks from 1 to 14 May for Quiz").rest.replace("\0", "") == "clicks from  for Quiz"


# Properties

todays = st.dates(date(2001, 1, 1), date(2099, 12, 31))
counts = st.integers(1, 12)
PHRASES = """
last|past|week|weeks|two|3|month|months|of|the|may|May|2026|31|14|from|to|between|and|vs|compared with|first half|Q2|the
since|until|before|year|9999|days|ago|2026-02-30|1/13/26|over|week of|w/c|the 31st|today|fortnight|Sunday|same|YoY|-|of
""".strip().replace("\n", "|")


@given(todays, counts, st.sampled_from([("sunday", 6, 5), ("monday", 0, 6)]))
def test_full_weeks_start_and_end_on_their_days_and_stay_within_the_data(
    today: date, count: int, week: tuple[Week, int, int]
) -> None:
    name, first_day, last_day = week
    newest = today - timedelta(days=1)
    found = read_periods(f"last {count} weeks", first=FIRST, last=newest, today=today, week=name).period
    assert found is not None
    assert (found.start.weekday(), found.end.weekday(), found.days) == (first_day, last_day, 7 * count)
    assert newest - timedelta(days=7) < found.end <= newest


@given(todays, counts)
def test_months_are_whole_and_over(today: date, count: int) -> None:
    newest = today - timedelta(days=1)
    found = read_periods(f"past {count} months", first=FIRST, last=newest, today=today).period
    assert found is not None
    assert found.start.day == (found.end + timedelta(days=1)).day == 1
    assert (found.end.year - found.start.year) * 12 + found.end.month - found.start.month == count - 1
    assert newest - timedelta(days=31) < found.end <= newest


@given(todays, st.sampled_from(["last month", "two weeks", "the last 9 days", "Q3", "since 3 May", "early March"]))
def test_the_previous_period_touches(today: date, text: str) -> None:
    newest = today - timedelta(days=1)
    found = read_periods(
        f"{text} vs the previous period", first=date(2000, 1, 1), last=newest, today=today, week="monday"
    )
    assert found.period is not None
    assert found.compared is not None
    assert found.compared.end + timedelta(days=1) == found.period.start


@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)), st.dates(date(1950, 1, 1), date(2090, 1, 1)))
def test_two_dates_are_a_range_or_a_question(start: date, end: date) -> None:
    found = read(f"from {start.isoformat()} to {end.isoformat()}")
    if start <= end:
        assert days(f"from {start.isoformat()} to {end.isoformat()}") == (start.isoformat(), end.isoformat())
    else:
        assert (found.period, len(found.doubts)) == (None, 1)


@given(
    st.lists(st.sampled_from(PHRASES.split("|")), max_size=9), st.sampled_from(["sunday", "monday", "rolling", None])
)
def test_any_words_about_time_give_forward_periods_or_one_question(words: list[str], week: Week | None) -> None:
    found = read(" ".join(words), week=week)
    assert len(found.doubts) <= 1
    for period in filter(None, (found.period, found.compared)):
        assert period.start <= period.end
        assert str(period.end.year) in period.label


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    read(text)
