"""`delivery_optimization`: which creative works with which audience, and what to stop or to increase."""

from collections.abc import Sequence
from functools import partial

from turnkeep_agents.campaigns.metrics import METRICS, Sums
from turnkeep_agents.campaigns.requests import Severity
from turnkeep_agents.campaigns.specialists.answers import answer
from turnkeep_agents.campaigns.specialists.formatting import dated, heading, in_sentence, number_word
from turnkeep_agents.campaigns.specialists.grids import markdown
from turnkeep_agents.campaigns.specialists.peers import Peer, added, best_peer, is_far_below, peers, ranked, success
from turnkeep_agents.campaigns.specialists.study import Study, scope, weighed
from turnkeep_agents.campaigns.warehouse.sums import Row

USUALLY_SHOWN, MOST_SHOWN = 3, 5  # of the best, and of the worst
LEAST_IMPRESSIONS = 5_000  # of a ranked combination
LEAST_EXPECTED = {"conversions": 20, "clicks": 100}  # by the others' rates, for the same spend or as many impressions
WEAK_RATIO = 0.5  # of the expected value
LARGE_SHARE_OF_SPEND = 0.10


def optimize_delivery(study: Study) -> None:
    rows = study.rows(("creative", "audience"), study.period)
    total = added(row.sums for row in rows)
    asked = [name for name in study.request.metrics if name in METRICS]
    key = asked[0] if asked else success(total)
    if study.request.by:
        answer(study, key=key)
    else:
        _write_extremes(study, rows, tuple(dict.fromkeys([key, *asked[1:3], "cost", "impressions"])))
    found = peers(study.rows(("insertion_order", "creative", "audience"), study.period))
    measure = "conversions" if total["conversions"] else "clicks"
    for peer in found:
        best = best_peer(peer, found, "cpa" if total["conversions"] else "ctr", (measure, LEAST_EXPECTED[measure]))
        names = {"within": peer.within, "better": best.name if best else ""}
        severity, write = judge(peer, total, measure), partial(_sentence, study, peer, measure)
        study.propose("weak_combination", severity, peer.name, peer.sums["cost"], write, **names)


def _write_extremes(study: Study, rows: Sequence[Row], metrics: Sequence[str]) -> None:
    """Write the best and worst combinations by the first metric, among those with enough volume."""
    enough = [row for row in rows if row.sums["impressions"] >= LEAST_IMPRESSIONS]
    if not enough:
        study.write(f"No creative has enough impressions with any audience to be ranked, {dated(study.period)}.")
        return
    number = min(study.request.limit or USUALLY_SHOWN, MOST_SHOWN)
    best = ranked(enough, metrics[0])
    chosen = {"best": best[:number], "worst": best[number:][::-1][:number]}
    if study.request.order:
        first = best if study.request.order == "best" else best[::-1]
        chosen = {study.request.order: first[:number]}
    head = ["Creative with audience", *map(heading, metrics)]
    for word, shown in chosen.items():
        lines = [[_name(row), *(study.measured(_name(row), metric, row.sums) for metric in metrics)] for row in shown]
        of = f"{scope(study.request)}, {dated(study.period)}"
        if lines:
            title = f"Creatives with audiences, {word} {in_sentence(metrics[0])} first, {of}:"
            study.write(f"{title}\n\n{markdown(head, lines)}")
    if len(enough) < len(rows):
        few, every = number_word(len(rows) - len(enough)), number_word(len(rows))
        study.note(f"Not ranked for want of {LEAST_IMPRESSIONS:,} impressions: {few} of {every} combinations.")


def _name(row: Row) -> str:
    return " with ".join(row.key)


def judge(peer: Peer, total: Sums, measure: str) -> Severity | None:
    """Return the severity if it brings at most half the conversions, or clicks, of the others' rate."""
    expected = _expected(peer, measure)
    if (
        expected < LEAST_EXPECTED[measure]
        or peer.sums[measure] > WEAK_RATIO * expected
        or not is_far_below(peer.sums[measure], expected)
    ):
        return None
    share = peer.sums["cost"] / total["cost"] if total["cost"] else 0.0
    return weighed("high" if share >= LARGE_SHARE_OF_SPEND else "medium", share)


def _expected(peer: Peer, measure: str) -> float:
    return peer.expected(measure, "cost" if measure == "conversions" else "impressions")


def _sentence(study: Study, peer: Peer, measure: str) -> str:
    name, expected = peer.whose, _expected(peer, measure)
    cost, own = study.measured(name, "cost", peer.sums), study.measured(name, measure, peer.sums)
    usual = study.figure(name, f"{measure}_expected", round(expected), "count")
    return f"{name} costs {cost} and brings {own} {measure}, where the others there bring {usual}."
