"""Pages of ten rows, in either direction, or all rows on request."""

from talk import ANSWER, Talk, ask, read, write

from turnkeep_agents.database.results import Result

NAMES = "SELECT name AS crew FROM crew"
LIST = (read(ask("Show the crews", "crew")), write(NAMES), (ANSWER, "These are the crews."))


def crews(first: int, last: int) -> Result:
    return Result(("crew", "visits"), tuple((f"Crew {at}", at) for at in range(first, last)))


def more(rows: str) -> tuple[str, object]:
    return read(ask("more", kind="more_rows", rows=rows))


async def test_pages_follow_without_gaps(talk: Talk) -> None:
    first = await talk.say("show the crews", *LIST, plays=[crews(0, 38)])
    assert first.text.startswith("These are the crews.\n\n| Crew | Visits |")
    assert first.text.endswith("| Crew 9 | 9 |\n\n1\u201310 / 38")
    second = await talk.say("more", more("next"), plays=[crews(10, 38)])
    assert second.text.splitlines()[2] == "| Crew 10 | 10 |"
    assert second.text.endswith("11\u201320 / 38")
    assert "OFFSET 10" in talk.database.ran[1]
    assert second.details["page"] == {"offset": 10, "size": 10, "has_more": True}
    assert (await talk.say("more", more("next"), plays=[crews(20, 38)])).text.endswith("21\u201330 / 38")
    talk.kept["shown"][-1]["start"] = 10
    assert (await talk.say("back", more("previous"), plays=[crews(0, 38)])).text.endswith("1\u201310 / 38")
    everything = await talk.say("all of them", more("all"), plays=[crews(0, 38)])
    assert everything.text.count("| Crew ") == 39
    assert everything.details["page"] == {"offset": 0, "size": 38, "has_more": False}


async def test_a_few_rows_beyond_a_page_are_shown_with_it(talk: Talk) -> None:
    assert (await talk.say("show the crews", *LIST, plays=[crews(0, 12)])).text.count("| Crew ") == 13
    ended = await talk.say("more", more("next"), (ANSWER, "That was all."), plays=[crews(0, 0)])
    assert ended.text == "That was all."
    assert "No further rows." in talk.script.prompt(ANSWER)


async def test_more_rows_need_an_earlier_result(talk: Talk) -> None:
    assert (await talk.say("more", more("next"), ("database.talk", "More of what?"))).text == "More of what?"


async def test_a_thread_remembers_little_of_large_results(talk: Talk) -> None:
    wide = Result(tuple(f"column {at}" for at in range(60)), tuple(("x" * 500,) * 60 for _ in range(20)))
    for _ in range(4):
        await talk.say("show the crews", *LIST, plays=[wide])
    assert len(talk.kept["shown"]) == 2
    assert len(str(talk.kept["shown"])) < 6_500
    assert talk.kept["shown"][-1]["sql"] == NAMES
