"""A detector that the deployment names works beside those of the house."""

import re
from collections.abc import Iterator

import pytest

from turnkeep.blocks.pii import Finding, add_detector, find, finding


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MORE", {})


def badges(text: str) -> Iterator[Finding]:
    """ "badge K-1"."""
    return (Finding("BADGE", at.start(), at.end(), at[0]) for at in re.finditer(r"K-\d", text))


def test_it_finds_beside_the_others() -> None:
    add_detector(f"{__name__}:badges")
    kinds = [one.kind for one in find("Badge K-7 of mario.rossi@example.com")]
    assert kinds == ["BADGE", "EMAIL"]


def test_one_that_is_not_there_finds_nothing_in_silence() -> None:
    add_detector(f"{__name__}:nothing_of_the_kind")
    with pytest.raises(AttributeError):
        find("Badge K-7")
