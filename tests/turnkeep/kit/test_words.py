import pytest

from turnkeep.kit.words import singular, words


def test_words_have_no_case_accents_or_signs():
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
def test_only_plural_endings_are_removed(plural, one):
    assert singular(plural) == one
