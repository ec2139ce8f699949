import secrets
import time
from typing import TYPE_CHECKING, Any

import pytest
from saver_graphs import KEY, Open

from turnkeep import DynamoDBSaver
from turnkeep.store.blobs import Blobs
from turnkeep.store.codec import Codec
from turnkeep.store.items import Items
from turnkeep.store.store import Store

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(params=["without botocore's layers"])
def open_saver(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    own_clients: None,
    dynamodb_url: str,
    table_name: str,
) -> Open:
    """A saver that remembers nothing, over the one table of the test. It opens its own client."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    monkeypatch.setenv("DYNAMODB_DIRECT", str(request.param == "without botocore's layers"))

    def opened(**more: Any) -> DynamoDBSaver:
        return DynamoDBSaver(table_name, **{"seal_key": KEY, **more})

    return opened


@pytest.fixture
def store(dynamodb: "DynamoDBClient", table_name: str) -> Store:
    """The same table as the API has it."""
    items = Items(dynamodb, table_name)
    return Store(items, Blobs(None, items), Codec(KEY.encode()), clock=time.time, random_bytes=secrets.token_bytes)
