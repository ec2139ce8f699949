"""Checks of a reading: existing names, and only shown results are continued."""

from talk import ask

from turnkeep_agents.database.reading import Ask, Reading, check

TABLES, PAGES = {"workOrder", "customer", "invoice"}, {"crews", "leave"}


def checked(one: Ask, *, has_shown: bool = False) -> Ask:
    reading = Reading(language="it", asks=[one])
    return check(reading, tables=TABLES, pages=PAGES, has_shown=has_shown).asks[0]


def test_misspelt_names_become_the_nearest_ones() -> None:
    one = checked(ask("x", "workorder", "Work_Order", "customers", "wall_key", pages=["crew", "crews#add", "secrets"]))
    assert (one.tables, one.pages) == (["workOrder", "customer"], ["crews"])


def test_only_a_shown_result_is_continued() -> None:
    assert checked(ask("x", goes_on=True)).goes_on is False
    assert checked(ask("x", goes_on=True), has_shown=True).goes_on is True
    assert checked(ask("more", kind="more_rows", rows="next")).kind == "about_conversation"
    assert checked(ask("more", kind="more_rows", rows="next"), has_shown=True).kind == "more_rows"
