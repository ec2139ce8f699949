"""The blind questions: well formed, each with something that is right, and a program that measures them."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import blind_questions
import judged_rows
from turnkeep_agents.database import manual
from turnkeep.records import Reply, Source

SIXTY, LATER = (blind_questions.read_questions(name) for name in blind_questions.SETS)
QUESTIONS = [*SIXTY, *LATER]
BY_SQL = [row for row in QUESTIONS if row["group"] in {"needs", "follow_ups"}]
SQL = [(row["id"], right) for row in QUESTIONS for right in row["right"] if "sql" in right]
GROUPS = (
    {"needs": 30, "follow_ups": 20, "manual": 4, "talk": 2, "nothing": 2, "ambiguous": 2},
    {"needs": 30, "follow_ups": 15, "nothing": 25, "near": 10},
)
PAGES = Path(manual.__file__).parent / "pages"


def reply(rows=(), *, sql="", has_more=False, **known):
    details = {"rows": [list(row) for row in rows], "sql": sql, "tables": [], "page": {"has_more": has_more}}
    return Reply(known.pop("text", ""), details=details, **known)


def faults(answer, right):
    return list(blind_questions.faults_of(answer, right))


@pytest.mark.parametrize(
    ("rows", "groups", "name"), list(zip((SIXTY, LATER), GROUPS, blind_questions.SETS, strict=True))
)
def test_questions_stand_in_groups_with_ids_of_their_own(rows, groups, name):
    assert len({row["id"] for row in rows}) == len(rows) == sum(groups.values())
    assert Counter(row["group"] for row in rows) == groups
    assert tuple(groups) == blind_questions.SETS[name]


def test_nothing_is_asked_twice():
    assert len({tuple(row["chain"]) for row in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["id"])
def test_a_question_is_well_formed(row):
    assert {"id", "group", "chain", "right"} <= row.keys() <= {"id", "group", "asker", "chain", "right", "note"}
    assert all(message.strip() for message in row["chain"])
    assert len(row["chain"]) in ((2, 3) if row["group"] == "follow_ups" else (1, 2))
    for right in row["right"]:
        assert right.keys() & blind_questions.JUDGES.keys()
        assert right.keys() <= {*blind_questions.JUDGES, "columns", "order", "distinct", "decimals"}
        assert faults(reply(route="none"), right)
        assert all((PAGES / f"{page}.md").is_file() for page in right.get("pages", ()))
    assert "note" in row or len(row["right"]) == 1


@pytest.mark.parametrize("right", [pytest.param(right, id=f"{id_}-{at}") for at, (id_, right) in enumerate(SQL)])
def test_sql_by_hand_runs_and_only_its_own_rows_are_right(right):
    names, rows = blind_questions.by_hand(right["sql"])
    assert {name for columns in right["columns"] for name in columns} <= set(names)
    text = right.get("says", "")
    assert faults(reply(rows, text=text), right) == []
    assert faults(reply(rows, has_more=True, text=text), right)
    assert faults(reply([[f"not {cell}" for cell in row] for row in rows], text=text), right)
    if right.get("order") is True:
        assert len(rows) == 1 or faults(reply(rows[::-1], text=text), right)
    elif "order" in right:
        ranks = [row[names.index(right["order"])] for row in rows]
        assert ranks in (sorted(ranks), sorted(ranks, reverse=True))
        assert faults(reply(rows[::-1], text=text), right)


def test_nearly_all_questions_of_the_data_have_rows():
    with_rows = [row for row in BY_SQL if all(blind_questions.by_hand(right["sql"])[1] for right in row["right"])]
    assert len(BY_SQL) == 95
    assert len(with_rows) >= 90


def test_rows_agree_by_any_columns_and_in_any_order_of_ties():
    rows = [("Heron", 4), ("Tern", 2), ("Swift", 2)]

    def agree(found, **right):
        return judged_rows.agree(found, ["name", "jobs"], rows, {"columns": [["name", "jobs"]], **right})

    assert agree([["x", 2.0000001, "Swift"], ["y", 4, "heron"], ["z", 2, "Tern"]])
    assert not agree([["x", 2.00001, "Swift"], ["y", 4, "Heron"], ["z", 2, "Tern"]])
    assert not agree([["Heron", 4], ["Tern", 2]])
    assert not agree([["Heron", 2], ["Tern", 4], ["Swift", 2]])
    assert agree([["Heron", "4.00"], ["Swift", 2], ["Tern", 2]], order="jobs")
    assert not agree([["Swift", 2], ["Heron", 4], ["Tern", 2]], order="jobs")
    assert not agree([*rows, ("Tern", 2)])
    assert agree([*rows, ("Tern", 2)], distinct=True)
    assert agree([["Tern"], ["Heron"], ["Swift"]], columns=[["jobs"], ["name"]])


def test_a_moment_is_read_in_either_spelling():
    assert judged_rows.plain("2026-03-05T00:00:00") == judged_rows.plain("2026-03-05")
    assert judged_rows.plain("2026-03-05T14:00:00") != judged_rows.plain("2026-03-05")


def test_a_page_has_to_be_cited_and_not_only_found():
    right = {"route": "rag", "pages": ["crews"]}
    cited = Source("crews#create-a-crew", "Crews", cited=True)
    assert faults(reply(route="rag", sources=(cited,)), right) == []
    assert faults(reply(route="rag", sources=(Source("crews#create-a-crew", "Crews"),)), right) == ["cites nothing"]
    assert faults(reply(route="sql", sources=(cited,)), right) == ["route sql"]


def test_what_is_unknown_is_said_without_rows_and_without_a_statement():
    right = {"no_rows": True, "is_honest": True}
    assert faults(reply(text="The data has nothing on this."), right) == []
    assert faults(reply(text="It isn't there."), right) == []
    assert faults(reply(text="All is well."), right)
    assert faults(reply(text="That is not there.", sql="SELECT 1"), right)
    assert faults(reply([[1]], text="Not much."), right)


def test_of_two_links_the_one_that_was_taken_is_named():
    row = next(row for row in QUESTIONS if row["group"] == "ambiguous")
    asks_back, taken = row["right"][:2]
    _, rows = blind_questions.by_hand(taken["sql"])
    assert faults(reply(route="clarify"), asks_back) == []
    assert faults(reply(rows, route="sql"), asks_back)
    assert faults(reply(rows, text="These were requested by them."), taken) == []
    assert faults(reply(rows, text="These are theirs."), taken)


def test_the_program_tells_the_shares_on_its_last_line():
    program = [sys.executable, blind_questions.__file__, "--only", "n01", "f01", "x1"]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    last = json.loads(done.stdout.splitlines()[-1])
    assert {row["group"]: row["questions"] for row in last["rows"]} == {
        **dict.fromkeys(GROUPS[0], 0),
        "needs": 1,
        "follow_ups": 1,
        "nothing": 1,
        "all": 3,
    }
    assert last["rows"][-1]["right"] == 3 - len(last["wrong"])
