from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.kit.documents import Document
from turnkeep.kit.lexical import LexicalRetriever
from turnkeep.kit.words import singular, words

FRUIT = Document("1", "Apples and pears", "Orchards in autumn", "http://one", {"year": 1999})
SHIPS = Document("2", "Sailing ships", "The apple of the captain's eye, sailed far")
TREES = Document("3", "Perché gli alberi", "Le città e gli alberi")
ALL = LexicalRetriever([FRUIT, SHIPS, TREES])
FILLER = [Document(f"filler {n}", "Other things", "nothing of that kind is told in here") for n in range(8)]


def ids(documents):
    return [document.id for document in documents]


def test_words_are_found_by_stem_case_and_accent():
    assert ids(ALL.search("sails", 10)) == ["2"]
    assert ids(ALL.search("CITTA", 10)) == ids(ALL.search("città", 10)) == ["3"]


def test_a_result_is_the_document_with_its_score():
    first, second = ALL.search("apple", 10)
    assert (first, second) == (replace(FRUIT, score=first.score), replace(SHIPS, score=second.score))
    assert first.score > second.score > 0


def test_a_repeated_word_counts_more():
    pair = LexicalRetriever([Document("a", "", "red green"), Document("b", "", "blue green"), Document("c", "", "x y")])
    assert ids(pair.search("red blue blue blue", 1)) == ["b"]
    assert ids(pair.search("red red red blue", 1)) == ["a"]


def test_an_exact_italian_word_counts_more():
    pair = LexicalRetriever([Document("one", "", "una legge"), Document("many", "", "due leggi")], language="it")
    assert ids(pair.search("legge", 2)) == ["one", "many"]
    assert ids(pair.search("leggi", 2)) == ["many", "one"]


LAWS = LexicalRetriever(
    [
        Document("leave", "Permessi", "L'art. 33 della L. 104/1992 prevede tre giorni al mese"),
        Document("severance", "Trattamento di fine rapporto", "Art. 2120 c.c.: quota dell'imposta sostitutiva"),
        Document("reform", "Collaborazioni", "L'art. 18-bis del decreto riguarda le imposte e l'attività"),
        Document("dismissal", "Licenziamento", "Il lavoratore licenziato è reintegrato dopo 104 giorni"),
        *(Document(f"other {n}", "Altro", "nulla di tutto ciò è detto qui") for n in range(4)),
    ],
    language="it",
)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("art. 2120", "severance"),
        ("legge 104/1992", "leave"),
        ("art. 18-bis", "reform"),
        ("l\u2019imposta", "severance"),
        ("dell'imposte", "reform"),
        ("attivita", "reform"),
        ("licenziata", "dismissal"),
        ("permesso", "leave"),
    ],
)
def test_italian_is_found_by_numbers_elisions_accents_and_stems(query, first):
    assert ids(LAWS.search(query, 1)) == [first]
    assert LAWS.search("della", 10) == []


def test_the_limit_holds_and_stop_words_find_nothing():
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


def test_threads_share_a_retriever():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ids(ALL.search("apple ships alberi", 10)), range(200)))
    assert found == [ids(ALL.search("apple ships alberi", 10))] * 200


def test_lengths_are_compared_within_titles_and_within_texts():
    short = Document("short", "Battery", "charge it overnight")
    wordy = Document("wordy", "Battery", "charge it overnight and " * 40)
    long = Document("long", "Battery of the phone that came with it", "charge it overnight")
    retriever = LexicalRetriever([long, wordy, short, *FILLER])
    found = {document.id: document.score for document in retriever.search("battery", 3)}
    assert found["short"] == found["wordy"] > found["long"]
    assert ids(retriever.search("overnight", 3))[-1] != "wordy"


def test_adjacent_words_of_the_query_count_more_if_adjacent():
    apart = Document("apart", "", "screen of the phone which a finger may lock")
    together = Document("together", "", "phone of the finger which a lock screen may")
    turned = Document("turned", "", "phone of the finger which screen a lock may")
    pair = LexicalRetriever([apart, together, turned, *FILLER])
    found = {document.id: document.score for document in pair.search("lock screen", 3)}
    assert found["together"] == found["turned"] > found["apart"]


def test_a_pair_of_frequent_words_counts_nothing():
    apart = [Document(str(n), "", f"the screen of device {n} may lock") for n in range(8)]
    pair = LexicalRetriever([*apart, Document("together", "", "the lock screen of device 9 may")])
    assert len({document.score for document in pair.search("lock screen", 9)}) == 1


def test_a_word_counts_more_in_a_title():
    pair = [Document("text", "owl hunts", "kite flies"), Document("title", "kite flies", "owl hunts")]
    assert ids(LexicalRetriever(pair).search("kite", 2)) == ["title", "text"]


def test_equal_scores_keep_the_order_of_documents():
    twins = [Document(name, "", "a kite") for name in "bca"]
    assert ids(LexicalRetriever(twins).search("kite", 3)) == ["b", "c", "a"]
    best = [*FILLER, Document("best", "red kite", "red kite red kite"), Document("one", "", "red")]
    for documents in (best, best[::-1]):
        assert ids(LexicalRetriever(documents).search("red kite", 2)) == ["best", "one"]


def test_incomplete_documents_are_found_by_what_they_have():
    some = [Document("title", "kites", ""), Document("text", "", "kites"), Document("none", "", "")]
    either = LexicalRetriever([*some, Document("broken", "lone \ud800", "surrogate")])
    assert set(ids(either.search("kite", 4))) == {"title", "text"}
    assert ids(either.search("surrogate", 1)) == ["broken"]


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("公司产品的保修期为两年。", ["保修期", "产品的保修期", "两年", "年"]),
        ("この契約の期間は二年です。パーティー", ["契約", "契約の期間", "パーティー"]),
        ("계약의 기간은 2년입니다. 책이", ["계약", "기간", "책", "2년"]),
    ],
)
def test_scripts_without_spaces_are_found_by_pairs_of_letters(language: str, text: str, queries: list[str]) -> None:
    documents = [Document("other", "", "东京 プロ 서울 other"), Document("this", "", text)]
    retriever = LexicalRetriever(documents, language=language)
    found = [[one.id for one in retriever.search(query, 3)] for query in queries]
    assert found == [["this"]] * len(queries)


def test_words_have_no_case_accents_or_signs():
    found = ["perche", "no", "self", "attention", "gpt", "3", "snake", "case"]
    assert words("Perch\u00e9 NO? self-attention, GPT-3 snake_case") == found


def test_only_plural_endings_are_removed():
    plurals = {"models": "model", "studies": "study", "classes": "classe", "bias": "bia"}
    same = dict.fromkeys(["gas", "this", "corpus", "loss", "analysis"])
    assert {word: singular(word) for word in plurals | same} == plurals | {word: word for word in same}
