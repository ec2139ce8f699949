"""What sums come to if they go on as lately, which a model could not work out: straight on, no season is considered."""

from calendar import monthrange
from datetime import date, timedelta

from turnkeep_agents.campaigns.metrics import METRICS, SUMS
from turnkeep_agents.campaigns.requests import Period
from turnkeep_agents.campaigns.specialists.spelling import heading
from turnkeep_agents.campaigns.specialists.study import DEFAULT_DAYS, Study

USUAL = ("cost", "conversions", "revenue")


def say_outlook(study: Study) -> None:
    """At the rate of the newest days: the month and the year that run, and the month after."""
    last = study.warehouse.coverage().last
    recent = study.sums(_days(last - timedelta(days=DEFAULT_DAYS - 1), last))
    month = study.sums(_days(last.replace(day=1), last))
    if not recent or not month:
        return
    left = monthrange(last.year, last.month)[1] - last.day
    after = last + timedelta(days=left + 1)
    rest = (date(last.year, 12, 31) - last).days
    for name in [each for each in study.request.metrics if each in SUMS] or USUAL:
        rate = recent[name] / DEFAULT_DAYS
        spans = {
            f"the {left} days left of {last:%B %Y}": rate * left,
            f"the whole of {last:%B %Y}": month[name] + rate * left,
            f"{after:%B %Y}": rate * monthrange(after.year, after.month)[1],
            f"the {rest} days left of {last.year}": rate * rest,
        }
        unit = METRICS[name].unit
        told = [f"{span} {study.figure(span, name, value, unit)}" for span, value in spans.items()]
        each_day = study.figure("a day", name, rate, unit)
        study.say(f"{heading(name)} at the {each_day} a day of the newest {DEFAULT_DAYS} days: {'; '.join(told)}.")


def _days(start: date, end: date) -> Period:
    return Period(start=start, end=end, label="")
