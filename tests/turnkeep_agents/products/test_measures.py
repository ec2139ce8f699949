"""Numbers with their units, as catalogues write them."""

import pytest

from turnkeep_agents.products.catalogue.measures import Measure, money, read_measure


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("256 GB", Measure(256, "GB")),
        ("1 TB", Measure(1000, "GB")),
        ("90 min", Measure(1.5, "h")),
        ("6 weeks", Measure(1008, "h")),
        ("4K", None),
        ("1/1.9 inch", None),
        ("9" * 400, None),
    ],
)
def test_a_text_that_is_one_number_is_a_measure(text: str, measure: Measure | None) -> None:
    assert read_measure(text) == measure


@pytest.mark.parametrize(("amount", "expected"), [(499, "$499"), (1299.5, "$1,299.50"), (-5, "-$5")])
def test_money_is_formatted_like_a_price_tag(amount: float, expected: str) -> None:
    assert money(amount) == expected
