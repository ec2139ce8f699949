"""Issues of insertion orders: significantly worse than before, or costing more than they bring."""

from dataclasses import dataclass
from functools import partial
from math import log1p, sqrt

from turnkeep_agents.campaigns.metrics import METRICS, Sums
from turnkeep_agents.campaigns.requests import Dimension, Severity
from turnkeep_agents.campaigns.specialists.formatting import in_sentence, unsigned
from turnkeep_agents.campaigns.specialists.peers import BASES, LEAST_DEVIATIONS, change
from turnkeep_agents.campaigns.specialists.study import Study, graded

BREAK_EVEN_ROAS = 1.0
DISASTROUS_ROAS = 0.5
LEAST_SHARE_OF_SPEND = 0.05  # of all orders in scope; below it a loss is not worth an issue
LARGE_SHARE_OF_SPEND = 0.2
LEAST_IMPRESSIONS = 10_000  # in each period, for a click rate; in the previous one, for stopped delivery
LOST_MEDIUM, LOST_HIGH = 0.5, 0.8  # impressions per day, as a share of the earlier value


@dataclass(frozen=True)
class Worsening:
    """A worsening by at least `medium` or `high`, as shares, if `base` is at least `least` in each period."""

    code: str
    metric: str
    base: str
    least: float
    medium: float
    high: float


WORSENINGS = (
    Worsening("ctr_down", "ctr", "impressions", LEAST_IMPRESSIONS, medium=0.2, high=0.4),
    Worsening("conversion_rate_down", "cvr", "clicks", 500, medium=0.25, high=0.5),
    Worsening("cost_per_conversion_up", "cpa", "conversions", 30, medium=0.25, high=0.5),
    Worsening("roas_down", "roas", "clicks", 500, medium=0.2, high=0.4),
)


@dataclass(frozen=True)
class Order:
    """An insertion order in the period and before; None if it had no row."""

    name: str
    now: Sums | None
    before: Sums | None


def propose_declines(study: Study, order: Order, total: Sums) -> None:
    """Propose all issues of one insertion order; `total` is the sum of all orders."""
    _propose_lost_delivery(study, order)
    if order.now:
        severity, write = losing(order.now, total), partial(_loss, study, order.name, order.now, total)
        study.propose("roas_below_one", severity, order.name, order.now["cost"], write)
    if order.now and order.before:
        for rule in WORSENINGS:
            severity = worsened(rule, order.now, order.before)
            write = partial(_worsening, study, order.name, rule, order.now, order.before)
            study.propose(rule.code, severity, order.name, order.now["cost"], write)


def worsened(rule: Worsening, now: Sums, old: Sums) -> Severity | None:
    """Return the severity of the change; None if it is small, rests on too little data or may be chance."""
    moved = change(rule.metric, now, old)
    if moved is None or min(now[rule.base], old[rule.base]) < rule.least or not is_beyond_chance(rule.metric, now, old):
        return None
    worse = moved if METRICS[rule.metric].is_good_high is False else -moved
    return graded(worse, medium=rule.medium, high=rule.high)


def is_beyond_chance(metric: str, now: Sums, old: Sums) -> bool:
    """Judge by the number of events behind the metric: the clicks or conversions of its rate or cost. Revenue without
    conversions cannot be judged this way and is accepted."""
    part, whole = BASES[metric]
    if METRICS[metric].unit == "percent":
        pooled = (now[part] + old[part]) / (now[whole] + old[whole])
        deviation = sqrt(pooled * max(0.0, 1 - pooled) * (1 / now[whole] + 1 / old[whole]))
        return abs(now[part] / now[whole] - old[part] / old[whole]) >= LEAST_DEVIATIONS * deviation
    if not now["conversions"] or not old["conversions"]:
        return metric == "roas"
    deviation = sqrt(1 / now["conversions"] + 1 / old["conversions"])
    return abs(log1p(max(change(metric, now, old) or 0.0, -0.999))) >= LEAST_DEVIATIONS * deviation


def _propose_lost_delivery(study: Study, order: Order) -> None:
    """Propose an issue if impressions per day fell, unless the flight was to end or there were few."""
    old = order.before
    if not study.before or not old or old["impressions"] < LEAST_IMPRESSIONS:
        return
    now = order.now["impressions"] if order.now else 0.0
    lost = 1 - (now / study.period.days) / (old["impressions"] / study.before.days)
    if lost < LOST_MEDIUM or order.name in _ended(study):
        return
    if not order.now or not now:
        write = partial(_stopped, study, order.name, old)
        study.propose("delivery_stopped", "high", order.name, old["cost"], write)
    else:
        severity = graded(lost, medium=LOST_MEDIUM, high=LOST_HIGH)
        write = partial(_fewer, study, order.name, lost, order.now)
        study.propose("impressions_down", severity, order.name, old["cost"], write)


def _ended(study: Study) -> set[str]:
    """Return the insertion orders whose flight ended before the period did."""
    of: tuple[Dimension, ...] = ("advertiser", "insertion_order")
    filters = {name: study.request.filters[name] for name in of if name in study.request.filters}
    last = study.warehouse.flights(filters, study.before.end) if study.before else ()
    running = {flight.insertion_order for flight in study.warehouse.flights(filters, study.period.end)}
    return {flight.insertion_order for flight in last if flight.end < study.period.end} - running


def _stopped(study: Study, name: str, old: Sums) -> str:
    now = study.figure(name, "impressions", 0)
    was = study.measured(name, "impressions", old, study.before)
    return f"{name} delivers nothing any more: {now} impressions, before: {was}."


def _fewer(study: Study, name: str, lost: float, now: Sums) -> str:
    fell = unsigned(study.figure(name, "impressions_a_day_change", -lost, "change"))
    return f"Impressions a day of {name} fell by {fell}, to {study.measured(name, 'impressions', now)} in all."


def losing(now: Sums, total: Sums) -> Severity | None:
    """Return the severity of revenue below cost; None if it is not below, or if no revenue is counted at all."""
    roas = METRICS["roas"].value(now)
    if roas is None or roas >= BREAK_EVEN_ROAS or not total["revenue"]:
        return None
    share = now["cost"] / total["cost"]
    if share < LARGE_SHARE_OF_SPEND:
        return "medium" if share >= LEAST_SHARE_OF_SPEND else None
    return "critical" if roas < DISASTROUS_ROAS else "high"


def _loss(study: Study, name: str, now: Sums, total: Sums) -> str:
    roas = study.measured(name, "roas", now)
    of = study.figure(name, "share_of_spend", now["cost"] / total["cost"], "share")
    cost, lost = study.measured(name, "cost", now), study.figure(name, "loss", now["cost"] - now["revenue"], "money")
    return f"{name} earns less than it costs: ROAS {roas} on {cost}, {of} of the spend; {lost} were not earned back."


def _worsening(study: Study, name: str, rule: Worsening, now: Sums, old: Sums) -> str:
    new, was = study.measured(name, rule.metric, now), study.measured(name, rule.metric, old, study.before)
    moved = unsigned(study.figure(name, f"{rule.metric}_change", change(rule.metric, now, old), "change"))
    verb = "rose" if METRICS[rule.metric].is_good_high is False else "fell"
    return f"{in_sentence(rule.metric)} of {name} {verb} by {moved} to {new} (before: {was})."
