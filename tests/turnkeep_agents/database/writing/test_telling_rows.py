import json
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from workshop_questions import questions

from turnkeep_agents.database.reading.asked import EARLIEST, LATEST, Absence, Asked, Condition, Field, Period
from turnkeep_agents.database.writing.telling import known_texts, preview, sentences, table_of, tell
from turnkeep.blocks.figures import foreign_figures
from turnkeep.databases.results import Result

ACTIVE = Condition(Field("employee", "isActive"), "is", (True,))
TECHNICIAN = Condition(Field("employee", "position"), "is", ("technician",))
OPEN = Condition(Field("workOrder", "status"), "is", ("open", "in_progress"))
MAY = Period(Field("workOrder", "dueDate"), date(2026, 5, 1), date(2026, 5, 31), "last month")
CREW, TOTAL = Field("crew", "name"), Field("invoice", "total")


def first(asked: Asked | None, result: Result, **more: Any) -> str:
    return sentences(asked, result, "", **more)[0]


def count(number: int, name: str = "employees") -> Result:
    return Result((name,), ((number,),))


def names(number: int, *, is_cut: bool = False) -> Result:
    return Result(("name",), tuple((f"Name {at}",) for at in range(number)), is_cut)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (47, "There are 47 active technicians."),
        (1, "There is 1 active technician."),
        (12345, "There are 12,345 active technicians."),
        (0, "There are no active technicians."),
    ],
)
def test_a_count_is_one_sentence_in_the_right_number(number: int, said: str) -> None:
    assert first(Asked("employee", "count", conditions=(ACTIVE, TECHNICIAN)), count(number)) == said


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("isUrgent", True, "urgent work orders"),
        ("isUrgent", False, "not urgent work orders"),
        ("hasWarranty", True, "work orders with warranty"),
        ("hasWarranty", False, "work orders without warranty"),
    ],
)
def test_what_is_or_has_something_is_told_so(column: str, value: bool, said: str) -> None:
    condition = Condition(Field("workOrder", column), "is", (value,))
    told = first(Asked("workOrder", "count", conditions=(condition,)), count(2, "work_orders"))
    assert told == f"There are 2 {said}."


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (Condition(TOTAL, "over", (1500,)), "with total over 1,500"),
        (Condition(TOTAL, "between", (1, 2.5)), "with total between 1 and 2.5"),
        (Condition(TOTAL, "is_missing"), "without total"),
        (Condition(TOTAL, "is_there"), "with total"),
        (Condition(Field("invoice", "issuedOn"), "is_there"), "issued"),
        (Condition(Field("invoice", "issuedOn"), "is_missing"), "not issued"),
        (Condition(TOTAL, "under", (Field("invoice", "paid"),)), "with total under their paid"),
        (Condition(Field("invoice", "issuedOn"), "over", ("2026-05-04",)), "issued after 4 May 2026"),
        (Condition(Field("invoice", "expiresOn"), "over", ("2026-05-04",)), "expiring after 4 May 2026"),
        (Condition(Field("invoice", "payDate"), "at_most", ("2026-05-04",)), "with pay date up to 4 May 2026"),
        (Condition(Field("invoice", "note"), "contains", ("rent",)), "with note containing “rent”"),
        (Condition(Field("invoice", "note"), "is_not", ("a", "b")), "with note other than “a” or “b”"),
        (Condition(Field("customer", "name"), "is", ("Acme",)), "with customer “Acme”"),
        (Condition(Field("employee", "lastName", "approvedBy"), "is", ("Lee",)), "with approved by “Lee”"),
    ],
)
def test_a_condition_is_told_in_words(condition: Condition, said: str) -> None:
    told = first(Asked("invoice", "count", conditions=(condition,)), count(2, "invoices"))
    assert told == f"There are 2 invoices {said}."


def test_a_single_figure_has_no_table() -> None:
    assert tell(Asked("employee", "count"), count(3), "") == "There are 3 employees."


def test_a_single_row_that_was_asked_for_is_shown() -> None:
    assert tell(Asked("customer"), Result(("name",), (("Ann",),)), "") == (
        "There is 1 customer.\n\n| Name |\n| --- |\n| Ann |"
    )


