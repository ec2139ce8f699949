"""Judges a routing by rules, before anything is queried; never asks a model."""

from collections.abc import Sequence

from turnkeep.kit.words import words
from turnkeep.records import JSON
from turnkeep_agents.campaigns.requests import SPECIALISTS

SHORT_WORDS = 3
LOW_CONFIDENCE = 0.4


def check(query: str, selected: Sequence[str], confidence: float, *, max_specialists: int) -> JSON:
    """`selected` are the specialists that routing chose, best first; `confidence` is from 0 to 1. Returns `approved`
    and `refused`, `warnings` (codes for the client), `remarks` for the prompt of the reply, `reason` of a refusal."""
    chosen = list(dict.fromkeys(selected))
    known = [name for name in chosen if name in SPECIALISTS]
    unknown = ", ".join(name for name in chosen if name not in SPECIALISTS)
    left_out = ", ".join(known[max_specialists:])
    approved = known[:max_specialists]
    remarks = {
        "short_query": len(words(query)) < SHORT_WORDS and f"The message has fewer than {SHORT_WORDS} words.",
        "low_confidence": confidence < LOW_CONFIDENCE and "It is not certain what is meant: say how you took it.",
        "unknown_specialist": unknown and f"There is no specialist called {unknown}.",
        "too_many_specialists": left_out
        and f"Only {max_specialists} specialists run in one turn; left out: {left_out}.",
    }
    found = {code: remark for code, remark in remarks.items() if remark}
    reason = f"there is no specialist called {unknown}" if unknown else "no specialist was chosen"
    return {
        "valid": bool(approved),
        "approved": approved,
        "refused": [name for name in chosen if name not in SPECIALISTS],
        "warnings": list(found),
        "remarks": [remark for code, remark in found.items() if code != "short_query"],
        "reason": "" if approved else f"{reason}. There are: {', '.join(SPECIALISTS)}.",
    }
