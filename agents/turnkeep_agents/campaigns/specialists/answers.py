"""Answers the question itself: these metrics, as a total or by something, against an earlier period."""

from collections.abc import Sequence

from turnkeep_agents.campaigns.metrics import METRICS, Sums
from turnkeep_agents.campaigns.requests import Dimension
from turnkeep_agents.campaigns.specialists.formatting import capital, dated, heading, in_sentence, listed
from turnkeep_agents.campaigns.specialists.grids import MOST_ROWS, MOST_TIMES, By, Table, write_table
from turnkeep_agents.campaigns.specialists.peers import BASES, change, tracked, uncounted, why_not
from turnkeep_agents.campaigns.specialists.study import Study, scope

MOST_CELLS = 32
MOST_COMPARED = 2  # metrics of a table with two periods
OVERVIEW = ("cost", "impressions", "ctr", "conversions", "cpa", "roas")


def answer(
    study: Study, usual: Sequence[str] = OVERVIEW, *, key: str = "cost", of: Dimension = "insertion_order"
) -> None:
    """Write the requested metrics, or the `usual` ones, as a total or by what the request names. If the best is
    requested, `key` ranks and `of` is ranked, unless the request names them."""
    request, total = study.request, study.sums(study.period)
    if total is None:
        return
    asked = [name for name in request.metrics if name in METRICS]
    metrics = asked or tracked(usual, total)
    is_ranked = bool(request.limit or request.order)
    for name in uncounted(asked, total):
        study.note(f"No {name} is counted here." if name == "revenue" else f"No {name} are counted here.")
    if request.by or is_ranked:
        first = [key] if is_ranked and not asked else []
        write_table(study, _asked_table(study, request.by or (of,), tuple(dict.fromkeys([*first, *metrics]))))
    else:
        _write_total(study, metrics, total)


def _asked_table(study: Study, by: By, metrics: tuple[str, ...]) -> Table:
    """Return the requested table: a single rate comes with its sums, a comparison with at most two metrics."""
    of = listed([in_sentence(name) for name in metrics]) if len(metrics) <= 2 else "figures"
    table = Table(by, metrics[: MOST_CELLS // 6], of)
    if study.request.compared and study.before and not table.grain:
        columns = metrics[:MOST_COMPARED]
        before = {row.key: row.sums for row in study.rows(by, study.before)}
        return Table(by, columns, of, min(MOST_ROWS, MOST_CELLS // (3 * len(columns))), before)
    if len(metrics) == 1 and not table.grain:
        return Table(by, (*metrics, *BASES.get(metrics[0], ())), of)
    return Table(by, table.metrics, of, min(MOST_TIMES if table.grain else MOST_ROWS, MOST_CELLS // len(metrics)))


def _write_total(study: Study, metrics: Sequence[str], total: Sums) -> None:
    before = study.sums(study.before) if study.before else None
    subject = scope(study.request)
    if len(metrics) == 1:
        of = f"{capital(METRICS[metrics[0]].label)} of {subject}, {dated(study.period)}"
        now, then = _now(study, metrics[0], total), _then(study, metrics[0], total, before)
        earlier = f" {capital(dated(study.before))}: {then[0]}, a change of {then[1]}." if then and study.before else ""
        study.write(f"{of}: {now}.{earlier}")
        return
    lines = []
    for metric in metrics:
        now, then = _now(study, metric, total), _then(study, metric, total, before)
        if then and study.before:
            when = "before" if study.before.end < study.period.start else study.before.label
            now += f" ({when}: {', '.join(then)})"
        lines.append(f"- {heading(metric)}: {now}")
    held = f", against {dated(study.before)}" if before and study.before else ""
    title = subject if study.request.filters else capital(subject)
    study.write("\n".join([f"{title}, {dated(study.period)}{held}:", "", *lines]))


def _now(study: Study, metric: str, total: Sums) -> str:
    """Return the current value, or why it cannot be computed."""
    now = study.measured(scope(study.request), metric, total)
    return now if METRICS[metric].value(total) is not None else f"cannot be computed, {why_not(metric)}"


def _then(study: Study, metric: str, total: Sums, before: Sums | None) -> list[str]:
    """Return the earlier value and the change; empty if there is nothing to compare with."""
    if not before or not study.before or METRICS[metric].value(total) is None:
        return []
    was = study.measured(scope(study.request), metric, before, study.before)
    moved = change(metric, total, before)
    return [was, study.figure(scope(study.request), f"{metric}_change", moved, "change")]
