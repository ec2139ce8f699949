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
ANSWERS = [kind for kind in CLASSES if not kind.__subclasses__()]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_a_code_a_title_and_advice(kind: type[TurnkeepError]) -> None:
    assert 400 <= kind.status < 600
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.code)
    assert kind.title
    assert not kind.title.endswith(".")
    assert kind.advice.endswith(".")


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: kind.__name__)
def test_every_error_says_for_itself_what_it_is(kind: type[TurnkeepError]) -> None:
    assert {"status", "code", "title", "advice"} <= vars(kind).keys()


def test_no_two_errors_share_a_code() -> None:
    codes = [kind.code for kind in CLASSES]
    assert sorted(codes) == sorted(set(codes))
