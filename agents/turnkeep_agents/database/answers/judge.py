"""What each sentence of an answer is checked against before it is shown: figures against what was found, citations
against the sections that were given."""

import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta

from turnkeep.blocks.citations import IdForm, check_citations
from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.records import JSON

SECTION_ID = IdForm(re.compile(r"[\w/-]+(?:#[\w-]+)?"))
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
CITATION_REMOVED = "citation_removed"


class ReplyJudge:
    """`warnings` and `cited` grow with what is accepted. Without a verifier figures are the model's own business."""

    def __init__(self, verifier: Verifier | None, sections: Collection[str] = ()):
        self._verifier, self._sections = verifier, sections
        self.warnings: dict[str, None] = {}
        self.cited: dict[str, None] = {}

    def problems(self, unit: str) -> list[str]:
        return list(self._verifier.problems(unit)) if self._verifier else []

    def accept(self, unit: str) -> str:
        """Return it without citations of what was not given."""
        text = self._verifier.accept(unit) if self._verifier else unit
        if "[" not in text:
            return text
        checked = check_citations(text, self._sections, SECTION_ID)
        self.warnings |= {CITATION_REMOVED: None} if checked.removed else {}
        self.cited |= dict.fromkeys(checked.cited)
        return _as_spaced(checked.text, text)


def _as_spaced(text: str, like: str) -> str:
    """With the blanks around that it had."""
    head, tail = len(like) - len(like.lstrip()), len(like.rstrip())
    return f"{like[:head]}{text.strip()}{like[tail:]}" if like.strip() else like


def verifier_of(
    known: Sequence[str],
    asked: Sequence[str],
    today: date,
    language: str,
    *,
    statements: Sequence[str] = (),
    has_counts: bool = False,
) -> Verifier:
    """`statements` tell which periods were asked for; `has_counts`: whether a small number may count things by itself,
    as the steps of a manual do and rows do not."""
    days = [(today, today), *(span for sql in statements for span in _periods(sql))]
    return Verifier(Sources(known=known, asked=asked, days=days, language=language[:2], has_counts=has_counts))


def _periods(sql: str) -> list[tuple[date, date]]:
    """From the first to the last day that a statement names, whether it leaves that one out or not."""
    days = sorted({day for text in _DAY.findall(sql) if (day := _date(text))})
    return [(days[0], days[-1]), (days[0], days[-1] - timedelta(days=1))] if len(days) > 1 else []


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def source_of(section: JSON, cited: Collection[str]) -> JSON:
    source = {name: section.get(name) for name in ("id", "title", "url", "score")}
    return {**source, "cited": section["id"] in cited}
