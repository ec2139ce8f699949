"""The five specialists by name, and the reply if there is no data."""

from collections.abc import Callable, Mapping

from turnkeep_agents.campaigns.requests import MetricResult, Request
from turnkeep_agents.campaigns.specialists.audiences import judge_audiences
from turnkeep_agents.campaigns.specialists.budgets import assess_budgets
from turnkeep_agents.campaigns.specialists.creatives import judge_creatives
from turnkeep_agents.campaigns.specialists.delivery import optimize_delivery
from turnkeep_agents.campaigns.specialists.formatting import dated, span, time_label
from turnkeep_agents.campaigns.specialists.performance import diagnose_performance
from turnkeep_agents.campaigns.specialists.study import Study, asked_period, open_study, scope
from turnkeep_agents.campaigns.warehouse.sums import Warehouse

WORK: Mapping[str, Callable[[Study], None]] = {
    "performance_diagnosis": diagnose_performance,
    "budget_risk": assess_budgets,
    "audience_targeting": judge_audiences,
    "creative_inventory": judge_creatives,
    "delivery_optimization": optimize_delivery,
}


def run_specialist(name: str, request: Request, warehouse: Warehouse, *, currency: str, max_rows: int) -> MetricResult:
    """Return the finding of a specialist; amounts are in `currency`, an ISO 4217 code. Raises DatabaseError."""
    study = open_study(name, request, warehouse, currency=currency, max_rows=max_rows)
    if study is None:
        return _nothing(name, request, warehouse)
    if study.sums(study.period) is None and name != "budget_risk":
        return _nothing(name, request, warehouse, study)
    WORK[name](study)
    return study.finding()


def _nothing(name: str, request: Request, warehouse: Warehouse, study: Study | None = None) -> MetricResult:
    """Return a finding without data; it names the days with data, for the request or the whole warehouse."""
    coverage = warehouse.coverage()
    named = f"{scope(request)}, " if request.filters else ""
    period = study.period if study else asked_period(request, coverage)
    notes, warnings = (study.notes, study.warnings) if study else ([], [])
    return MetricResult(
        specialist=name,
        status="no_data",
        text=f"There is no data for {named}{dated(period)}. {_where(request, warehouse)}",
        notes=tuple(notes),
        warnings=tuple(dict.fromkeys(["no_data", *warnings])),
    )


def _where(request: Request, warehouse: Warehouse) -> str:
    coverage = warehouse.coverage()
    if not request.filters:
        return f"The warehouse holds {span(coverage.first, coverage.last)}."
    months = [row.key[0] for row in warehouse.rows(("month",), request.filters, None).rows]
    if not months:
        return f"Nothing in the warehouse belongs to all of these at once: {scope(request)}."
    first, last = (time_label(month, "month") for month in (months[0], months[-1]))
    return f"There is data for {scope(request)} in {first if first == last else f'{first} to {last}'}."
