"""The benchmark of routing: its figures are counted right, and no peer learns the answers by heart."""

from pathlib import Path

from routing import Text, by_keywords, by_word_counts, load, measure


def test_files_are_read_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "Hi", "route": "GENERAL"}\n\n{"text": "Count them", "route": "SQL"}\n')
    assert load(tmp_path) == [Text("Hi", "general"), Text("Count them", "sql")]
    assert load(tmp_path / "nowhere") == []


def test_scores_are_counted_by_route() -> None:
    texts = [
        Text("How many frogs are there?", "sql"),
        Text("How many toads are there?", "general"),
        Text("hello", "general"),
        Text("How do I feed a frog?", "rag"),
    ]
    ours, sure, *peers = measure(texts)
    assert (ours.texts, ours.accuracy) == (4, 0.75)
    assert ours.by_route["sql"] == {"precision": 0.5, "recall": 1.0, "f1": 0.6667}
    assert ours.by_route["general"] == {"precision": 1.0, "recall": 0.5, "f1": 0.6667}
    assert ours.confusion["general"] == {"rag": 0, "sql": 1, "general": 1}
    assert sure.texts <= 4
    assert [row.system for row in peers] == ["keywords", "word counts, learnt"]


def test_a_text_that_stands_twice_is_judged_by_the_others() -> None:
    texts = [Text("croak", "sql")] * 2 + [Text(f"frog {n}", "rag") for n in range(9)]
    assert by_word_counts(texts)[:2] == ["rag", "rag"]


def test_words_that_mark_a_route_are_learnt() -> None:
    texts = [Text(f"{word} {n}", route) for n in range(12) for word, route in (("frog", "rag"), ("toad", "sql"))]
    assert by_word_counts(texts) == [one.route for one in texts]


def test_keywords_are_looked_for_in_their_order() -> None:
    assert [by_keywords(text) for text in ("How to count", "How to croak", "Croak")] == ["sql", "rag", "general"]
