import gc
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from turnkeep.aws.loading import LateClient, loading


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_a_function_that_fails_to_load_collects_again() -> None:
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()


def test_nothing_is_collected_while_a_function_loads_and_what_it_loaded_is_never_looked_through_again() -> None:
    gc.unfreeze()
    with loading():
        assert not gc.isenabled()
        kept = [[n] for n in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(kept)


def test_a_late_client_is_made_once_and_not_before_it_is_used() -> None:
    made = []
    late = LateClient(lambda: made.append(1) or SimpleNamespace(region="eu-west-1"))
    assert made == []
    assert (late.region, late.region, made) == ("eu-west-1", "eu-west-1", [1])
