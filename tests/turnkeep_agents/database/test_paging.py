"""Which messages ask for another page of rows, and which only hold such words."""

import pytest

from turnkeep_agents.database.paging import wants_more


@pytest.mark.parametrize(
    "message",
    """more|show more|Show me more!|more rows please|next|next page|the next ten|next 20 rows|the next ones|the rest
    show me the rest of them|and the rest?|can you show me the next page?|could I see more results|keep going|continue
    any more?|are there any more rows?|what about the rest|another page|give me 10 more|ok, next page please|go on
    I'd like to see the remaining rows|let\u2019s see the others|page forward|show all the rest|what else?""".replace(
        "\n", "|"
    ).split("|"),
)
def test_the_next_page(message: str) -> None:
    assert wants_more(message) == "next"


@pytest.mark.parametrize(
    "message",
    ["previous page", "go back a page", "back", "go back", "the previous ones", "one page back", "page up",
     "the page before that", "show me the previous 10 rows", "Back one page, please."],
)  # fmt: skip
def test_the_page_before(message: str) -> None:
    assert wants_more(message) == "previous"


@pytest.mark.parametrize(
    ("message", "number"),
    [("page 3", 3), ("go to page 12", 12), ("Page three", 3), ("the third page", 3), ("2nd page", 2),
     ("show me page no. 7 please", 7), ("back to page 1", 1), ("first page", 1), ("page #4", 4),
     ("page 50000", 50_000)],
)  # fmt: skip
def test_a_page_by_its_number(message: str, number: int) -> None:
    assert wants_more(message) == number


@pytest.mark.parametrize(
    "message",
    """orders with more than five lines|more than five orders|next month's inspections|next month|show next week
    how many more orders|more technicians|show more orders than last year|previous month|last 10 orders
    and the previous year|the rest of the crews|the rest room cleaning jobs|page views per day|next inspection
    back orders|other customers|continue the contract of customer 2|who is next|which pages were visited|page
    page 0|tell me more about crew 3|what else did they order|set 3|show them by crew
    one more question about crews|is there more work in May|first|3|the third quarter|further training courses
    what comes after the next service|the last page of the manual""".replace("\n", "|").split("|"),
)
def test_questions_that_only_hold_such_words_are_questions(message: str) -> None:
    assert wants_more(message.strip()) is None


@pytest.mark.timeout(20)  # a pattern that backtracks would take minutes
def test_nothing_and_very_much_ask_for_no_page() -> None:
    for message in ("", "   ", "?", "more " * 20, "next page " + "x" * 60_000, "please " * 10_000):
        assert wants_more(message) is None
