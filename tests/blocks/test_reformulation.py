import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.reformulation import MESSAGE_WEIGHT, TOPIC_WORDS, standalone_query
from turnkeep.blocks.retrieval import Document, LexicalRetriever

BRIDGES = ["What is a suspension bridge?", "How long is the Humber crossing?"]


def topic(message, history):
    """What follows the message in its query."""
    return standalone_query(message, history).split("\n")[MESSAGE_WEIGHT:]


def test_a_follow_up_comes_twice_before_the_topic_of_what_was_said():
    query = standalone_query("Who designed it?", BRIDGES)
    assert query.split("\n") == ["Who designed it?", "Who designed it?", "humber crossing suspension bridge"]


def test_a_message_that_surely_stands_alone_is_its_own_query():
    message = "Do suspension bridges rust in Scotland?"
    assert standalone_query(message, BRIDGES) == message
    assert standalone_query("Who designed it?", []) == "Who designed it?"


def test_where_rules_are_unsure_the_topic_is_added():
    assert topic("What is concrete?", BRIDGES) == ["humber crossing suspension bridge"]


def test_the_newest_message_and_what_is_said_again_weigh_most():
    assert topic("why?", ["Do ferries sink?", "Do trains crash?"]) == ["trains crash ferries sink"]
    again = ["Do ferries sink?", "Where do ferries land?", "Where do ferries moor?", "Do trains crash?"]
    assert topic("why?", again) == ["trains crash ferries moor land"]


def test_words_that_say_nothing_of_the_topic_are_left_out():
    assert topic("why?", ["Please tell me about the best advantages of steel cables this week"]) == ["steel cables"]
    assert standalone_query("why?", ["What is this?"]) == "why?"


def test_of_earlier_messages_only_the_beginning_is_read():
    assert topic("why?", [f"ferries {'and ' * 200} trams"]) == ["ferries"]


def test_the_query_is_of_bounded_size():
    words = " ".join(f"cable{number}" for number in range(10_000))
    query = standalone_query(f"and {words}", [words] * 50)
    assert len(query) < 4_096
    assert len(query.split("\n")[-1].split()) == TOPIC_WORDS


def test_a_follow_up_finds_what_the_message_alone_does_not():
    documents = [
        Document("ferry", "Ferries", "A ferry was designed by Ann."),
        Document("bridge", "Suspension bridges", "A bridge hangs from cables, designed by Bob."),
    ]
    retriever = LexicalRetriever(documents)
    found = retriever.search(standalone_query("Who designed it?", ["What is a suspension bridge?"]), 1)
    assert [document.id for document in found] == ["bridge"]


@given(st.text(), st.lists(st.text(), max_size=4))
def test_any_text_has_a_query_that_holds_it(message, history):
    assert message in standalone_query(message, history)


@pytest.mark.parametrize(("collection", "recall_at_10"), [("mtrag_rewrite_retrieval", 0.8), ("mtragun_ragchat", 0.9)])
def test_real_follow_ups_are_found(shared_data, collection, recall_at_10):
    folder = shared_data / collection
    documents = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    retriever = LexicalRetriever([Document(row["_id"], row.get("title") or "", row["text"]) for row in documents])
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, _ = line.split("\t")
        relevant.setdefault(query, set()).add(document)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    shares = []
    for query in (query for query in queries if query["_id"] in relevant):
        found = retriever.search(standalone_query(query["text"], query["history"]), 10)
        wanted = relevant[query["_id"]]
        shares.append(len(wanted & {document.id for document in found}) / len(wanted))
    assert sum(shares) / len(shares) >= recall_at_10
