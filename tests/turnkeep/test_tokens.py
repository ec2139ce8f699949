from hypothesis import given
from hypothesis import strategies as st

from turnkeep.tokens import estimate_tokens


def test_nothing_costs_nothing():
    assert estimate_tokens("") == 0
    assert estimate_tokens(" \n\t") == 0


def test_words_digits_and_signs_cost_what_the_rule_says():
    assert estimate_tokens("cat") == 1
    assert estimate_tokens("retrieval") == 2
    assert estimate_tokens("1234") == 2
    assert estimate_tokens("a_b == (c)") == 3 + 1 + 1 + 2
    assert estimate_tokens("perché") == 1


def test_a_script_without_spaces_is_not_one_cheap_word():
    assert estimate_tokens("人工智能是计算机") == 8


@given(st.text(), st.text())
def test_more_text_never_costs_less(text, more):
    assert estimate_tokens(text + "\n" + more) == estimate_tokens(text) + estimate_tokens(more)
    assert estimate_tokens(text) <= len(text)
