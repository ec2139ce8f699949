"""Pages of long rows: whatever fits, every row is reached, and what was cut is told."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from query_talk import PlayedDatabase, Talk, talk_to
from scripted_model import ScriptedModel

from turnkeep.agents import build_agent
from turnkeep_agents.database.prompts import Statement, TableChoice
from turnkeep.blocks.understanding import Reading
from turnkeep.databases.results import Result
from turnkeep.models.chat import Models
from turnkeep.records import RunContext
from turnkeep.settings import Settings
from turnkeep_agents.database.settings import DatabaseSettings


def letters_of(sizes: list[int], folder: Path) -> Path:
    file = folder / "letters.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE letter (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
        rows = [(f"Letter {number}", "x" * size) for number, size in enumerate(sizes)]
        connection.executemany("INSERT INTO letter (title, body) VALUES (?, ?)", rows)
        connection.commit()
    return file


def talk_about(file: Path, context: RunContext, **tuning: Any) -> Talk:
    settings = Settings(model="demo", database={"url": f"sqlite:///{file}", **tuning})
    return Talk(build_agent("database", settings).graph, context)


async def titles(talk: Talk, message: str) -> list[str]:
    reply = await talk.say(message)
    at = reply.details["columns"].index("title")
    return [row[at] for row in reply.details["rows"]]


async def test_rows_that_no_page_has_room_for_come_with_the_next(tmp_path: Path, context: RunContext) -> None:
    talk = talk_about(letters_of([90_000] * 5, tmp_path), context)

    pages = [await titles(talk, said) for said in ("List letters with title and body", *["next page"] * 3)]

    assert pages == [["Letter 0", "Letter 1"], ["Letter 2", "Letter 3"], ["Letter 4"], []]
    assert [await titles(talk, said) for said in ("page 2", "previous page", "next page")] == [
        pages[1],
        pages[0],
        pages[1],
    ]


@pytest.mark.parametrize("size", [150_000, 900_000])
async def test_a_long_text_is_given_as_far_as_a_page_has_room(size: int, tmp_path: Path, context: RunContext) -> None:
    talk = talk_about(letters_of([10, size, 20], tmp_path), context)

    first = await talk.say("List letters with title and body")
    second = await talk.say("next page")

    rows = [*first.details["rows"], *second.details["rows"]]
    lengths = [max(len(str(cell)) for cell in row) for row in rows]
    assert lengths == [10, min(size, lengths[1]), 20]
    assert lengths[1] > 100_000
    was_cut = "text_cut" in (*first.warnings, *second.warnings)
    assert was_cut is ("too long to be shown whole" in f"{first.text}{second.text}") is (lengths[1] < size)


async def test_a_text_that_is_longer_than_is_ever_read_is_told_with_the_limit(
    tmp_path: Path, context: RunContext
) -> None:
    talk = talk_about(letters_of([10, 1_100_000], tmp_path), context)

    reply = await talk.say("List letters with title and body")

    assert (reply.details["rows"], "sql_refused" in reply.warnings) == ([], True)
    assert "1,000,000" in reply.text


async def test_the_next_page_begins_behind_the_rows_that_were_given(script: ScriptedModel, context: RunContext) -> None:
    one = Result(("firstName",), (("Ann",),), is_cut=True)
    database = PlayedDatabase(plays=[one, one, one])
    talk = talk_to(database, Models(script, script, "openai", "m"), context, DatabaseSettings(max_rows=50))
    script.play(("database.select_tables", TableChoice(tables=["employee"])))
    script.play(("database.write_sql", Statement(sql="SELECT firstName FROM employee")), ("database.answer", "These."))
    replies = [await talk.say("List all employees")]

    for said in ("next page", "next page"):
        script.play(("understand.read", Reading(depends_on_history=True, standalone_query=said)))
        script.play(("database.answer", "More."))
        replies.append(await talk.say(said))

    assert ["OFFSET" in sql and sql.rpartition("OFFSET ")[2] for sql in database.ran] == [False, "1", "2"]
    assert [reply.details["page"]["offset"] for reply in replies] == [0, 1, 2]


async def test_what_could_not_be_placed_is_told_once(context: RunContext) -> None:
    talk = Talk(build_agent("database", Settings(model="demo", database={"max_rows": 5})).graph, context)

    await talk.say("List the bilingual work orders")
    first = await talk.say("leave it out")
    second = await talk.say("next page")

    assert "could not place" in first.text
    assert "could not place" not in second.text
    assert second.details["page"]["number"] == 2
