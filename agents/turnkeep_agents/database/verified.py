"""Questions whose SQL a person has checked: a file of lines {"question": ..., "sql": ...}. The nearest are examples for
the model that writes SQL. `{month-1}` or `{today-90d}` in the SQL is a day, which prompts show as a date."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path

from turnkeep.kit.documents import Document, load_documents
from turnkeep.kit.retrieval import Retriever, open_retriever
from turnkeep.records import JSON

MOST = 2
SHARE = 0.5  # of the best one's score, below which another is no example
_DAY = re.compile(r"\{(today|week|month|quarter|year)(?:([+-])(\d{1,4})(d?))?\}")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True)
class Pair:
    question: str
    sql: str


@dataclass(frozen=True)
class Verified:
    pairs: tuple[Pair, ...] = ()

    @cached_property
    def _retriever(self) -> Retriever:
        return open_retriever([Document(str(at), one.question, one.sql) for at, one in enumerate(self.pairs)])

    def nearest(self, words: str, today: date, fitting: Callable[[str], str]) -> list[str]:
        """Return question and SQL of the nearest. `fitting` spells a statement for the dialect; empty if it may not
        run."""
        found = self._retriever.search(words, 2 * MOST) if self.pairs else []
        best = (found[0].score if found else None) or 0.0
        near = [self.pairs[int(one.id)] for one in found if (one.score or 0.0) >= SHARE * best]
        examples = ((one.question, fitting(dated(one.sql, today))) for one in near)
        return [f"{question}\n{sql}" for question, sql in examples if sql][:MOST]


def load_verified(path: Path) -> Verified:
    """Read the file; raise CorpusError with file and line."""
    found = load_documents(path, _document)
    return Verified(tuple(Pair(one.title, one.text) for one in found))


def _document(row: JSON) -> Document:
    question, sql = row.get("question"), row.get("sql")
    if not isinstance(question, str) or not isinstance(sql, str) or not question.strip() or not sql.strip():
        raise ValueError('"question" and "sql" must be texts that are not empty')
    return Document(question, question, sql)


def dated(sql: str, today: date) -> str:
    """Replace days by literals: {month-1} on 22 November is '2026-10-01'."""
    return _DAY.sub(lambda found: f"'{_day(found, today).isoformat()}'", sql)


def _day(found: re.Match[str], today: date) -> date:
    name, sign, number = found[1], found[2], int(found[3] or 0)
    step = -number if sign == "-" else number
    if name in _MONTHS:
        months = _MONTHS[name]
        first = (today.year * 12 + today.month - 1) // months * months + step * months
        return date(first // 12, first % 12 + 1, 1)
    start = today - timedelta(days=today.weekday()) if name == "week" else today
    return start + timedelta(days=step * (7 if name == "week" else 1))
