"""The inner calls of the agent `regulations`, as tests of served models play them, and a knowledge base for them."""

import json
from pathlib import Path
from typing import Any

from wire import Answer, calls, says

import law

LEAVE = "Quali ferie spettano a chi lavora?"
FAQ = "Che cos'è il preavviso?"
ARTICLES = (law.LEAVE, law.SCALE)
READING: dict[str, Any] = {
    "question": LEAVE,
    "language": "it",
    "domain": "labour",
    "domain_confidence": 0.9,
    "action": "explain",
    "composition": "pure_kb",
    "composition_confidence": 0.8,
    "searches": ["ferie annuali retribuite"],
    "facts": [],
    "needs_professional": False,
}
ANSWER = "Spettano almeno quattro settimane [DLGS-66-2003-10]."


def reads(**fields: Any) -> Answer:
    return calls("Reading", {**READING, **fields})


def plans(expression: str) -> Answer:
    return calls("Steps", {"steps": [{"name": "imposta", "expression": expression}], "missing": ""})


WELL = (reads(), says(ANSWER))


def knowledge_in(folder: Path, *more: dict[str, Any]) -> str:
    """Writes articles and a FAQ of one question; gives what REGULATIONS__KNOWLEDGE has to say."""
    held = folder / "knowledge"
    held.mkdir(exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in (*ARTICLES, *more)]
    (held / "articles.jsonl").write_text("\n".join(lines))
    answer = {"id": "FAQ-1", "questions": [FAQ], "answer": "Un avviso che va dato prima.", "domain": "labour"}
    (held / "faq.jsonl").write_text(json.dumps(answer, ensure_ascii=False))
    return str(held)
