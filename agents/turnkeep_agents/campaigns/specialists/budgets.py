"""`budget_risk`: whether insertion orders spend their budgets in time. Pacing is the spend as a share of what an even
spend would have reached by now; the run rate is the mean of the last days of the flight."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Literal, TypeAlias, get_args

from turnkeep_agents.campaigns.requests import Dimension, Period, Severity
from turnkeep_agents.campaigns.specialists.answers import answer
from turnkeep_agents.campaigns.specialists.formatting import Style, day, listed, number_word
from turnkeep_agents.campaigns.specialists.grids import markdown
from turnkeep_agents.campaigns.specialists.study import Filters, Study, graded, scope
from turnkeep_agents.campaigns.warehouse.sums import Flight

MOST_FLIGHTS, MOST_IN_ADDITION = 5, 2  # in its own table, and next to another answer
RUN_RATE_DAYS = 7
LEAST_ELAPSED_DAYS = 3  # before pacing is meaningful
OVER_PACING, OVER_HIGH, OVER_CRITICAL = 1.10, 1.25, 1.75
UNDER_PACING, UNDER_HIGH = 0.85, 0.60
OVER_PROJECTED, UNDER_PROJECTED = 1.10, 0.85  # of the budget by the end of the flight, at the run rate

Level: TypeAlias = Literal["over", "under", "at risk", "on track", "too early to tell", "not begun", "no budget"]
LEVELS: tuple[Level, ...] = get_args(Level)  # riskiest first
OF_BUDGETS: tuple[Dimension, ...] = ("advertiser", "insertion_order")


@dataclass(frozen=True)
class Pace:
    """A flight as of a day; `run_rate` is spend per day. `pacing` is None before its start and without budget."""

    flight: Flight
    as_of: date
    run_rate: float

    @property
    def name(self) -> str:
        return self.flight.insertion_order

    @property
    def days(self) -> int:
        return (self.flight.end - self.flight.start).days + 1

    @property
    def elapsed_days(self) -> int:
        """Return elapsed days, including the day itself."""
        return min(max((self.as_of - self.flight.start).days + 1, 0), self.days)

    @property
    def days_left(self) -> int:
        return self.days - self.elapsed_days

    @property
    def pacing(self) -> float | None:
        due = self.flight.budget * self.elapsed_days / self.days
        return self.flight.spent / due if due > 0 else None

    @property
    def projected(self) -> float:
        """Return the spend at the end of the flight, at the run rate."""
        return self.flight.spent + self.run_rate * self.days_left

    @property
    def needed(self) -> float | None:
        """Return the daily spend that uses up the budget exactly; None if no day is left."""
        return max(0.0, self.flight.budget - self.flight.spent) / self.days_left if self.days_left else None

    @property
    def level(self) -> Level:
        if self.flight.budget <= 0:
            return "no budget"
        if not self.elapsed_days:
            return "not begun"
        if self.elapsed_days < LEAST_ELAPSED_DAYS:
            return "too early to tell"
        pacing, projected = self.pacing or 0.0, self.projected / self.flight.budget
        if not UNDER_PACING <= pacing <= OVER_PACING:
            return "over" if pacing > OVER_PACING else "under"
        return "on track" if UNDER_PROJECTED <= projected <= OVER_PROJECTED else "at risk"


def assess_budgets(study: Study) -> None:
    if study.request.metrics or not set(study.request.by) <= set(OF_BUDGETS):
        answer(study)
    paces = read_paces(study)
    if not paces:
        study.write(f"No budget is known for {scope(study.request)} as of {day(study.period.end)}.")
        study.status = "no_data" if len(study.parts) == 1 else "ok"
        study.warnings.append("no_data")
        return
    _write_paces(study, paces)
    for pace in paces:
        code, severity = judge(pace)
        study.propose(code, severity, pace.name, pace.flight.budget, partial(_sentence, study, pace, code))


def read_paces(study: Study) -> list[Pace]:
    """Return the flights of the last day of the period, riskiest first."""
    request, as_of = study.request, study.period.end
    filters: Filters = {name: request.filters[name] for name in OF_BUDGETS if name in request.filters}
    if len(filters) < len(request.filters):
        study.note("Budgets are set for insertion orders: what else was asked for does not narrow them.")
    flights = study.warehouse.flights(filters, as_of)
    recent = Period(start=as_of - timedelta(days=RUN_RATE_DAYS - 1), end=as_of, label=f"the last {RUN_RATE_DAYS} days")
    spent = {row.key[0]: row.sums["cost"] for row in study.rows(("insertion_order",), recent, filters)}
    paces = [Pace(flight, as_of, run_rate(flight, as_of, spent.get(flight.insertion_order, 0.0))) for flight in flights]
    return sorted(paces, key=lambda pace: (LEVELS.index(pace.level), -pace.flight.budget, pace.name))


def run_rate(flight: Flight, as_of: date, recent: float) -> float:
    """Return spend per day: `recent` is the spend of the last days; for a younger flight, all its days count."""
    elapsed = (min(as_of, flight.end) - flight.start).days + 1
    if elapsed <= 0:
        return 0.0
    return recent / RUN_RATE_DAYS if elapsed > RUN_RATE_DAYS else flight.spent / elapsed


def _write_paces(study: Study, paces: Sequence[Pace]) -> None:
    most = MOST_IN_ADDITION if study.parts else min(study.request.limit or MOST_FLIGHTS, MOST_FLIGHTS)
    shown = paces[::-1] if study.request.order == "best" else paces
    lines = []
    for pace in shown[:most]:
        measures: list[tuple[str, float | None, Style]] = [
            ("budget", pace.flight.budget, "money"),
            ("spent", pace.flight.spent, "money"),
            ("pacing", pace.pacing, "share"),
            ("projected_spend", pace.projected, "money"),
            ("days_left", pace.days_left, "count"),
        ]
        lines.append([pace.name, *(study.figure(pace.name, *each) for each in measures), pace.level])
    head = ["Insertion order", "Budget", "Spent", "Pacing", "Projected", "Days left", "Risk"]
    first = "the least" if study.request.order == "best" else "the greatest"
    of = f"Budgets of {scope(study.request)} as of {day(study.period.end)}, {first} risk first"
    study.write(f"{of} (pacing: spent, of what was due by then):\n\n{markdown(head, lines)}")
    if len(lines) < min(len(paces), study.request.limit or len(paces)):
        left = Counter(pace.level for pace in paces if pace not in shown[:most])
        others = listed([f"{number_word(number)} {level}" for level, number in left.items()])
        shown_, all_ = number_word(len(lines)), number_word(len(paces))
        study.note(f"The first {shown_} of {all_} flights are shown; of the others are {others}.")


def judge(pace: Pace) -> tuple[str, Severity | None]:
    """Return code and severity of a flight's issue; no severity if it is in order."""
    flight, pacing = pace.flight, pace.pacing or 0.0
    if pace.level == "over" and pace.days_left and flight.spent >= flight.budget:
        return "budget_spent", "critical"
    if pace.level == "over":
        return "over_pacing", graded(pacing, medium=OVER_PACING, high=OVER_HIGH, critical=OVER_CRITICAL)
    if pace.level == "under":
        return "under_pacing", "high" if pacing < UNDER_HIGH else "medium"
    if pace.level == "at risk":
        return "overspend_projected" if pace.projected > flight.budget else "underspend_projected", "low"
    return "on_track", None


