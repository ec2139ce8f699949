"""Judges a routing by rules, before anything is queried; never asks a model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from turnkeep.blocks.words import words
from turnkeep.records import JSON
from turnkeep_agents.campaigns.requests import SPECIALISTS

SHORT_WORDS = 3
LOW_CONFIDENCE = 0.4


@dataclass(frozen=True)
class Gate:
    """`warnings` are codes for the client, `remarks` what whoever words the reply should know; `reason` why nothing may
    run."""

    valid: bool
    approved: tuple[str, ...]
    refused: tuple[str, ...]
    warnings: tuple[str, ...]
    remarks: tuple[str, ...]
    reason: str = ""

    def as_json(self) -> JSON:
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def check(query: str, selected: Sequence[str], confidence: float, *, max_specialists: int) -> Gate:
    """`selected` are the specialists that routing chose, best first; `confidence` is from 0 to 1."""
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
    reason = "" if approved else _reason(unknown)
    told = [remark for code, remark in found.items() if code != "short_query"]
    return Gate(bool(approved), tuple(approved), tuple(unknown), tuple(found), tuple(told), reason)


def _reason(unknown: Sequence[str]) -> str:
    said = f"there is no specialist called {_listed(unknown)}" if unknown else "no specialist was chosen"
    return f"{said}. There are: {_listed(SPECIALISTS)}."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
