import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        *(("", 0), (" \n\t", 0), ("cat", 1), ("retrieval", 2), ("1234", 2), ("perch\u00e9", 1)),
        *(("a_b == (c)", 3 + 1 + 1 + 2), ("\u4eba\u5de5\u667a\u80fd\u662f\u8ba1\u7b97\u673a", 8)),
    ],
)
def test_words_digits_and_signs_cost_what_the_rule_says(text, tokens):
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_never_costs_less(text, more):
    assert estimate_tokens(text + "\n" + more) == estimate_tokens(text) + estimate_tokens(more)
    assert estimate_tokens(text) <= len(text)
