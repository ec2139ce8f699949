import gc
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from turnkeep.aws.loading import LateClient, loading


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_garbage_collection_resumes_after_a_failed_load() -> None:
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()


def test_loading_pauses_garbage_collection_and_freezes_its_result() -> None:
    gc.unfreeze()
    with loading():
        assert not gc.isenabled()
        kept = [[n] for n in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(kept)


def test_a_late_client_is_created_once_on_first_use() -> None:
    made = []
    late = LateClient(lambda: made.append(1) or SimpleNamespace(region="eu-west-1"))
    assert made == []
    assert (late.region, late.region, made) == ("eu-west-1", "eu-west-1", [1])
