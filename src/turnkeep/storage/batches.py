"""As many of what there is as one request takes."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(values: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """As `itertools` has it from Python 3.12 on."""
    left = iter(values)
    while some := tuple(islice(left, size)):
        yield some