def test_a_period_is_told_with_its_dates() -> None:
    said = first(Asked("workOrder", "count", conditions=(OPEN,), period=MAY), count(2, "work_orders"))
    assert said == "There are 2 open or in progress work orders, due from 1 May 2026 to 31 May 2026 (last month)."


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (EARLIEST, date(2026, 5, 1), "up to 1 May 2026"),
        (date(2026, 5, 1), LATEST, "from 1 May 2026"),
        (date(2026, 5, 1), date(2026, 5, 1), "on 1 May 2026"),
    ],
)
def test_a_period_that_is_open_or_a_day_is_told_so(start: date, end: date, said: str) -> None:
    period = Period(Field("invoice", "issuedOn"), start, end, "")
    assert (
        first(Asked("invoice", "count", period=period), count(2, "invoices")) == f"There are 2 invoices, issued {said}."
    )


def test_a_sum_of_money_has_cents_and_thousands() -> None:
    paid = Condition(Field("invoice", "status"), "is", ("paid",))
    asked = Asked("invoice", "sum", of=TOTAL, conditions=(paid,))
    assert first(asked, Result(("total",), ((18430.5,),))) == "The total of paid invoices is 18,430.50."


def test_different_values_are_told_as_such() -> None:
    asked = Asked("employee", "count", of=Field("employee", "city"), is_distinct=True)
    assert first(asked, count(5, "cities")) == "There are 5 different cities among employees."
    assert first(asked, count(1, "cities")) == "There is 1 different city among employees."


def test_groups_are_told_with_the_one_that_has_the_most() -> None:
    result = Result(("crew", "employees"), (("North", 12), ("South", 3), (None, 1)))
    asked = Asked("employee", "count", conditions=(ACTIVE,), groups=(CREW,))
    assert first(asked, result) == "Active employees, by crew. North has the most: 12."
    assert table_of(result, asked).splitlines()[-1] == "| none | 1 |"


def test_groups_that_share_the_first_place_are_not_ranked() -> None:
    result = Result(("crew", "employees"), (("North", 12), ("South", 12)))
    assert first(Asked("employee", "count", groups=(CREW,)), result) == "Employees, by crew."


def test_the_least_is_told_where_it_was_asked_for() -> None:
    result = Result(("crew", "employees"), (("South", 3), ("North", 12)))
    asked = Asked("employee", "count", groups=(CREW,), order="ascending")
    assert first(asked, result) == "Employees, by crew. South has the fewest: 3."


def test_months_and_averages_are_told_in_words() -> None:
    asked = Asked("workOrder", "average", of=Field("workOrder", "estimatedHours"), grain="month")
    result = Result(("month", "average_estimated_hours"), (("2026-04", 12.3333), ("2026-05", 30)))
    assert first(asked, result) == "Average estimated hours of work orders, by month. May 2026 has the highest: 30."
    assert "| April 2026 | 12.33 |" in table_of(result)


def test_rows_are_counted_where_they_are_rows_of_the_subject() -> None:
    assert first(Asked("customer"), names(12)) == "There are 12 customers."
    beside = Asked("customer", shown=(Field("customer", "name"), Field("workOrder", "number")))
    numbers = [("Acme", "A-1"), ("Acme", "A-2"), ("Zeta", "A-3")]
    columns = ("name", "work_order_number")
    assert first(beside, Result(columns, tuple(numbers))) == "There are 3 rows for customers."
    assert first(beside, Result(columns, tuple(numbers[1:]))) == "There are 2 customers."


def test_groups_that_were_left_out_are_told() -> None:
    over = Condition(Field("employee", "id"), "over", (5,))
    result = Result(("crew", "employees"), (("North", 12), ("South", 7)))
    said = first(Asked("employee", "count", groups=(CREW,), keep=over), result)
    assert said == "Employees, by crew, over 5 only. North has the most: 12."


def test_the_first_few_are_told_by_what_they_are_sorted() -> None:
    largest = Asked("invoice", order="descending", order_by=TOTAL, limit=3)
    assert first(largest, names(3)) == "These are the 3 invoices with the highest total."
    assert first(largest, names(2)) == "There are 2 invoices."
    newest = Asked("invoice", order="descending", order_by=Field("invoice", "issuedOn"), limit=1)
    assert first(newest, names(1)) == "This is the latest invoice, by issued on."


def test_at_most_ten_rows_are_shown_and_the_others_counted() -> None:
    told = tell(Asked("customer"), names(43), "")
    assert told.count("| Name ") == 11
    assert told.endswith("and 33 more rows")
    assert table_of(names(11)).endswith("and 1 more row")
    assert "more" not in table_of(names(10))


