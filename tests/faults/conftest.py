"""The stores that a test breaks calls to, and the wire to DynamoDB Local that it tampers with."""

from collections.abc import Iterator
from dataclasses import replace

import boto3
import pytest
from botocore.config import Config
from fault_site import CREDENTIALS, Site
from harness import Harness

from packets import Wire
from turnkeep.store.items import Items
from turnkeep_local.objects import FolderObjects

TRIES = 3
_QUICK = Config(retries={"mode": "legacy", "total_max_attempts": TRIES}, max_pool_connections=32)


@pytest.fixture
def site(dynamodb_url: str, table_name: str, s3_url: str, bucket: str) -> Site:
    return Site(dynamodb_url, table_name, s3_url, bucket)


@pytest.fixture
def wire(dynamodb_url: str) -> Iterator[Wire]:
    with Wire(dynamodb_url) as wire:
        yield wire


@pytest.fixture
def harness(dynamodb_url: str, table_name: str, folder_objects: FolderObjects) -> Harness:
    """A store on DynamoDB Local, its clock in the test's hand."""
    client = boto3.client("dynamodb", endpoint_url=dynamodb_url, config=_QUICK, **CREDENTIALS)
    return Harness(Items(client, table_name), folder_objects)


@pytest.fixture
def far(wire: Wire, harness: Harness, table_name: str) -> Harness:
    """The same store at the far end of the wire. Its client library tries three times, without long pauses."""
    client = boto3.client("dynamodb", endpoint_url=wire.url, config=_QUICK, **CREDENTIALS)
    return replace(harness, items=Items(client, table_name))
