"""A large value is stored whole in one object, or is reported as damaged."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from harness import Harness, flipped, noise

from turnkeep.errors import StateCorrupt, StoreUnavailable
from turnkeep.store.blobs import Blobs, Objects, S3Objects
from turnkeep.store.items import Items
from turnkeep.store.keys import object_key, objects_of
from turnkeep_local.processes import free_port

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(params=["s3", "folder"])
def store(request: pytest.FixtureRequest) -> Objects:
    """The S3 of the cloud and the folder of a laptop."""
    name = "objects" if request.param == "s3" else "folder_objects"
    found: Objects = request.getfixturevalue(name)
    return found


@pytest.fixture
def roomy(dynamodb: "DynamoDBClient", table_name: str, store: Objects) -> Harness:
    return Harness(Items(dynamodb, table_name), store)


def test_all_objects_of_a_thread_are_listed_even_unreferenced_ones(store: Objects) -> None:
    blobs = Blobs(store)
    mine = [blobs.attributes("pk", f"sk{n}", b"v", inline_bytes=0)["object"] for n in range(3)]
    other = blobs.attributes("pk2", "sk0", b"v", inline_bytes=0)["object"]
    found = list(blobs.names(objects_of("pk")))
    assert sorted(found) == sorted(mine)
    blobs.delete([*found, object_key("pk", "absent")])
    assert list(blobs.names(objects_of("pk"))) == []
    assert store.get(other) == b"v"


def test_an_unreachable_s3_is_not_a_missing_object() -> None:
    quick = Config(connect_timeout=0.2, read_timeout=0.2, retries={"max_attempts": 0})
    silent = S3Objects(boto3.client("s3", endpoint_url=f"http://127.0.0.1:{free_port()}", config=quick), "bucket")
    for call in (lambda: silent.get("key"), lambda: silent.put("key", b""), lambda: silent.delete(["key"])):
        with pytest.raises(StoreUnavailable):
            call()


@pytest.mark.parametrize("size", [100, 3_000, 5_000, 200_000, 900_000])
def test_details_of_any_size_are_read_back(roomy: Harness, size: int) -> None:
    details = {"rows": [noise(size)]}
    roomy.take_turn("x", details=details)
    asides = [item for sk, item in roomy.all_of("x").items() if sk.startswith("ASIDE#")]
    assert len(asides) == (0 if size < 1_000 else 1)
    assert ["object" in item for item in asides] == [size > 6_000] * len(asides)
    assert roomy.store.turns.read(roomy.who, "x", 1).details == details
    assert roomy.store.turns.newest(roomy.who, "x", limit=1)[0].details == {}


@pytest.mark.parametrize("harm", ["delete", "alter"])
@pytest.mark.parametrize("what", ["TURN#", "CP#", "ASIDE#"])
def test_a_damaged_object_raises_state_corrupt_and_changes_nothing(roomy: Harness, what: str, harm: str) -> None:
    roomy.take_turn("x", "hello", noise(900_000), details={"rows": noise(900_000)}, checkpoint={"big": noise(900_000)})
    item = next(item for sk, item in roomy.all_of("x").items() if sk.startswith(what))
    if harm == "delete":
        roomy.objects.delete([item["object"]])
    else:
        roomy.objects.put(item["object"], flipped(roomy.objects.get(item["object"]), 1000))
    before = roomy.all_of("x")
    reads: dict[str, Callable[[], object]] = {
        "TURN#": lambda: roomy.store.turns.newest(roomy.who, "x", limit=5),
        "CP#": lambda: roomy.store.turns.load(roomy.store.heads.read(roomy.who, "x"), 10),
        "ASIDE#": lambda: roomy.store.turns.read(roomy.who, "x", 1),
    }
    with pytest.raises(StateCorrupt):
        reads[what]()
    assert roomy.all_of("x") == before