def test_a_cut_result_says_that_there_is_more() -> None:
    said = first(Asked("customer"), names(100, is_cut=True))
    assert said == "These are the first 100 customers; there are more, so ask for the next page."


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (names(100, is_cut=True), "these are the next 100 customers; there are more, so ask for the next page."),
        (names(7), "these are the next 7 customers, and the last."),
        (names(0), "there are no more rows."),
    ],
)
def test_further_pages_are_told_as_such(result: Result, said: str) -> None:
    assert first(Asked("customer"), result, page=1).lower() == said


def test_nothing_is_told_with_all_filters_and_what_may_be_relaxed() -> None:
    crew = Condition(CREW, "is", ("North",))
    asked = Asked("workOrder", conditions=(OPEN, crew), period=MAY, absences=(Absence("invoice"),))
    assert sentences(asked, names(0), "") == [
        "There are no open or in progress work orders with crew “North” and without invoices, "
        "due from 1 May 2026 to 31 May 2026 (last month).",
        "You could leave out “open or in progress” or crew “North”, "
        "or ask for another period than from 1 May 2026 to 31 May 2026 (last month).",
    ]


def test_a_sum_over_nothing_is_no_zero() -> None:
    asked = Asked("invoice", "sum", of=TOTAL)
    assert first(asked, Result(("total",), ((None,),))) == "There are no invoices."


def test_words_that_could_not_be_placed_are_told() -> None:
    said = sentences(Asked("customer", unread=("purple", "*big*")), names(2), "")
    assert said[-1] == "I could not place “purple” and “\\*big\\*”, so the answer does without."


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (Result(("total_amount",), ((5.25,),)), "total amount: 5.25."),
        (names(0), "the query found no rows. another value or a longer period may find some."),
        (names(1), "name: name 0."),
        (names(2), "the query found 2 rows."),
        (names(100, is_cut=True), "these are the first 100 rows; there are more, so ask for the next page."),
    ],
)
def test_without_a_reading_columns_and_rows_speak_for_themselves(result: Result, said: str) -> None:
    assert first(None, result).lower() == said


def test_a_result_of_another_shape_than_was_asked_for_is_told_by_itself() -> None:
    assert first(Asked("customer", "count"), names(2)).endswith("found 2 rows.")
    assert first(Asked("customer", "count", groups=(CREW,)), count(2)) == "Employees: 2."


def test_cells_are_written_as_people_read_them() -> None:
    columns = ("number", "is_paid", "has_tax", "issued_on", "sent_at", "hours", "customer_id", "note", "week")
    rows = ((1001, 1, True, "2026-05-04", "2026-05-04T08:30:00", 1234.5, 12345, None, "2026-05-04"),) * 2
    lines = table_of(Result(columns, rows)).splitlines()
    assert lines[0] == "| Number | Paid | Tax | Issued on | Sent at | Hours | Customer id | Note | Week |"
    assert lines[2] == (
        "| 1001 | yes | yes | 4 May 2026 | 4 May 2026, 08:30 | 1,234.5 | 12345 |  | week of 4 May 2026 |"
    )


def test_amounts_of_one_column_have_cents_if_one_of_them_has() -> None:
    lines = table_of(Result(("total", "price"), ((630, 5), (196.8, 7)))).splitlines()
    assert lines[2:] == ["| 630.00 | 5 |", "| 196.80 | 7 |"]


def test_columns_of_numbers_stand_on_the_right() -> None:
    assert table_of(Result(("name", "total"), (("a", 1), ("b", None)))).splitlines()[1] == "| --- | ---: |"


def test_a_long_cell_is_cut() -> None:
    line = table_of(Result(("note", "n"), (("x" * 500, 1),))).splitlines()[-1]
    assert line == f"| {'x' * 79}… | 1 |"


HOSTILE = [
    "[click](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "https://evil.example",
    "HTTP://evil.example and www.evil.example",
    "<https://evil.example>",
    "[ref]: https://evil.example",
    "a | b | c",
    "`code`",
    "**bold** _em_ ~~gone~~",
    "line one\n\n# Heading\n- item",
    "&lt;b&gt; &#91;x](y)",
    "\\[x](y)",
    "\u202egnp.exe\u200b",
]
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ADDRESS = re.compile(r"(?<!\\)://|www\.", re.IGNORECASE)
"""By what GitHub's Markdown finds an address that is no link."""
TABLE = ("table", "thead", "tbody", "tr", "th", "td", "paragraph")
PLAIN = {"root", "inline", "text", "text_special", *(f"{part}_{side}" for part in TABLE for side in ("open", "close"))}


