"""`performance_diagnosis`: results, shares in a change, issues, and a linear projection without seasons."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta

from turnkeep_agents.campaigns.metrics import METRICS, SUMS, Sums
from turnkeep_agents.campaigns.requests import Period
from turnkeep_agents.campaigns.specialists.answers import answer
from turnkeep_agents.campaigns.specialists.declines import Order, propose_declines
from turnkeep_agents.campaigns.specialists.formatting import Style, heading, number_word
from turnkeep_agents.campaigns.specialists.grids import markdown
from turnkeep_agents.campaigns.specialists.peers import BASES, added, success
from turnkeep_agents.campaigns.specialists.study import DEFAULT_DAYS, Study

MOST_ORDERS = 5


def diagnose_performance(study: Study) -> None:
    now = {row.key[0]: row.sums for row in study.rows(("insertion_order",), study.period)}
    before = {row.key[0]: row.sums for row in study.rows(("insertion_order",), study.before)} if study.before else {}
    orders = [Order(name, now.get(name), before.get(name)) for name in sorted({*now, *before})]
    total = added(now.values())
    answer(study, key=success(total))
    request = study.request
    is_overview = not request.by and not request.metrics
    if is_overview or (request.asks_why and "insertion_order" not in request.by):
        _write_orders(study, orders, total)
    if study.request.asks_why and not before:
        study.note("It is not held against the time before, of which there are not figures for as many days.")
    if request.intent == "forecast":
        write_outlook(study)
    for order in orders:
        propose_declines(study, order, total)


def _write_orders(study: Study, orders: Sequence[Order], total: Sums) -> None:
    """Write the orders that cost most, or for causes those that do worst, with their shares in the change."""
    ran = [(order.name, order.now, order.before) for order in orders if order.now]
    if len(ran) < 2:
        return
    asked = [name for name in study.request.metrics if name in METRICS][:2]
    metrics = list(dict.fromkeys([*(asked or ["cost"]), success(total)]))
    sums = [name for name in (*metrics, *BASES.get(metrics[0], ()), "revenue", "clicks") if name in SUMS]
    sums = [name for name in sums if name != "cost" and total[name]] or ["impressions"]
    style: Style = "money_change" if METRICS[sums[0]].unit == "money" else "count_change"
    ran.sort(key=lambda each: (-each[1]["cost"], each[0]))
    if study.request.asks_why:
        ran.sort(key=lambda each: METRICS[success(total)].value(each[1]) or 0.0, reverse=success(total) == "cpa")
    lines = []
    for name, now, before in ran[:MOST_ORDERS]:
        cells = [study.measured(name, metric, now) for metric in metrics]
        gained = now[sums[0]] - before[sums[0]] if before else None
        lines.append([name, *cells, study.figure(name, f"{sums[0]}_gained", gained, style)])
    head = ["Insertion order", *map(heading, metrics), f"{heading(sums[0])} gained"]
    first = f"the worst {heading(success(total))}" if study.request.asks_why else "what cost most"
    study.write(f"By insertion order, {first} first:\n\n{markdown(head, lines)}")
    if len(ran) > len(lines):
        shown, every = number_word(len(lines)), number_word(len(ran))
        study.note(f"The first {shown} of {every} insertion orders are shown.")


USUAL = ("cost", "conversions", "revenue")


def write_outlook(study: Study) -> None:
    """Write a projection at the rate of the newest days: the current month and year, and the next month."""
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
        texts = [f"{span} {study.figure(span, name, value, unit)}" for span, value in spans.items()]
        each_day = study.figure("a day", name, rate, unit)
        study.write(f"{heading(name)} at the {each_day} a day of the newest {DEFAULT_DAYS} days: {'; '.join(texts)}.")


def _days(start: date, end: date) -> Period:
    return Period(start=start, end=end, label="")
