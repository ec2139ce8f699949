"""Words that nothing in the schema answers to: which of them a question is about, and which it can do without."""

from datetime import date
from pathlib import Path

import pytest
from clinic import clinic

from turnkeep_agents.database import sample
from turnkeep_agents.database.joins.files import load_graph
from turnkeep_agents.database.joins.paths import PathFinder
from turnkeep_agents.database.joins.records import JoinGraph
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.reader import Reader

TODAY = date(2026, 11, 22)
GRAPHS = {"clinic": clinic(), "sample": load_graph(Path(sample.__file__).parent / "joins.json")}


def reader_of(graph: JoinGraph) -> Reader:
    return Reader(graph, PathFinder(graph))


READERS = {name: reader_of(graph) for name, graph in GRAPHS.items()}


def read(name: str, *chain: str) -> Asked:
    asked = READERS[name].read(chain, today=TODAY)
    assert asked is not None
    return asked


@pytest.mark.parametrize(
    ("schema", "question", "missing"),
    [
        ("clinic", "What is the blood pressure of our patients?", ("blood pressure",)),
        ("clinic", "How many bilingual doctors are there?", ("bilingual",)),
        ("clinic", "Which doctors are married?", ("married",)),
        ("clinic", "How many patients drowned last year?", ("drowned",)),
        ("clinic", "patients with a pacemaker", ("pacemaker",)),
        ("clinic", "Average commute of doctors by department", ("commute",)),
        ("clinic", "How many appointments were held by telescope?", ("telescope",)),
        ("clinic", "patients by zodiac sign", ("zodiac sign",)),
        ("clinic", "How many left-handed doctors do we have?", ("left-handed",)),
        ("clinic", "What percentage of patients are vegan?", ("vegan",)),
        ("clinic", "How long does it take to knit a bill?", ("knit",)),
        ("clinic", "Which doctors are grumpy?", ("grumpy",)),
        ("clinic", "Seafaring doctors: how many are there?", ("seafaring",)),
        ("clinic", "Which doctors wear a watch?", ("watch",)),
        ("clinic", "How many seafaring doctors are there?", ("seafaring",)),
        ("clinic", "How many patients are allergic to dust?", ("dust",)),
        ("clinic", "How many patients fainted last year?", ("fainted",)),
        ("sample", "Which vehicles have a tow bar?", ("tow bar",)),
        ("sample", "Which customers have a Pinterest account?", ("Pinterest",)),
        ("sample", "complaints about the smell", ("smell",)),
        ("sample", "List the employees with a driving licence", ("driving",)),
        ("sample", "Which customers complained on Mastodon?", ("Mastodon",)),
        ("sample", "How many employees speak Finnish?", ("Finnish",)),
        ("sample", "total weight of invoices", ("weight",)),
        ("sample", "invoices by colour", ("colour",)),
    ],
)
def test_what_a_question_is_about_and_the_schema_does_not_hold_is_missing(
    schema: str, question: str, missing: tuple[str, ...]
) -> None:
    assert read(schema, question).missing[-len(missing) :] == missing


@pytest.mark.parametrize(
    ("schema", "question"),
    [
        ("clinic", "How many lovely patients are there?"),
        ("clinic", "Roughly how many doctors are presently in surgery?"),
        ("clinic", "For my memo: how many unpaid bills are there, my boss is nagging"),
        ("clinic", "I was wondering how many appointments were missed, thanks a lot"),
        ("clinic", "just out of curiosity, how many drugs are there?"),
        ("clinic", "bills raised last month"),
        ("clinic", "patients lying around in Leeds"),
        ("clinic", "How many grumpy old patients are there?"),
        ("clinic", "Unpaid bills have piled up, how many are there?"),
        ("clinic", "How many unpaid bills have stacked up?"),
        ("clinic", "How many missed appointments are on our conscience, so that I can nag the doctors?"),
        ("clinic", "The minister keeps phoning (no pressure): how many doctors are there?"),
        ("clinic", "How many patients are there, our chairman is impatient"),
        ("clinic", "How many appointments are we bickering over in March?"),
        ("clinic", "Which doctor swallowed the most appointments?"),
        ("clinic", "How many unpaid bills are giving us headaches?"),
        ("sample", "total kilometers driven last month"),
        ("sample", "parts supplied by Hydroparts"),
        ("sample", "how many sites do we serve per region"),
    ],
)
def test_remarks_praise_and_verbs_that_only_link_are_no_gaps(schema: str, question: str) -> None:
    assert read(schema, question).missing == ()


def test_what_an_answer_is_for_narrows_nothing_down_but_what_the_schema_knows_does() -> None:
    for question in ("For Friday's board meeting: how many doctors are there?", "How many doctors, for the pub quiz"):
        assert (read("clinic", question).missing, read("clinic", question).period) == ((), None)
    assert read("sample", "How many vehicles are there for the Leeds office").conditions


def test_a_later_line_may_put_something_in_the_place_of_what_is_missing() -> None:
    asked = read("clinic", "How many vegan patients are there?", "the ones in Leeds")
    assert asked.missing == ()
    assert [one.values for one in asked.conditions] == [("Leeds",)]


def test_a_later_line_may_leave_out_what_is_missing() -> None:
    asked = read("clinic", "How many vegan patients are there?", "leave it out, please")
    assert (asked.missing, asked.unread) == ((), ("vegan",))


def test_what_is_missing_stays_so_where_the_same_is_only_asked_in_another_form() -> None:
    assert read("clinic", "How many vegan patients are there?", "list them").missing == ("vegan",)


def test_a_later_line_may_be_the_one_that_is_not_known() -> None:
    assert read("clinic", "How many patients are there?", "only the vegan ones").missing == ("vegan",)
    assert read("clinic", "How many patients are there?", "by religion").missing == ("religion",)


def test_the_words_of_a_line_that_says_nothing_of_the_schema_can_be_told() -> None:
    assert READERS["clinic"].strange_words("How many unicorns do the doctors own?") == ("unicorns",)
