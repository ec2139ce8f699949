"""`creative_inventory`: creatives by name and size; which show fatigue, and which size gets few clicks."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import pairwise, takewhile

from turnkeep_agents.campaigns.metrics import METRICS, Sums
from turnkeep_agents.campaigns.requests import Period, Severity
from turnkeep_agents.campaigns.specialists.answers import answer
from turnkeep_agents.campaigns.specialists.formatting import capital, day, number_word
from turnkeep_agents.campaigns.specialists.grids import Table, write_table
from turnkeep_agents.campaigns.specialists.peers import Peer, added, peers
from turnkeep_agents.campaigns.specialists.study import Study, graded, is_specific, weighed
from turnkeep_agents.campaigns.warehouse.sums import Row

MOST_CREATIVES, MOST_SIZES = 4, 5
FATIGUE_WEEKS, FATIGUE_LEAST_WEEKS = 6, 4  # whole calendar weeks up to the end of the period
FATIGUE_LEAST_IMPRESSIONS = 5_000  # in each of them
FATIGUE_MEDIUM, FATIGUE_HIGH = 0.2, 0.4  # of the click rate, from the first week to the last
FATIGUE_LEAST_FALLING = 0.75  # share of the weeks that are below the previous one
FATIGUE_CREATIVES = 60  # those with most impressions are checked

WEAK_SIZE_MEDIUM, WEAK_SIZE_HIGH = 0.5, 0.75  # missing share of the clicks that other sizes would have got
WEAK_SIZE_LEAST_IMPRESSIONS = 10_000


def judge_creatives(study: Study) -> None:
    rows = study.rows(("creative",), study.period)
    metrics = ("impressions", "clicks", "ctr")
    if is_specific(study.request):
        answer(study, metrics, key="ctr", of="creative")
    else:
        write_table(study, Table(("creative",), metrics, most=MOST_CREATIVES))
        write_table(study, Table(("size",), metrics, most=MOST_SIZES))
    _propose_fatigue(study, rows)
    _propose_weak_sizes(study, sum(row.sums["cost"] for row in rows))


def fatigue(weeks: Sequence[Sums]) -> Severity | None:
    """Return the severity of a falling click rate over consecutive weeks, oldest first."""
    if len(weeks) < FATIGUE_LEAST_WEEKS or any(week["impressions"] < FATIGUE_LEAST_IMPRESSIONS for week in weeks):
        return None
    rates = [week["clicks"] / week["impressions"] for week in weeks]
    falling = sum(later < earlier for earlier, later in pairwise(rates)) / (len(rates) - 1)
    if falling < FATIGUE_LEAST_FALLING or not rates[0]:
        return None
    return graded(1 - rates[-1] / rates[0], medium=FATIGUE_MEDIUM, high=FATIGUE_HIGH)


def _propose_fatigue(study: Study, rows: Sequence[Row]) -> None:
    most = min(FATIGUE_CREATIVES, max(1, study.max_rows // FATIGUE_WEEKS))
    names = [row.key[0] for row in sorted(rows, key=lambda row: -row.sums["impressions"])[:most]]
    which = f"the {number_word(most)} with most impressions" if len(rows) > most else f"all {number_word(len(rows))}"
    study.note(f"Signs of fatigue were looked for in {which}; those that tire are issues.")
    last = study.period.end - timedelta(days=(study.period.end.weekday() + 1 - study.request.week_start) % 7)
    label = f"the {number_word(FATIGUE_WEEKS)} weeks to {day(last)}"
    span = Period(start=last - timedelta(days=7 * FATIGUE_WEEKS - 1), end=last, label=label)
    weekly: dict[str, list[Row]] = {}
    for row in study.rows(("creative", "week"), span, {**study.request.filters, "creative": names}) if names else ():
        weekly.setdefault(row.key[0], []).append(row)
    starts = [(span.end - timedelta(days=6 + 7 * back)).isoformat() for back in range(FATIGUE_WEEKS)]
    for name, found in weekly.items():
        by_start = {row.key[1]: row.sums for row in found}
        weeks = [by_start[start] for start in takewhile(by_start.__contains__, starts)][::-1]  # without a gap
        weight = sum(week["cost"] for week in weeks)
        study.propose("creative_fatigue", fatigue(weeks), name, weight, partial(_tired, study, name, weeks, span))


def _tired(study: Study, name: str, weeks: Sequence[Sums], span: Period) -> str:
    rates = [METRICS["ctr"].value(week) or 0.0 for week in weeks]
    moved = study.figure(name, "ctr_change", rates[-1] / rates[0] - 1, "change", span)
    first = span.end - timedelta(days=7 * len(rates) - 1)
    texts = [study.figure(f"{name}, week {at}", "ctr", rate, period=span) for at, rate in enumerate(rates, 1)]
    return (
        f"{name} tires: its CTR in the weeks from {day(first)} on was {', '.join(texts)}, {moved} from first to last."
    )


def _propose_weak_sizes(study: Study, cost: float) -> None:
    """Compare a size with the clicks that the other sizes of the same insertion orders would have got in its place."""
    found = peers(study.rows(("insertion_order", "size"), study.period))
    sizes: dict[str, list[Peer]] = {}
    for peer in found:
        if peer.others["impressions"]:
            sizes.setdefault(peer.name, []).append(peer)
    sums = {name: added(peer.sums for peer in of_size) for name, of_size in sizes.items()}
    enough = {name: own for name, own in sums.items() if own["impressions"] >= WEAK_SIZE_LEAST_IMPRESSIONS}
    best = max(enough, key=lambda name: enough[name]["clicks"] / enough[name]["impressions"], default="")
    for name, own in enough.items():
        expected = sum(peer.expected("clicks", "impressions") for peer in sizes[name])
        if not expected:
            continue
        missing = 1 - own["clicks"] / expected
        severity = graded(missing, medium=WEAK_SIZE_MEDIUM, high=WEAK_SIZE_HIGH)
        severity = weighed(severity, own["cost"] / cost if cost else 0.0)
        top = max(sizes[name], key=lambda peer: peer.sums["cost"])
        mostly = f", mostly in {top.within}" if 2 * top.sums["cost"] >= own["cost"] else ""
        write = partial(_weak, study, f"size {name}", own, expected, mostly)
        study.propose("weak_size", severity, f"size {name}", own["cost"], write, better=best)


def _weak(study: Study, name: str, own: Sums, expected: float, mostly: str) -> str:
    rate, cost = study.measured(name, "ctr", own), study.measured(name, "cost", own)
    usual = study.figure("other sizes beside it", "ctr", expected / own["impressions"], "percent")
    return f"{capital(name)} has a CTR of {rate}, other sizes beside it {usual}; it costs {cost}{mostly}."
