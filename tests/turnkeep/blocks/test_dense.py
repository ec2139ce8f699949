from itertools import pairwise

import numpy
import pytest

from turnkeep.blocks.dense import PASSAGE_WORDS, DenseRetriever, open_dense_retriever, passages_of
from turnkeep.blocks.documents import Document

RED = Document("red", "Red", "red red", "http://red", {"year": 1999})
BLUE = Document("blue", "Blue", "blue")
BOTH = Document("both", "Red", "blue")
COLOURS = ("red", "blue", "green")
PHONE = Document("phone", "Aero 7", "A handset for calls and messages")
BOAT = Document("boat", "Dinghy", "Rows across a lake")


class Colours:
    """An encoder that counts three colours, and records what it was given."""

    def __init__(self):
        self.given = []

    def __call__(self, texts):
        self.given.append(list(texts))
        counts = numpy.array([[text.lower().count(colour) for colour in COLOURS] for text in texts], numpy.float32)
        lengths = numpy.linalg.norm(counts.reshape(-1, 3), axis=1, keepdims=True)
        return counts.reshape(-1, 3) / numpy.where(lengths, lengths, 1)


def ids(documents):
    return [document.id for document in documents]


def test_the_nearest_document_comes_first_with_its_nearness():
    found = DenseRetriever([BLUE, BOTH, RED], Colours()).search("red", 3)
    assert ids(found) == ["red", "both"]
    assert [document.score for document in found] == pytest.approx([1, 0.7071], abs=1e-3)
    assert (found[0].url, found[0].metadata) == (RED.url, RED.metadata)


def test_what_has_nothing_to_do_with_the_query_is_not_found():
    assert DenseRetriever([BLUE, RED], Colours()).search("green", 3) == []


def test_of_equals_the_first_comes_first():
    twins = [Document(str(n), "", f"red {n}") for n in range(40)]
    assert ids(DenseRetriever(twins, Colours()).search("red", 40)) == [str(n) for n in range(40)]


def test_a_limit_is_kept_and_nothing_is_asked_for_nothing():
    retriever = DenseRetriever([BLUE, BOTH, RED], Colours())
    assert len(retriever.search("red blue", 2)) == 2
    assert retriever.search("red", 0) == retriever.search("  \n ", 3) == []
    assert DenseRetriever([], Colours()).search("red", 3) == []


def test_a_long_document_is_as_near_as_its_nearest_passage():
    long = Document("long", "", " ".join(["blue"] * 300 + ["red"] * 80 + ["blue"] * 300))
    mixed = Document("mixed", "", "red blue blue blue")
    assert ids(DenseRetriever([long, mixed], Colours()).search("red", 2)) == ["long", "mixed"]


def test_passages_overlap_hold_every_word_and_bear_the_title():
    said = [str(n) for n in range(500)]
    passages = [passage.split() for passage in passages_of(Document("x", "A title", " ".join(said)))]
    assert all(passage[:2] == ["A", "title"] and len(passage) <= PASSAGE_WORDS + 2 for passage in passages)
    assert [word for word in said if not any(word in passage for passage in passages)] == []
    assert all(set(one[2:]) & set(other[2:]) for one, other in pairwise(passages))


@pytest.mark.parametrize("words", [0, 1, PASSAGE_WORDS, PASSAGE_WORDS + 1])
def test_no_passage_lies_within_another(words):
    passages = passages_of(Document("x", "", " ".join(map(str, range(words)))))
    assert len(passages) == 1 + (words > PASSAGE_WORDS)
    assert all(passage not in other for passage in passages for other in passages if passage is not other)


def test_a_title_that_the_text_repeats_is_read_once():
    assert passages_of(Document("x", "Red kites", "Red kites fly")) == ["Red kites fly"]
    assert passages_of(Document("x", "Red", "Reddish things")) == ["Red Reddish things"]


def test_the_line_that_a_query_repeats_counts_once_more():
    encode = Colours()
    retriever = DenseRetriever([BLUE, RED], encode)
    assert ids(retriever.search("red\nred\nblue blue", 2)) == ["red", "blue"]
    assert encode.given[-1] == ["red\nblue blue", "red"]
    retriever.search("red\nblue", 2)
    assert encode.given[-1] == ["red\nblue"]


def test_what_is_known_is_not_encoded_again():
    first, again = Colours(), Colours()
    known = DenseRetriever([RED, BLUE], first).vectors
    retriever = DenseRetriever([RED, BOTH, BLUE], again, known=known)
    assert (len(first.given[0]), again.given, retriever.encoded) == (2, [["Red blue"]], 1)
    assert ids(retriever.search("red", 3)) == ["red", "both"]
    assert len(retriever.vectors) == 3


def test_what_is_gone_is_forgotten():
    known = DenseRetriever([RED, BLUE], Colours()).vectors
    assert len(DenseRetriever([RED], Colours(), known=known).vectors) == 1


def test_the_real_model_finds_by_meaning_and_a_second_start_encodes_nothing(tmp_path, caplog):
    path = tmp_path / "vectors.npz"
    first = open_dense_retriever([BOAT, PHONE], path)
    second = open_dense_retriever([BOAT, PHONE], path)
    assert (first.encoded, second.encoded) == (2, 0)
    assert ids(first.search("smartphone", 1)) == ["phone"]
    assert first.search("smartphone", 2) == second.search("smartphone", 2)


def test_a_start_without_a_file_works_and_leaves_none():
    assert open_dense_retriever([BOAT]).encoded == 1


def test_where_the_folder_cannot_be_written_a_search_still_works(tmp_path):
    retriever = open_dense_retriever([BOAT, PHONE], tmp_path / "absent" / "vectors.npz")
    assert ids(retriever.search("smartphone", 1)) == ["phone"]
