"""The expected numbers are those of the library that BERT's uncased models are published with."""

import pytest

from turnkeep.models.minilm import read_pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Unaffordable wireless earbuds", [14477, 4246, 8551, 3085, 9949, 4540, 8569, 5104]),
        ("Perché l'università?", [21836, 2063, 1048, 1005, 4895, 16402, 28032, 2050, 1029]),
        ("$499.99 + 20% off!", [1002, 4749, 2683, 1012, 5585, 1009, 2322, 1003, 2125, 999]),
        ("5G (6.1-inch) OLED", [1019, 2290, 1006, 1020, 1012, 1015, 1011, 4960, 1007, 15589, 2094]),
        ("価格 is 100€", [100, 100, 2003, 2531, 30102]),
        ("naïve\u00adtext", [15743, 18209]),
        ("snow☃man", [100]),
        ("x\ty\u200b\nz", [1060, 1061, 1062]),
        ("co-operate_now", [2522, 1011, 5452, 1035, 2085]),
        (101 * "a" + " b", [100, 1038]),
        ("", []),
    ],
)
def test_pieces_equal_those_of_the_reference(text, pieces):
    assert read_pieces(text, 100) == pieces


def test_replacement_characters_are_skipped():
    assert read_pieces("wire\ufffdless", 9) == read_pieces("wireless", 9)


@pytest.mark.parametrize("text", ["\ud800", "\x00\ufffd", "\U0001f600" * 50, "ก" * 200, "wireless earbuds " * 1000])
def test_at_most_as_many_pieces_as_the_limit_are_returned(text):
    assert len(read_pieces(text, 254)) <= 254
