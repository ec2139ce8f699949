from typing import TYPE_CHECKING

import pytest
from harness import Harness

from turnkeep.store.direct import Direct
from turnkeep.store.items import Items
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(params=["direct"])
def harness(
    request: pytest.FixtureRequest,
    direct: Direct,
    dynamodb: "DynamoDBClient",
    table_name: str,
    folder_objects: FolderObjects,
) -> Harness:
    """A store on DynamoDB Local, its objects in a folder, its clock in the test's hand. Requests skip botocore's layers
    unless a test asks for "botocore"."""
    return Harness(Items(dynamodb, table_name, direct=direct if request.param == "direct" else None), folder_objects)
