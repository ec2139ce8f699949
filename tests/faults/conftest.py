"""The stores that a test breaks calls to."""

import pytest
from fault_site import Site, send
from fault_site import request as request_for


@pytest.fixture(params=["direct"])
def site(request: pytest.FixtureRequest, own_clients: None, dynamodb_url: str, table_name: str, bucket: str) -> Site:
    """Requests skip botocore's layers as in a deployment, unless a test asks for "botocore"."""
    return Site(dynamodb_url, table_name, request.getfixturevalue("s3_url"), bucket, request.param == "direct")


@pytest.fixture
async def thread(site: Site) -> str:
    """A thread with one turn."""
    await send(site.turns(), request_for("t", "one", "before"))
    return "t"
