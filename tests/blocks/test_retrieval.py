from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.retrieval import Document, FusedRetriever, LexicalRetriever

FRUIT = Document("1", "Apples and pears", "Orchards in autumn", "http://one", {"year": 1999})
SHIPS = Document("2", "Sailing ships", "The apple of the captain's eye, sailed far")
TREES = Document("3", "Perché gli alberi", "Le città e gli alberi")
ALL = LexicalRetriever([FRUIT, SHIPS, TREES])


class Fixed:
    """A retriever that knows one ranking and records what it was asked."""

    def __init__(self, *ids):
        self.ids, self.asked = ids, []

    def search(self, query, limit):
        self.asked.append((query, limit))
        return [Document(id_, id_, "") for id_ in self.ids][:limit]


def ids(documents):
    return [document.id for document in documents]


def test_words_are_found_in_other_forms_and_a_title_weighs_more():
    assert ids(ALL.search("apple", 10)) == ["1", "2"]
    assert ids(ALL.search("sails", 10)) == ["2"]


def test_a_result_is_the_document_with_its_score():
    first, second = ALL.search("apple", 10)
    assert (first.title, first.url, first.metadata) == (FRUIT.title, FRUIT.url, FRUIT.metadata)
    assert first.score > second.score > 0
    assert FRUIT.score is None


def test_accents_in_query_or_text_do_not_matter():
    assert ids(ALL.search("CITTA", 10)) == ids(ALL.search("città", 10)) == ["3"]


def test_a_repeated_word_weighs_more():
    pair = LexicalRetriever([Document("a", "", "red green"), Document("b", "", "blue green"), Document("c", "", "x y")])
    assert ids(pair.search("red blue blue blue", 1)) == ["b"]
    assert ids(pair.search("red red red blue", 1)) == ["a"]


def test_another_language_brings_its_stemmer_and_stop_words():
    cut = LexicalRetriever([TREES], stem=lambda word: word[:5], stop_words=frozenset({"gli"}))
    assert ids(cut.search("albero", 10)) == ["3"]
    assert cut.search("gli", 10) == []


def test_limit_is_kept_and_stop_words_alone_find_nothing():
    assert len(ALL.search("apple sailing alberi", 2)) == 2
    assert ALL.search("apple", 0) == []
    assert ALL.search("what is the", 10) == []
    assert LexicalRetriever([]).search("apple", 10) == []


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_a_valid_query(query):
    ALL.search(query, 10)
    assert "1" in ids(ALL.search(query + ' apple " * ( NEAR', 10))


@pytest.mark.parametrize("part", ['"', "apple ", "\x00", "\ud800", "😀", "a" * 80, "w{} ", "NOT ", "col:", "กำ ﷺ "])
def test_a_query_of_64_kb_is_answered(part):
    query = "".join(part.format(n) for n in range(70_000 // len(part)))[:65_536]
    assert len(ALL.search(query, 10)) <= 3


def test_a_document_with_broken_unicode_is_still_found():
    assert ids(LexicalRetriever([Document("x", "lone \ud800", "surrogate")]).search("surrogate", 1)) == ["x"]


def test_threads_share_a_retriever():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ids(ALL.search("apple ships alberi", 10)), range(200)))
    assert found == [ids(ALL.search("apple ships alberi", 10))] * 200


def test_fusion_puts_first_what_both_find():
    one, other = Fixed("a", "b", "c"), Fixed("d", "b")
    fused = FusedRetriever([one, other], depth=20)
    found = fused.search("q", 3)
    assert ids(found) == ["b", "a", "d"]
    assert found[0].score == pytest.approx(2 / 62)
    assert one.asked == other.asked == [("q", 20)]


def test_fusion_of_one_keeps_its_order_and_of_none_is_empty():
    assert ids(FusedRetriever([ALL]).search("apple", 10)) == ids(ALL.search("apple", 10))
    assert FusedRetriever([]).search("apple", 10) == []
