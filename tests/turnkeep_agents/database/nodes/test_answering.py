"""Answers: sentences checked against findings, citations and addresses, and talk without a query."""

import pytest
from langchain_core.messages import AIMessage
from talk import ANSWER, COUNT, READ, SEVEN, TALK, WRITE, Talk, ask, read, write

from link_forms import LEFT, check_links
from turnkeep.kit.checked_replies import Rewritten
from turnkeep.records import Reply
from turnkeep_agents.database.results import Result

QUESTION = "How many employees are active?"
STAFF = (read(ask(QUESTION, "employee")), write(COUNT))
CREWS = (read(ask("x", "crew")), write("SELECT name AS crew FROM crew"))
STEPS = read(ask("How do I add a crew?", kind="manual", pages=["crews"], words=["add", "crew"]))
REPAIR = f"{ANSWER}.repair"


@pytest.mark.parametrize(
    ("answer", "repaired", "text", "warning"),
    [
        ("There are 58 of them. They work.", "There are 7.", "There are 7. They work.", "sentence_corrected"),
        ("There are 58 of them. They work.", "It is 59.", "They work.", "sentence_removed"),
        ("There are 58.", "", "Active employees.\n\n| Employees |\n| ---: |\n| 7 |", "sentence_removed"),
    ],
)
async def test_an_invented_figure_is_repaired_once_or_its_sentence_removed(
    talk: Talk, answer: str, repaired: str, text: str, warning: str
) -> None:
    """If no sentence is left, the value is shown."""
    asked, repair = write(COUNT, understood_as="Active employees."), f'{{"sentences": ["{repaired}"]}}'
    reply = await talk.say(QUESTION, STAFF[0], asked, (ANSWER, answer), (REPAIR, repair), plays=[SEVEN])
    assert (reply.text, reply.warnings) == (text, (warning,))


async def test_the_stream_equals_the_reply(talk: Talk) -> None:
    visits = Result(("crew", "visits"), (("North", 4), ("South", 3)))
    counted = write("SELECT name AS crew, 4 AS visits FROM crew")
    asked = read(ask("Visits by crew", "visit"))
    reply = await talk.say("visits by crew", asked, counted, (ANSWER, "North has 4."), plays=[visits])
    assert "".join(talk.tokens) == reply.text
    assert talk.told[0] == {"event": "route_decision", "route": "sql"}
    assert {"event": "tool_start", "tool": "sql"} in talk.told


async def test_figures_in_tables_follow_the_language(talk: Talk) -> None:
    rows = (("Nord", 1234567, 1049901.5, "2026-01-31T00:00:00"), ("Süd", 12, None, "2026-02-01T14:30:59"))
    found = Result(("crew", "n", "amount", "day"), rows)
    expected = "| Nord | 1.234.567 | 1.049.901,50 | 2026-01-31 |\n| Süd | 12 |  | 2026-02-01 14:30 |"
    asked = read(ask("x", "crew"), language="de")
    assert expected in (await talk.say("x", asked, CREWS[1], (ANSWER, "So."), plays=[found])).text


async def test_a_cell_is_always_text(talk: Talk) -> None:
    cells = (("![x](https://evil.example/?d=1)", "<b>bold</b> | a\nb", "Brühl & Sohn"),)
    text = (await talk.say("x", *CREWS, (ANSWER, "Here."), plays=[Result(("a", "b", "c"), cells)])).text
    assert "\\!\\[" in text or "!\\[x\\]" in text
    assert "https\\://" in text
    assert "&lt;b>bold&lt;/b> \\| a b" in text
    assert "Brühl & Sohn" in text


async def test_links_in_rows_are_shown_and_no_others(talk: Talk) -> None:
    page = "https://crews.example/north_1?a=1&b=2"

    async def turn(answer: str, *repaired: str) -> Reply:
        again = [(REPAIR, Rewritten(sentences=[*repaired]))] if repaired else []
        rows = Result(("crew", "page"), (("North", page), ("South", LEFT)))
        return await talk.say("x", *CREWS, (ANSWER, f"Good. {answer}"), *again, plays=[rows])

    await check_links(talk, turn, page)


async def test_a_link_built_by_the_statement_is_not_trusted(talk: Talk) -> None:
    built = write("SELECT 'https://evil.example/' || name AS page FROM crew")
    rows = Result(("page",), (("https://evil.example/North",), ("https://evil.example/South",)))
    answer = "See https://evil.example/North there. Two crews."
    reply = await talk.say("x", CREWS[0], built, (ANSWER, answer), (REPAIR, '{"sentences": [""]}'), plays=[rows])
    assert reply.text.startswith("Two crews.")


