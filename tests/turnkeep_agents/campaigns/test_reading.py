"""What becomes of a reading: names by their spelling, periods by the calendar, and what does not fit."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readings import ask, reading

from turnkeep_agents.campaigns.periods import Days, resolve
from turnkeep_agents.campaigns.reading import Ask, Check, Checked, Names, find_name
from turnkeep_agents.campaigns.warehouse.sums import Coverage

TODAY = date(2026, 11, 22)  # a Sunday
NAMES: Names = {
    "advertiser": ("Quiz", "Oakmere Kitchens", "Müller Küchen"),
    "insertion_order": ("Quiz New Season", "Oakmere Showroom"),
    "line_item": ("Quiz New Season Social",),
    "audience": ("Young Couples", "Young Families"),
    "creative": ("Lookbook 970x250", "Lookbook 300x250"),
    "size": ("300x250", "970x250"),
}
MAY = {"named": "dates", "start": "2026-05-01", "end": "2026-05-31"}
COVERAGE = Coverage(date(2026, 4, 6), date(2026, 11, 21), 1, {})


def check(*asks: Ask, week: str = "open", settled: str | None = None) -> Checked:
    return Check(NAMES, COVERAGE, TODAY, settled)(reading(*asks, week=week)[1])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Quiz", ("advertiser", ("Quiz",))),
        ("quiz new season", ("insertion_order", ("Quiz New Season",))),
        ("Oakmere", ("advertiser", ("Oakmere Kitchens",))),
        ("showroom", ("insertion_order", ("Oakmere Showroom",))),
        ("Lookbook", ("creative", ("Lookbook 970x250", "Lookbook 300x250"))),
        ("Young", ("audience", ("Young Couples", "Young Families"))),
        ("300X250", ("size", ("300x250",))),
        ("oakmer kitchen", ("advertiser", ("Oakmere Kitchens",))),
        ("Muller Kuchen", ("advertiser", ("Müller Küchen",))),
        ("Acme", None),
        ("?!", None),
    ],
)
def test_a_name_is_found_whole_in_part_or_by_its_nearest_spelling(said: str, meant: object) -> None:
    assert find_name(said, NAMES) == meant


@given(st.text(max_size=30))
def test_any_text_is_a_name_or_none(said: str) -> None:
    found = find_name(said, NAMES)
    assert found is None or set(found[1]) <= set(NAMES[found[0]])


@pytest.mark.parametrize(
    ("days", "week", "start", "end", "label"),
    [
        ({"named": "yesterday"}, "sunday", "2026-11-21", "2026-11-21", "yesterday"),
        ({"named": "this_week"}, "sunday", "2026-11-21", "2026-11-21", "this week"),  # which begins today
        ({"named": "this_week"}, "monday", "2026-11-16", "2026-11-21", "this week"),
        ({"named": "last_week"}, "sunday", "2026-11-15", "2026-11-21", "last week"),
        ({"named": "last_weeks", "n": 3}, "monday", "2026-10-26", "2026-11-15", "the last 3 weeks"),
        ({"named": "last_weeks", "n": 2}, "rolling", "2026-11-08", "2026-11-21", "the last 14 days"),
        ({"named": "last_week", "n": 4}, "sunday", "2026-11-15", "2026-11-21", "last week"),
        ({"named": "last_days", "n": 7}, "sunday", "2026-11-15", "2026-11-21", "the last 7 days"),
        ({"named": "last_month"}, "sunday", "2026-10-01", "2026-10-31", "October 2026"),
        ({"named": "last_months", "n": 12}, "sunday", "2025-11-01", "2026-10-31", "the last 12 months"),
        ({"named": "this_month"}, "sunday", "2026-11-01", "2026-11-21", "1 November 2026 to 21 November 2026"),
        ({"named": "this_year"}, "sunday", "2026-01-01", "2026-11-21", "2026"),
        (MAY, "sunday", "2026-05-01", "2026-05-31", "May 2026"),
        (MAY | {"end": "2026-05-01"}, "sunday", "2026-05-01", "2026-05-01", "1 May 2026"),
    ],
)  # fmt: skip
def test_code_counts_the_days_of_a_period(days: object, week: str, start: str, end: str, label: str) -> None:
    found = resolve(Days.model_validate(days), week, TODAY)  # type: ignore[arg-type]
    assert found
    assert (str(found.start), str(found.end), found.label) == (start, end, label)


def test_no_period_is_none_and_dates_need_both_ends_in_order() -> None:
    assert resolve(Days(named="none"), "sunday", TODAY) is None
    for days in (Days(named="dates", start=TODAY), Days(named="dates", start=TODAY, end=date(2026, 1, 1))):
        with pytest.raises(ValueError, match="needs start and end"):
            resolve(days, "sunday", TODAY)


def test_unknown_names_are_reported_with_near_ones() -> None:
    wrong = check(ask(names=["Quizz Seasons", "Acme"], period={"named": "dates"})).wrong
    assert wrong[0] == "the warehouse has no “Acme”; nearest: none"
    assert wrong[1].startswith("a period of dates needs start and end")
    assert check().wrong == ["kind is specialists, but there is no request"]


@pytest.mark.parametrize(
    ("week", "settled", "asks"), [("open", None, True), ("open", "monday", False), ("sunday", None, False)]
)
def test_weeks_that_are_counted_are_asked_about_until_they_are_settled(
    week: str, settled: str | None, asks: bool
) -> None:
    counted = ask(period={"named": "last_weeks", "n": 2})
    assert check(counted, week=week, settled=settled).asks_week is asks
    assert not check(ask(period={"named": "last_week"})).asks_week


def test_names_become_filters_and_exclusions() -> None:
    [request] = check(ask(names=["Quiz", "Young Couples"], but_not=["970x250"])).requests
    assert request.filters == {"advertiser": ("Quiz",), "audience": ("Young Couples",), "size": ("300x250",)}


def test_advice_for_days_to_come_is_given_from_the_newest_figures() -> None:
    december = {"named": "dates", "start": "2026-12-01", "end": "2026-12-31"}
    assert check(ask(intent="advice", period=december)).requests[0].period is None
    assert check(ask(intent="figures", period=december)).requests[0].period


def test_on_its_first_day_a_week_is_the_one_that_has_ended() -> None:
    [request] = check(ask(period={"named": "this_week"}, compared={"named": "last_week"})).requests
    assert request.period
    assert request.compared
    assert (str(request.period.start), str(request.period.end)) == ("2026-11-15", "2026-11-21")
    assert (str(request.compared.start), str(request.compared.end)) == ("2026-11-08", "2026-11-14")


def test_a_limit_without_an_order_means_the_best() -> None:
    assert check(ask(by=["audience"], limit=3)).requests[0].order == "best"
