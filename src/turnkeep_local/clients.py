"""Clients of local stores. Without credentials in the environment they send made-up ones: local stores require some."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from turnkeep.bootstrap import CLIENT_CONFIG
from turnkeep.store.blobs import Objects, S3Objects
from turnkeep.store.opening import LOCAL_REGION, local_access
from turnkeep_local.dynamodb import Store
from turnkeep_local.home import Home
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_CONFIG = Config(**CLIENT_CONFIG)
_PATIENT = _CONFIG.merge(Config(read_timeout=60))
"""A newly started store may take long to make its table on a busy machine."""


def open_session(store: Store, environ: Mapping[str, str]) -> boto3.Session:
    return boto3.Session(**(local_access(store.access_key) if store.access_key else _access(environ)))


def dynamodb_client(store: Store, environ: Mapping[str, str]) -> "DynamoDBClient":
    return open_session(store, environ).client("dynamodb", endpoint_url=store.url, config=_PATIENT)


def open_objects(home: Home, environ: Mapping[str, str], bucket: str) -> Objects:
    """Return this home's folder, or the S3 that the environment names; make its bucket if missing."""
    url = environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")
    if not url:
        return FolderObjects(home.objects)
    client = boto3.client("s3", endpoint_url=url, config=_CONFIG, **_access(environ))
    if bucket not in [found["Name"] for found in client.list_buckets()["Buckets"]]:
        region: Any = client.meta.region_name
        where: Any = {"CreateBucketConfiguration": {"LocationConstraint": region}} if region != "us-east-1" else {}
        client.create_bucket(Bucket=bucket, **where)
    return S3Objects(client, bucket)


def _access(environ: Mapping[str, str]) -> dict[str, Any]:
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or LOCAL_REGION
    has_own = any(name in environ for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"))
    return {**({} if has_own else local_access("local")), "region_name": region}
