"""Readings and analyses as a capable model writes them, for scripts."""

from typing import Any

from turnkeep_agents.campaigns.advice import Analysis
from turnkeep_agents.campaigns.reading import Ask, Reading

USUAL = {"names": [], "metrics": [], "by": [], "period": {"named": "none"}}


def ask(specialist: str = "performance_diagnosis", intent: str = "figures", **more: Any) -> Ask:
    return Ask.model_validate({"specialist": specialist, "intent": intent, **USUAL, **more})


def reading(*asks: Ask, kind: str = "specialists", **more: Any) -> tuple[str, Reading]:
    """The step of a script."""
    said = {"reasoning": "Asked is that.", "language": "en", "standalone": "The whole question", "kind": kind}
    said |= {"week": "open", "confidence": 0.9, **more}
    return "campaigns.read", Reading.model_validate({**said, "requests": [each.model_dump() for each in asks]})


def analysis(*recommendations: dict[str, Any], **more: Any) -> tuple[str, Analysis]:
    return "campaigns.analyse", Analysis.model_validate(
        {"causes": [], "links": [], "recommendations": recommendations, **more}
    )


def advised(subject: str, action: str, **more: Any) -> dict[str, Any]:
    usual = {"priority": "high", "change": "decrease", "reason": "It spends too fast."}
    return {**usual, "subject": subject, "action": action, **more}


def answer(text: str) -> tuple[str, str]:
    return "campaigns.answer", text