def shown_by(markdown: str) -> tuple[set[str], list[str]]:
    """The kinds of tokens, and the text of each cell."""
    assert not ADDRESS.search(markdown)
    kinds, cells = set(), []
    for token in RENDERER.parse(markdown):
        kinds |= {token.type, *(child.type for child in token.children or ())}
        if token.type == "inline":
            cells.append("".join(child.content for child in token.children or ()))
    return kinds, cells


@pytest.mark.parametrize("text", HOSTILE)
def test_a_cell_is_text_whatever_stands_in_it(text: str) -> None:
    kinds, cells = shown_by(table_of(Result(("a", "b"), ((text, "end"),))))
    assert kinds <= PLAIN
    assert cells[:2] == ["A", "B"]
    assert len(cells) == 4
    assert cells[3] == "end"
    assert cells[2] == " ".join(re.sub("[\u202e\u200b]", "", text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_value_in_a_sentence_is_text_too(text: str) -> None:
    crew = (Condition(CREW, "is", (text,)),)
    asked = Asked("workOrder", "count", groups=(Field("customer", "name"),), conditions=crew)
    said = first(asked, Result(("customer", "work_orders"), ((text, 5), ("b", 2))))
    assert shown_by(said)[0] <= PLAIN
    nothing = " ".join(sentences(Asked("workOrder", conditions=crew, unread=(text,)), names(0), ""))
    assert shown_by(nothing)[0] <= PLAIN


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("[]()!<>`*_~|\\&:/.wht ps\n#-+1.{}=\"'$@"), max_size=30))
def test_no_text_at_all_makes_anything_but_text_of_a_cell(text: str) -> None:
    kinds, cells = shown_by(table_of(Result(("a", "b"), ((text, "end"),))))
    assert kinds <= PLAIN
    assert cells[2:] == [" ".join(text.split()), "end"] or not text.strip()


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(-1e9, 1e9),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.text(max_size=12),
    st.sampled_from(["2026-05", "2026-Q2", "A-17", "300x250", "3.5 kg"]),
)
COLUMNS = ["name", "total_amount", "is_paid", "month", "week", "quarter", "number", "hours", "work_orders"]


@st.composite
def results(draw: st.DrawFn) -> Result:
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*[CELLS] * len(columns)), max_size=14))
    return Result(tuple(columns), tuple(rows), draw(st.booleans()))


def figures_of(asked: Asked) -> list[str]:
    """The days of its periods and the numbers of its conditions, which the question said in other words."""
    absences = [number for absence in asked.absences for number in absence.times]
    conditions = [*asked.conditions, *([asked.keep] if asked.keep else [])]
    values = [value for condition in conditions for value in condition.values]
    periods = [asked.period.start, asked.period.end] if asked.period else []
    return [str(each) for each in (*absences, *values, *periods)]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.none(), questions()), results(), st.integers(0, 2))
def test_every_number_that_is_told_comes_from_the_rows_or_the_question(
    asked: Asked | None, result: Result, page: int
) -> None:
    question = "; ".join(figures_of(asked)) if asked else ""
    assert foreign_figures(tell(asked, result, question, page=page), known_texts(result, question)) == []


def test_figures_that_are_in_no_row_stay_foreign() -> None:
    known = known_texts(Result(("crew", "employees"), (("North", 12), ("South", 3))), "How many?")
    assert foreign_figures("North has 12, South 3, that is 15 in 2 rows.", known) == ["15"]


def test_a_preview_has_one_row_a_line_and_says_what_it_leaves_out() -> None:
    lines = [json.loads(line) for line in preview(names(25, is_cut=True), 20).splitlines()]
    assert lines[:2] == [{"name": "Name 0"}, {"name": "Name 1"}]
    assert lines[-1] == {"more_rows": 5, "is_cut": True}
    assert len(lines) == 21


def test_a_preview_keeps_columns_of_one_name_apart_and_cuts_long_cells() -> None:
    [row] = map(json.loads, preview(Result(("name", "name"), (("é" * 300, 1),))).splitlines())
    assert row == {"name": "é" * 200 + "…", "name_2": 1}
    assert preview(names(0)) == "no rows"
