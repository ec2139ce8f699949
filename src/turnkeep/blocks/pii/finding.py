"""Where personal data stands in a text."""

from collections.abc import Callable, Iterable, Iterator

from turnkeep.blocks.pii.contacts import emails, phones
from turnkeep.blocks.pii.findings import Finding
from turnkeep.blocks.pii.numbers import cards, ibans, tax_ids, vat_ids

_DETECTORS: tuple[Callable[[str], Iterator[Finding]], ...] = (emails, ibans, tax_ids, cards, vat_ids, phones)
"""Where two find the same characters, the first has them."""


def find(text: str) -> list[Finding]:
    """Ascending, none overlapping another."""
    return _apart(found for detector in _DETECTORS for found in detector(text))


def _apart(findings: Iterable[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    for finding in findings:
        if all(finding.end <= other.start or finding.start >= other.end for other in kept):
            kept.append(finding)
    return sorted(kept, key=lambda finding: finding.start)
