"""Ten rows are shown and the next ten can be had, in either direction; all at once where they are asked for."""

from collections.abc import Callable

from talk import ANSWER, PlayedDatabase, Talk, ask, read, write

from scripted_model import ScriptedModel
from turnkeep.databases.results import Result

type Start = Callable[..., Talk]

LIST = read(ask("Show the crews", "crew"))
NAMES = "SELECT name AS crew FROM crew"


def crews(first: int, last: int, *, is_cut: bool = False) -> Result:
    return Result(("crew", "visits"), tuple((f"Crew {at}", at) for at in range(first, last)), is_cut)


def more(rows: str) -> tuple[str, object]:
    return read(ask("more", kind="more_rows", rows=rows))


async def test_pages_follow_without_a_gap(start: Start, script: ScriptedModel, database: PlayedDatabase) -> None:
    database.plays = [crews(0, 38), crews(10, 38), crews(20, 38), crews(0, 38), crews(0, 38)]
    talk = start()
    script.play(LIST, write(NAMES), (ANSWER, "These are the crews."))
    first = await talk.say("show the crews")
    assert first.text.startswith("These are the crews.\n\n| Crew | Visits |")
    assert first.text.endswith("| Crew 9 | 9 |\n\n1\u201310 / 38")
    script.play(more("next"))
    second = await talk.say("more")
    assert second.text.splitlines()[2] == "| Crew 10 | 10 |"
    assert second.text.endswith("11\u201320 / 38")
    assert "OFFSET 10" in database.ran[1]
    assert second.details["page"] == {"offset": 10, "size": 10, "has_more": True}
    script.play(more("next"))
    assert (await talk.say("more")).text.endswith("21\u201330 / 38")
    script.play(more("previous"))
    talk.kept["shown"][-1]["start"] = 10
    assert (await talk.say("back")).text.endswith("1\u201310 / 38")
    script.play(more("all"))
    everything = await talk.say("all of them")
    assert everything.text.count("| Crew ") == 39
    assert everything.details["page"] == {"offset": 0, "size": 38, "has_more": False}


async def test_a_few_rows_beyond_a_page_are_shown_with_it(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [crews(0, 12)]
    script.play(LIST, write(NAMES), (ANSWER, "These are the crews."))
    assert (await start().say("show the crews")).text.count("| Crew ") == 13


async def test_beyond_the_last_row_the_model_says_so(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [crews(0, 3), crews(0, 0)]
    talk = start()
    script.play(LIST, write(NAMES), (ANSWER, "These are the crews."))
    await talk.say("show the crews")
    script.play(more("next"), (ANSWER, "That was all."))
    assert (await talk.say("more")).text == "That was all."
    assert "No further rows." in script.prompt(ANSWER)


async def test_without_a_result_there_is_nothing_more_of_it(start: Start, script: ScriptedModel) -> None:
    script.play(more("next"), ("database.talk", "More of what?"))
    assert (await start().say("more")).text == "More of what?"


async def test_a_thread_remembers_little_however_large_its_results_are(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    wide = Result(tuple(f"column {at}" for at in range(60)), tuple(("x" * 500,) * 60 for _ in range(20)))
    talk = start()
    for _ in range(4):
        database.plays = [wide]
        script.play(LIST, write(NAMES), (ANSWER, "Here."))
        await talk.say("show the crews")
    assert len(talk.kept["shown"]) == 2
    assert len(str(talk.kept["shown"])) < 6_500
    assert talk.kept["shown"][-1]["sql"] == NAMES
