"""Numbers with their units, as customers write them."""

import pytest

from turnkeep_agents.products.reading.measures import Measure, money, quantities, read_measure, with_digits


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("256 GB", Measure(256, "GB")),
        ("1 TB", Measure(1000, "GB")),
        ("1.2kg", Measure(1200, "g")),
        ("90 min", Measure(1.5, "h")),
        ("6 weeks", Measure(1008, "h")),
        ("2024", Measure(2024, "")),
        ("5G", None),
        ("4K", None),
        ("1/1.9 inch", None),
        ("9" * 400, None),
    ],
)
def test_a_text_that_is_one_number_is_a_measure(text: str, measure: Measure | None) -> None:
    assert read_measure(text) == measure


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("under $500", [(500, "", True)]),
        ("1.5k", [(1500, "", True)]),
        ("500 dollars or 600 bucks", [(500, "", True), (600, "", True)]),
        ("$1,299.99", [(1299.99, "", True)]),
        ("between $300-$600", [(300, "", True), (600, "", True)]),
        ("minus -$5", [(-5, "", True)]),
        ("under €300", [(300, "", True)]),
        ("300 pounds", [(300, "", True)]),
        ("3 pounds", [(1360.776, "g", False)]),
        ('a 55" screen', [(55, "in", False)]),
        ("2 in black", [(2, "", False)]),
        ("the Galaxy S24 and WH-1000XM5", []),
    ],
)
def test_numbers_of_a_message_have_units_and_currencies(text: str, found: list[tuple[float, str, bool]]) -> None:
    assert [(one.value, one.unit, one.is_money) for one in quantities(text)] == found


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("five hundred dollars", "500 dollars"),
        ("a thousand bucks", "1000 bucks"),
        ("one thousand two hundred dollars", "1200 dollars"),
        ("sixteen gigs", "16 gigs"),
        ("at least a week of battery", "at least 1 week of battery"),
        ("the second one", "the second one"),
        ("one of them", "one of them"),
    ],
)
def test_numbers_in_words_are_read_where_a_unit_or_a_hundred_shows_them(words: str, digits: str) -> None:
    assert with_digits(words) == digits


@pytest.mark.parametrize(("amount", "told"), [(499, "$499"), (1299.5, "$1,299.50"), (-5, "-$5")])
def test_money_is_told_as_on_a_price_tag(amount: float, told: str) -> None:
    assert money(amount) == told
