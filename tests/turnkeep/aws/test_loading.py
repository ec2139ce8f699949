import gc
from collections.abc import Iterator

import pytest

from turnkeep.aws.loading import loading


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_nothing_is_collected_while_a_function_loads() -> None:
    with loading():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_function_that_fails_to_load_collects_again() -> None:
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()


def test_what_was_loaded_is_never_looked_through_again() -> None:
    gc.unfreeze()
    with loading():
        kept = [[n] for n in range(1000)]
    assert gc.get_freeze_count() > len(kept)
