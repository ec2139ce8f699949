from datetime import date

from facts import Row, either, period, same_limits
from turnkeep_agents.regulations.facts import Fact

TODAY = date(2026, 11, 23)


def test_the_end_of_a_period_is_the_day_after_it_and_that_of_a_range_of_days_the_last_one() -> None:
    assert period({"start": "2016-11-14", "end": "2016-11-21"}, "2016-W46") == "2016-11-14/2016-11-20"
    named = period({"start": "2016-11-04", "end": "2016-11-22"}, "(2016-11-04,2016-11-22,P18D)")
    assert named.split("|") == ["2016-11-04/2016-11-21", "2016-11-04/2016-11-22"]


def test_a_currency_counts_and_so_does_its_unit() -> None:
    row = Row("amount", "amount", "470 pence", "470 pence", TODAY, ("470",), "Pence")
    assert either(row, Fact("470 pence", "amount", "4.70", "GBP"))
    assert not either(row, Fact("470 pence", "amount", "4.70", "EUR"))
    assert not either(row, Fact("470 pence", "amount", "470", "GBP"))


def test_limits_are_compared_with_their_brackets() -> None:
    assert same_limits("[20,30)", "[20,30]")
    assert same_limits("(10,)", "(10,)")
    assert not same_limits("(10,)", "[10,)")
