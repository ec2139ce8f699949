"""The benchmarks of follow-ups and reformulation, on two made-up conversations."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import conversations
import fit_followups
import followups
import reformulation

BENCHMARKS = Path(followups.__file__).parent
KITES = ["What is a kite?", "Who invented it?", "What is a glider?"]
TEA = ["Where does tea grow?", "And coffee?"]
FOLLOW_UPS = {"Who invented it?": "Who invented the kite?", "And coffee?": "Where does coffee grow?"}


def rows():
    for number, asked in enumerate((KITES, TEA)):
        for at, message in enumerate(asked):
            yield {
                "conv": number,
                "history": asked[:at],
                "utterance": message,
                "gold_rewrite": FOLLOW_UPS.get(message, message),
                "context_dependent": message in FOLLOW_UPS,
            }


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def data(tmp_path):
    """Two follow-up sets and one collection."""
    for name in conversations.SETS:
        write(tmp_path / name / "any_name.jsonl", rows())
    folder = tmp_path / "mtrag_rewrite_retrieval"
    write(folder / "corpus.jsonl", [{"_id": "k", "title": "Kites", "text": "A kite was invented in China."}])
    history = {"_id": "q", "text": "Who invented it?", "history": KITES[:1], "gold_rewrite": "Who invented the kite?"}
    write(folder / "queries.jsonl", [history, {"_id": "unjudged", "text": "Where does tea grow?"}])
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tk\t1\n")
    return tmp_path


def run(name, data):
    """The last line, and all that was printed."""
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stdout


def test_follow_ups_are_measured_for_each_set_and_judge(data):
    found, table = run("followups", data)
    assert found["benchmark"] == "followups"
    systems = ["turnkeep", "turnkeep, where sure", "seed's phrases", "every later message"]
    assert [(row["set"], row["system"]) for row in found["rows"]] == [
        (name, system) for name in (*conversations.SETS, "all") for system in systems
    ]
    every = found["rows"][3]
    assert (every["messages"], every["recall"], every["precision"]) == (5, 1.0, 0.6667)
    assert (every["negatives"], every["later_negatives"], every["f1"]) == (0.6667, 0.0, 0.8)
    assert table.splitlines()[0].split()[:3] == ["set", "system", "messages"]


def test_the_seed_finds_its_phrases_within_words_too():
    by_phrases = {row.system: row for row in followups.measure("set", said())}["seed's phrases"]
    assert (by_phrases.recall, by_phrases.precision) == (0.5, 1.0)
    within = conversations.Said("Who visits Rome?", ("Hello",), False, "")
    assert next(row for row in followups.measure("set", [within]) if row.system == "seed's phrases").negatives == 0.0


def said():
    return [
        conversations.Said(row["utterance"], tuple(row["history"]), row["context_dependent"], row["gold_rewrite"])
        for row in rows()
    ]


def test_a_change_of_subject_is_the_opening_of_another_conversation():
    assert [(one.message, one.history, one.is_follow_up) for one in conversations.shifts(said())] == [
        ("What is a kite?", ("Where does tea grow?",), False),
        ("Where does tea grow?", ("What is a kite?", "Who invented it?"), False),
    ]


def test_chats_bring_their_replies(tmp_path):
    messages = [("user", "What is a kite?"), ("assistant", "A toy."), ("user", "Who invented it?")]
    chat = {"messages": [{"role": role, "content": text} for role, text in messages], "multi_turn": "Follow-up"}
    write(tmp_path / "tasks.jsonl", [chat, {**chat, "multi_turn": "N/A"}])
    [found] = conversations.load_chats(tmp_path)
    assert (found.message, found.history, found.replies) == ("Who invented it?", ("What is a kite?",), ("A toy.",))
    assert conversations.load_chats(tmp_path / "nowhere") == []
    assert [row.recall for row in followups.measure_replies([found])] == [1.0, 1.0]


def test_search_is_measured_for_each_retriever_and_query_text(data):
    found, _ = run("reformulation", data)
    ours = [row for row in found["search"] if row["retriever"] == "turnkeep"]
    assert [row["query"] for row in ours] == [*reformulation.REFORMULATIONS, "people's rewrite"]
    assert {(row["queries"], row["recall_at_10"]) for row in ours} == {(1, 1.0)}
    assert [(row["set"], row["messages"]) for row in found["words"]] == [
        (name, 2) for name in conversations.SETS for _ in reformulation.REFORMULATIONS
    ]


def test_shared_words_count_once_and_stop_words_never():
    assert reformulation.word_f1("Kites, kites and the kites!", "a kite") == 1.0
    assert reformulation.word_f1("the kite string", "a kite") == pytest.approx(2 / 3)
    assert reformulation.word_f1("kite", "tea") == 0.0


def test_weights_are_fitted_and_tested_on_the_other_set(data):
    found, _ = run("fit_followups", data)
    assert found["benchmark"] == "fit_followups"
    assert {"cast_followup, other folds", "cast_followup, itself", "mtrag_followup"} == found["later_messages"].keys()


def test_a_fitted_weight_never_crosses_zero():
    defines, known = "it asks what something is", "it speaks of one thing as known"
    seen = [fit_followups.Seen((defines,), True, "a"), fit_followups.Seen((known,), True, "b")]
    weights = fit_followups.fit([*seen, fit_followups.Seen((), False, "c")] * 20)
    assert weights[defines] == 0.0
    assert weights[known] > 1.0


@pytest.mark.parametrize("name", ["followups", "reformulation", "fit_followups"])
def test_a_folder_without_data_is_said(name, tmp_path):
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--data" in done.stderr
