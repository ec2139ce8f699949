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
        ("bias", "bia"),
        *((word, word) for word in ("gas", "this", "corpus", "loss", "analysis")),
    ],
)
def test_plural_endings_fall_and_what_only_looks_plural_stays(plural, one):
    assert singular(plural) == one
