import pytest

from turnkeep.blocks.words import singular, words


def test_case_accents_and_signs_are_folded_away():
    assert words("Perché NO? self-attention, GPT-3 snake_case") == [
        "perche", "no", "self", "attention", "gpt", "3", "snake", "case",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("models", "model"),
        ("studies", "study"),
        ("classes", "classe"),
        ("loss", "loss"),
        ("bias", "bia"),
        ("gas", "gas"),
    ],
)
def test_plural_endings_fall_and_others_stay(plural, one):
    assert singular(plural) == one


def test_words_that_only_look_plural_are_kept():
    assert [singular(word) for word in ("this", "corpus", "loss", "analysis")] == ["this", "corpus", "loss", "analysis"]
