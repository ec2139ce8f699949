from typing import TYPE_CHECKING

import pytest
from desk import Desk

from turnkeep.storage.items import Items
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def desk(dynamodb: "DynamoDBClient", table_name: str, folder_objects: FolderObjects) -> Desk:
    """A store on DynamoDB Local, its objects in a folder, its clock in the test's hand."""
    return Desk(Items(dynamodb, table_name), folder_objects)
