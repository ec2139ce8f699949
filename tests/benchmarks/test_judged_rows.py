"""How the rows of an answer are held against those of SQL by hand."""

import pytest

import judged_rows


@pytest.mark.parametrize(
    ("found", "is_right"),
    [
        ([("a", 1, 2.001), ("b", 1, 3)], True),
        ([("b", 1, 3), ("a", 1, 2)], True),
        ([("a", 1, 3), ("b", 1, 2)], False),
        ([("a", 1, 2)], False),
        ([("a", 1), ("b", 1)], False),
    ],
)
def test_rows_hold_others_whatever_their_order(found, is_right):
    assert judged_rows.hold(found, [("a", 2), ("b", 3)], is_ordered=False) is is_right


def test_an_order_that_counts_is_that_of_the_last_column():
    expected = [("a", 3), ("b", 2), ("c", 2)]
    assert judged_rows.hold([("a", 3), ("c", 2), ("b", 2)], expected, is_ordered=True)
    assert not judged_rows.hold([("b", 2), ("a", 3), ("c", 2)], expected, is_ordered=True)


def test_no_rows_are_not_those_that_were_expected():
    assert not judged_rows.hold([], [("a", 2)], is_ordered=False)
