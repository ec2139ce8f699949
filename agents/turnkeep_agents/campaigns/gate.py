"""Judges a routing by rules, before anything is queried; never asks a model."""

from collections.abc import Sequence

from turnkeep.blocks.words import words
from turnkeep.records import JSON
from turnkeep_agents.campaigns.requests import SPECIALISTS

SHORT_WORDS = 3
LOW_CONFIDENCE = 0.4


def check(query: str, selected: Sequence[str], confidence: float, *, max_specialists: int) -> JSON:
    """`selected` are the specialists that routing chose, best first; `confidence` is from 0 to 1. Returns `approved`
    and `refused`, `warnings` (codes for the client), `remarks` for the prompt of the reply, `reason` of a refusal."""
    chosen = list(dict.fromkeys(selected))
    known = [name for name in chosen if name in SPECIALISTS]
    unknown = [name for name in chosen if name not in SPECIALISTS]
    approved = known[:max_specialists]
    remarks = {
        "short_query": len(words(query)) < SHORT_WORDS and f"The message has fewer than {SHORT_WORDS} words.",
        "low_confidence": confidence < LOW_CONFIDENCE and "It is not certain what is meant: say how you took it.",
        "unknown_specialist": unknown and f"There is no specialist called {_listed(unknown)}.",
        "too_many_specialists": known[max_specialists:]
        and f"Only {max_specialists} specialists run in one turn; left out: {_listed(known[max_specialists:])}.",
    }
    found = {code: remark for code, remark in remarks.items() if remark}
    return {
        "valid": bool(approved),
        "approved": approved,
        "refused": unknown,
        "warnings": list(found),
        "remarks": [remark for code, remark in found.items() if code != "short_query"],
        "reason": "" if approved else _reason(unknown),
    }


def _reason(unknown: Sequence[str]) -> str:
    said = f"there is no specialist called {_listed(unknown)}" if unknown else "no specialist was chosen"
    return f"{said}. There are: {_listed(SPECIALISTS)}."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
