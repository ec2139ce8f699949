from datetime import date

import pytest

from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Figure, Part, Period
from turnkeep_agents.database.writing.telling import sentences
from turnkeep.databases.results import Result

FAILED = Condition(Field("inspection", "status"), "is", ("failed",))
SCORE, BEGIN = Field("inspection", "score"), Field("visit", "endedOn", since="startedOn")
MAY = Period(Field("visit", "startedOn"), date(2026, 5, 1), date(2026, 5, 31), "May")
JUNE = Period(Field("visit", "startedOn"), date(2026, 6, 1), date(2026, 6, 30), "June")
SHARE = Asked("inspection", "share", parts=(Part("part", (FAILED,)),))
MONTHS = Asked("visit", "count", parts=(Part("May", period=MAY), Part("June", period=JUNE)))


@pytest.mark.parametrize(
    ("asked", "result", "said"),
    [
        (
            SHARE,
            Result(("part", "inspections", "percent"), ((47, 404, 11.633),)),
            "11.63 percent of inspections are failed inspections: 47 of 404.",
        ),
        (
            SHARE,
            Result(("part", "inspections", "percent"), ((None, 0, None),)),
            "There are no inspections to take a share of.",
        ),
        (
            MONTHS,
            Result(("may", "june", "difference"), ((12, 7, 5),)),
            "Visits: may 12, june 7 and difference 5.",
        ),
        (
            Asked("inspection", "average", of=SCORE, also=(Figure("maximum", SCORE),)),
            Result(("average_score", "highest_score"), ((87.5, 100),)),
            "Inspections: average score 87.5 and highest score 100.",
        ),
        (
            Asked("crew", "average", tallies=(Absence("visit", False, period=MAY),)),
            Result(("average_visits",), ((2.5,),)),
            "The average number of visits, started from 1 May 2026 to 31 May 2026 per crew, those with none counted"
            " too, is 2.5.",
        ),
        (
            Asked("visit", "count", grain="month", over="average"),
            Result(("average_visits",), ((9.5,),)),
            "The average number of visits per month, months without any left out, is 9.5.",
        ),
        (
            Asked("visit", "average", of=BEGIN),
            Result(("average_days",), ((3.25,),)),
            "The average days from started on to ended on of visits is 3.25.",
        ),
        (
            Asked("crew", absences=(Absence("visit", False, test="over", times=(500,), of=Field("visit", "cost")),)),
            Result(("name",), (("North",),)),
            "There is 1 crew with a cost of visits over 500.",
        ),
    ],
)
def test_several_figures_are_told_in_one_sentence(asked: Asked, result: Result, said: str) -> None:
    assert sentences(asked, result, "") == [said]


def test_groups_of_several_figures_are_told_by_their_columns() -> None:
    by_crew = (Field("crew", "name"),)
    result = Result(("crew", "part", "inspections", "percent"), (("North", 1, 4, 25.0), ("South", 0, 3, 0.0)))
    [said] = sentences(Asked("inspection", "share", parts=SHARE.parts, groups=by_crew), result, "")
    assert said == "Share of failed inspections among inspections, in percent, by crew."

    result = Result(("crew", "may", "june", "difference"), (("North", 1, 4, -3), ("South", 0, 3, -3)))
    [said] = sentences(Asked("visit", "count", parts=MONTHS.parts, groups=by_crew), result, "")
    assert said == "May, june and difference, of visits, by crew."