def _sentence(study: Study, pace: Pace, code: str) -> str:
    """Return a sentence with the facts for advice: actual and needed spend per day, and the amount left or missing."""
    flight, name = pace.flight, pace.name
    budget = study.figure(name, "budget", flight.budget, "money")
    spent = study.figure(name, "spent", flight.spent, "money")
    pacing = study.figure(name, "pacing", pace.pacing, "share")
    if not pace.days_left:
        return f"{name} ended its flight with {spent} spent of {budget}: pacing {pacing}."
    rate = study.figure(name, "run_rate", pace.run_rate, "money")
    if code == "budget_spent":
        left = study.figure(name, "days_left", pace.days_left, "count")
        return f"{name} has spent {spent} of its budget of {budget}, lately {rate} a day, with days left: {left}."
    projected = study.figure(name, "projected_spend", pace.projected, "money")
    gap = study.figure(name, "budget_gap", abs(pace.projected - flight.budget), "money")
    needed = study.figure(name, "daily_needed", pace.needed, "money")
    side = "more" if pace.projected > flight.budget else "less"
    return (
        f"{name} has spent {spent}, {pacing} of what was due by now; projected are {projected}, {gap} {side} than its "
        f"budget of {budget}. It spends {rate} a day; {needed} a day would end at its budget."
    )
