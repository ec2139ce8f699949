"""Check each sentence of an answer before it is shown: figures against the findings, citations against the given
sections."""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import date, timedelta

from turnkeep.kit.citations import IdForm, check_citations
from turnkeep.kit.verification import Sources, Verifier
from turnkeep.records import JSON

SECTION_ID = IdForm(re.compile(r"[\w/-]+(?:#[\w-]+)?"))
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
CITATION_REMOVED = "citation_removed"


class ReplyJudge:
    """`warnings` and `cited` grow with each accepted sentence. Without a verifier figures are not checked."""

    def __init__(self, verifier: Verifier | None, sections: Collection[str] = ()):
        self._verifier, self._sections = verifier, sections
        self.warnings: dict[str, None] = {}
        self.cited: dict[str, None] = {}

    def problems(self, unit: str) -> list[str]:
        return list(self._verifier.problems(unit)) if self._verifier else []

    def accept(self, unit: str) -> str:
        """Return the sentence without citations of sections that were not given."""
        text = self._verifier.accept(unit) if self._verifier else unit
        if "[" not in text:
            return text
        checked = check_citations(text, self._sections, SECTION_ID)
        self.warnings |= {CITATION_REMOVED: None} if checked.removed else {}
        self.cited |= dict.fromkeys(checked.cited)
        head, tail = len(text) - len(text.lstrip()), len(text.rstrip())
        return f"{text[:head]}{checked.text.strip()}{text[tail:]}"


def verifier_of(
    known: Sequence[str],
    asked: Sequence[str],
    today: date,
    language: str,
    *,
    statements: Sequence[str] = (),
    has_counts: bool = False,
) -> Verifier:
    """`statements` name the periods that were asked for. With `has_counts` a small number may count things by itself,
    as the steps of a manual do."""
    days = [(today, today), *(span for sql in statements for span in _periods(sql))]
    return Verifier(Sources(known=known, asked=asked, days=days, language=language[:2], has_counts=has_counts))


def _periods(sql: str) -> list[tuple[date, date]]:
    """Return the span from the first to the last day that a statement names, with and without the last day."""
    days = set()
    for text in _DAY.findall(sql):
        with suppress(ValueError):
            days.add(date.fromisoformat(text))
    first, last = min(days, default=None), max(days, default=None)
    return [(first, last), (first, last - timedelta(days=1))] if first and last and first < last else []


def source_of(section: JSON, cited: Collection[str]) -> JSON:
    source = {name: section.get(name) for name in ("id", "title", "url", "score")}
    return {**source, "cited": section["id"] in cited}
