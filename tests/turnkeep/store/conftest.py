from typing import TYPE_CHECKING

import pytest
from harness import Harness

from turnkeep.store.items import Items
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def harness(dynamodb: "DynamoDBClient", table_name: str, folder_objects: FolderObjects) -> Harness:
    """A store on DynamoDB Local, its objects in a folder, its clock in the test's hand."""
    return Harness(Items(dynamodb, table_name), folder_objects)
