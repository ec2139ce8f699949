"""One server for all tests of the folder."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deployed_site import KEY, deployed
from pages import page_of
from playwright.sync_api import Browser
from site_of_clients import Site, served

from browser import chromium
from turnkeep.store.opening import make_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def clients_table(dynamodb: "DynamoDBClient") -> Iterator[str]:
    name = f"turnkeep-{uuid.uuid4().hex}"
    make_table(dynamodb, name)
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="session")
def facts(dynamodb_url: str, clients_table: str) -> dict[str, str]:
    """The environment of the store."""
    return {"AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "TABLE_NAME": clients_table, "SEAL_KEY": "of the test"}


@pytest.fixture(scope="session")
def bucket(s3: "S3Client", s3_url: str) -> dict[str, str]:
    """The environment of a bucket."""
    name = f"turnkeep-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return {"BUCKET_NAME": name, "AWS_ENDPOINT_URL_S3": s3_url}


@pytest.fixture(scope="session")
def url(facts: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of `turnkeep dev`."""
    with served(tmp_path_factory.mktemp("clients"), facts) as address:
        yield address


@pytest.fixture(scope="session")
def deployment(
    facts: dict[str, str], bucket: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    with deployed(tmp_path_factory.mktemp("deployed"), {**facts, **bucket}) as url:
        yield Site(url, KEY)


@pytest.fixture(scope="session", params=["laptop", "deployment"])
def site(request: pytest.FixtureRequest) -> Site:
    if request.param == "laptop":
        return Site(request.getfixturevalue("url"))
    return request.getfixturevalue("deployment")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as program:
        yield program


@pytest.fixture(scope="module", params=["chat_page.mjs", "react_page.mjs"])
def application(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a page."""
    with page_of(request.param, tmp_path_factory.mktemp("page")) as address:
        yield address


@pytest.fixture(scope="module", params=["laptop", "deployment"])
def api(
    request: pytest.FixtureRequest,
    application: str,
    facts: dict[str, str],
    bucket: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, str]]:
    """The URL of the server and the key. A deployment must allow the origin of the page; each tab holds two streams."""
    if request.param == "laptop":
        yield {"api": request.getfixturevalue("url")}
    else:
        own = {**facts, **bucket, "CORS_ORIGINS": application.rstrip("/")}
        with deployed(tmp_path_factory.mktemp("deployed"), own, streams=6) as url:
            yield {"api": url, "key": KEY}
