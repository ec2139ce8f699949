import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from new_site import NewSite
from old_site import OldSite

from peers import create_tables
from turnkeep.store.items import Items
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="module")
def old_site(dynamodb_url: str, dynamodb: "DynamoDBClient") -> Callable[[str], OldSite]:
    """Makes fresh tables."""

    def make(package: str) -> OldSite:
        site = OldSite(package, dynamodb_url, f"old-{uuid.uuid4().hex}", {})
        create_tables(dynamodb, site.name)
        return site

    return make


@pytest.fixture
def here(dynamodb: "DynamoDBClient", table_name: str, folder_objects: FolderObjects) -> NewSite:
    return NewSite(Items(dynamodb, table_name), folder_objects)
