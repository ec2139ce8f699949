"""Where pages begin whose rows are of different length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep_agents.database.nodes.pages import MOST_KNOWN, row_of, with_page
from turnkeep_agents.database.state import Last

MOST_ROWS = 100


def shown(page: int, starts: list[int], end: int) -> Last:
    return Last(route="sql", sql="SELECT 1", page=page, starts=starts, end=end)


def read_on(sizes: list[int]) -> Last:
    """Pages of these sizes, one after the other."""
    last = shown(-1, [0], 0)
    for page, size in enumerate(sizes):
        start = row_of(page, last, MOST_ROWS)
        starts = with_page(last["starts"], page, start, start + size, MOST_ROWS)
        last = shown(page, starts, start + size)
    return last


@given(st.lists(st.integers(1, MOST_ROWS), min_size=1, max_size=MOST_KNOWN + 20))
def test_each_page_begins_where_the_one_before_it_ended(sizes: list[int]) -> None:
    last = read_on(sizes)

    assert row_of(len(sizes), last, MOST_ROWS) == sum(sizes)
    for page in range(min(len(sizes), MOST_KNOWN)):
        assert row_of(page, shown(10**6, last["starts"], 0), MOST_ROWS) == sum(sizes[:page])
    assert len(last["starts"]) <= MOST_KNOWN


@pytest.mark.parametrize(("page", "row"), [(0, 0), (1, 2), (2, 42), (3, 142), (9, 742)])
def test_pages_that_nobody_saw_are_taken_for_full(page: int, row: int) -> None:
    assert row_of(page, shown(0, [0, 2, 42], 2), MOST_ROWS) == row


def test_going_back_forgets_no_page_behind_that_stays_where_it_was() -> None:
    assert with_page([0, 2, 42, 50], 0, 0, 2, MOST_ROWS) == [0, 2, 42, 50]
    assert with_page([0, 100, 200, 300], 1, 100, 140, MOST_ROWS) == [0, 100, 140]


def test_a_page_far_behind_fills_no_memory() -> None:
    assert len(with_page([0], 10**6, 10**8, 10**8, MOST_ROWS)) == MOST_KNOWN
