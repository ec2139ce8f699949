"""What each sentence of an answer is held against before it is shown: figures against what was found, citations against
the sections that were given, addresses against what anybody named. A link or an image can carry what stands in the rows
to whoever owns its address, and a page that shows the answer may fetch it by itself: no text of a model links."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta

from turnkeep.blocks.citations import IdForm, check_citations
from turnkeep.blocks.verification import Sources, Verifier
from turnkeep.records import JSON

SECTION_ID = IdForm(re.compile(r"[\w/-]+(?:#[\w-]+)?"))
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
LINK_REMOVED, CITATION_REMOVED = "link_removed", "citation_removed"
REMOVED = "(address removed)"

_LINK = re.compile(r"!?\[(?P<label>[^\[\]]*)\]\([^()\n]*\)")
_STILL_A_LINK = re.compile(r"\](?=[(:])")
_TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:(?:\b[a-z][a-z0-9+.-]*:)?//|\bwww\.|\bmailto:)[^\s<>]+", re.IGNORECASE)
_AROUND = ".,;:!?'\"()[]{}*_`"


class ReplyJudge:
    """`warnings` and `cited` grow with what is accepted. Without a verifier figures are the model's own business."""

    def __init__(self, verifier: Verifier | None, sections: Collection[str] = (), addresses: Iterable[str] = ()):
        self._verifier, self._sections, self._addresses = verifier, sections, tuple(addresses)
        self.warnings: dict[str, None] = {}
        self.cited: dict[str, None] = {}

    def problems(self, unit: str) -> list[str]:
        return list(self._verifier.problems(unit)) if self._verifier else []

    def accept(self, unit: str) -> str:
        """Without links, and without citations of what was not given."""
        text = self._verifier.accept(unit) if self._verifier else unit
        plain = unlinked(text, self._addresses)
        checked = check_citations(plain, self._sections, SECTION_ID) if "[" in plain else None
        self.warnings |= {LINK_REMOVED: None} if plain != text else {}
        if checked is None:
            return plain
        self.warnings |= {CITATION_REMOVED: None} if checked.removed else {}
        self.cited |= dict.fromkeys(checked.cited)
        return _as_spaced(checked.text, plain)


def _as_spaced(text: str, like: str) -> str:
    """With the blanks around that it had."""
    head, tail = len(like) - len(like.lstrip()), len(like.rstrip())
    return f"{like[:head]}{text.strip()}{like[tail:]}" if like.strip() else like


def unlinked(text: str, known: Iterable[str]) -> str:
    """`text` with its links as their words, and without addresses that stand in none of `known`; the same where there
    are none."""
    given = {_bare(found) for each in known for found in _ADDRESS.findall(each)}
    plain = _STILL_A_LINK.sub("] ", _without_links(text))
    shown = _ADDRESS.sub(lambda found: found[0] if _bare(found[0]) in given else REMOVED, plain)
    return _TAG.sub("&lt;", shown)


def _without_links(text: str) -> str:
    """Until none is left: one may stand in the words of another."""
    while (fewer := _LINK.sub(lambda found: found["label"], text)) != text:
        text = fewer
    return text


def _bare(address: str) -> str:
    return address.strip(_AROUND).lower()


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
