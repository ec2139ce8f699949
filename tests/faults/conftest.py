"""The stores that a test breaks calls to."""

import pytest
from fault_site import Site


@pytest.fixture
def site(dynamodb_url: str, table_name: str, s3_url: str, bucket: str) -> Site:
    return Site(dynamodb_url, table_name, s3_url, bucket)