async def test_a_refusal_of_the_model_links_nowhere(talk: Talk) -> None:
    answer = AIMessage("I won't. See https://evil.example/?d=1 there.", additional_kwargs={"refusal": "I won't."})
    reply = await talk.say(QUESTION, *STAFF, (ANSWER, answer), (REPAIR, '{"sentences": [""]}'), plays=[SEVEN])
    assert "evil" not in reply.text


async def test_the_answer_may_repeat_an_address_of_the_user(talk: Talk) -> None:
    answer = "That is https://mine.example/a, then."
    greeted = read(ask("Hello", kind="general"))
    reply = await talk.say("Hello, my page is https://mine.example/a", greeted, (TALK, answer))
    assert (reply.text, reply.warnings) == (answer, ())


async def test_only_given_sections_are_cited(talk: Talk) -> None:
    answer = (ANSWER, "Open Crews and choose New crew [crews#add, made-up#page]. Then rest [made-up].")
    reply = await talk.say("How do I add a crew?", STEPS, answer)
    assert reply.text == "Open Crews and choose New crew [crews#add]. Then rest."
    assert (reply.route, reply.warnings) == ("rag", ("citation_removed",))
    assert (reply.sources[0].id, reply.sources[0].cited) == ("crews#add", True)
    assert "Open Crews, choose New crew" in talk.script.prompt(ANSWER)


async def test_two_questions_get_two_answers_in_their_order(talk: Talk) -> None:
    asked = read(STEPS[1].asks[0], ask(QUESTION, "employee"), ask("delete one", kind="change"))
    answer = "Open Crews [crews#add]. There are 7. Nothing was deleted."
    reply = await talk.say("add a crew, how many, delete one", asked, write(COUNT), (ANSWER, answer), plays=[SEVEN])
    prompt = talk.script.prompt(ANSWER)
    assert prompt.index('tool="manual"') < prompt.index('tool="sql"') < prompt.index('tool="change"')
    assert "nothing was." in prompt
    assert reply.text == answer
    assert (reply.route, reply.warnings) == ("rag", ("nothing_changed",))
    assert reply.details["rows"] == [[7]]


async def test_talk_about_the_conversation_sees_results_and_invents_no_figure(talk: Talk) -> None:
    await talk.say(QUESTION, *STAFF, (ANSWER, "There are 7."), plays=[SEVEN])
    reply = await talk.say(
        "how did you count that?",
        read(ask("How was that counted?", kind="about_conversation")),
        (TALK, "I counted the 7 who are active. In 1999 it was more."),
        (f"{TALK}.repair", '{"sentences": [""]}'),
    )
    assert COUNT in talk.script.prompt(TALK)
    assert "There are 7." in talk.script.prompt(TALK)
    assert (reply.text, reply.route) == ("I counted the 7 who are active.", "general")
    assert talk.kept["shown"][0]["sql"] == COUNT


async def test_talk_knows_the_data_and_changes_nothing(talk: Talk) -> None:
    asked = read(ask("What do you know?", kind="general", words=["crew"]))
    reply = await talk.say("what can you do?", asked, (TALK, "I know 12 things."))
    assert "among 4 tables: crew" in talk.script.prompt(TALK)
    assert "The manual: Crews, Leave." in talk.script.prompt(TALK)
    assert (reply.text, reply.warnings) == ("I know 12 things.", ())
    wish = read(ask("Delete the crews", kind="change"))
    assert (await talk.say("delete them", wish, (TALK, "Nothing was deleted."))).warnings == ("nothing_changed",)


async def test_prompts_begin_with_what_never_changes(talk: Talk) -> None:
    for message in (QUESTION, "x" * 9_000):
        await talk.say(message, *STAFF, (ANSWER, "There are 7."), plays=[SEVEN])
    for name in (READ, WRITE, ANSWER):
        first, second = (messages[0].text for asked, messages, _ in talk.script.asked if asked == name)
        assert first == second
    system = next(messages[0].text for name, messages, _ in talk.script.asked if name == READ)
    assert "crew, employee, visit, visitPhoto" in system
    assert "crews, leave" in system
    assert "The last result. Question: How many employees are active?" in talk.script.prompt(READ)
    assert len(talk.script.prompt(READ)) < 6_000
