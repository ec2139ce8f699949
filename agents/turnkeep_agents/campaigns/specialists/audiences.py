"""`audience_targeting`: costs and results of line items and audiences; which bring nothing and which cost too much."""

from functools import partial

from turnkeep_agents.campaigns.metrics import Sums
from turnkeep_agents.campaigns.requests import Severity
from turnkeep_agents.campaigns.specialists.answers import answer
from turnkeep_agents.campaigns.specialists.formatting import in_sentence
from turnkeep_agents.campaigns.specialists.grids import Table, write_table
from turnkeep_agents.campaigns.specialists.peers import Peer, added, best_peer, is_far_below, peers, tracked
from turnkeep_agents.campaigns.specialists.study import Study, graded, is_specific, weighed

MOST_ROWS = 4
FRUITLESS_HIGH_SHARE, FRUITLESS_CRITICAL_SHARE = 0.10, 0.25  # of the spend
FRUITLESS_EXPECTED = 20  # conversions that the same spend brings elsewhere in the order: zero is then not chance
FRUITLESS_LEAST_EXPECTED = 5  # if it takes a high share of the spend
COSTLY_MEDIUM, COSTLY_HIGH = 2.0, 3.0  # times the cost per conversion of the others in the insertion order
LEAST_CONVERSIONS = 10


def judge_audiences(study: Study) -> None:
    audiences = study.rows(("audience",), study.period)
    total = added(row.sums for row in audiences)
    metrics = tuple(tracked(("cost", "conversions", "cpa", "clicks", "ctr"), total)[:3])
    if is_specific(study.request):
        answer(study, metrics, key="cpa" if total["conversions"] else "ctr", of="audience")
    else:
        for name in ("audience", "line_item"):
            write_table(study, Table((name,), metrics, most=MOST_ROWS))
    if not total["conversions"]:
        study.note("No conversions are counted here.")
        return
    found = peers(study.rows(("insertion_order", "audience"), study.period))
    for peer in found:
        code, severity = judge(peer, total)
        best = best_peer(peer, found, "cpa", ("conversions", LEAST_CONVERSIONS))
        write = partial(_sentence, study, peer, total, code)
        names = {"within": peer.within, "better": best.name if best else ""}
        study.propose(code, severity, peer.name, peer.sums["cost"], write, **names)


def judge(peer: Peer, total: Sums) -> tuple[str, Severity | None]:
    """Return code and severity of an issue; no severity if it is in order or too small to judge."""
    share = peer.sums["cost"] / total["cost"] if total["cost"] else 0.0
    expected = peer.expected("conversions", "cost")
    if peer.sums["conversions"] == 0:
        is_large = share >= FRUITLESS_HIGH_SHARE and expected >= FRUITLESS_LEAST_EXPECTED
        if not is_large and expected < FRUITLESS_EXPECTED:
            return "spend_without_conversions", None
        severity = graded(share, medium=0, high=FRUITLESS_HIGH_SHARE, critical=FRUITLESS_CRITICAL_SHARE)
        return "spend_without_conversions", weighed(severity, share)
    is_enough = peer.sums["conversions"] >= LEAST_CONVERSIONS and peer.others["conversions"] >= LEAST_CONVERSIONS
    is_enough = is_enough and is_far_below(peer.sums["conversions"], expected)
    times = expected / peer.sums["conversions"] if is_enough else 0.0
    return "costly_conversions", weighed(graded(times, medium=COSTLY_MEDIUM, high=COSTLY_HIGH), share)


def _sentence(study: Study, peer: Peer, total: Sums, code: str) -> str:
    name = peer.whose
    if code == "spend_without_conversions":
        cost = study.measured(name, "cost", peer.sums)
        share = study.figure(name, "share_of_spend", peer.sums["cost"] / total["cost"], "share")
        return f"{name} costs {cost}, {share} of the spend, and brings no conversion."
    own = study.measured(name, "cpa", peer.sums)
    others = study.measured(f"the others beside {name}", "cpa", peer.others)
    usual = peer.sums["conversions"] * peer.others["cost"] / peer.others["conversions"]
    saving = study.figure(name, "saving", peer.sums["cost"] - usual, "money")
    return f"{in_sentence('cpa')} of {name} is {own}, against {others} of the others there, {saving} more in all."
