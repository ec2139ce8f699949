"""The error tree: every class can be answered and told from the others."""

import re
from collections.abc import Iterator

import pytest

from turnkeep.errors import TurnkeepError


def tree(root: type[TurnkeepError]) -> Iterator[type[TurnkeepError]]:
    for child in root.__subclasses__():
        yield child
        yield from tree(child)


CLASSES = list(tree(TurnkeepError))


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_its_own_status_code_title_and_advice(kind: type[TurnkeepError]) -> None:
    assert 400 <= kind.status < 600
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.code)
    assert kind.title
    assert not kind.title.endswith(".")
    assert kind.advice.endswith(".")
    assert kind.__subclasses__() or {"status", "code", "title", "advice"} <= vars(kind).keys()
    assert [each.code for each in CLASSES].count(kind.code) == 1
