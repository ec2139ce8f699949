"""The S3 of functions on this machine, asked by the very client that asks AWS."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from emulated.bucket import serve_bucket
from turnkeep.store.blobs import S3Objects
from turnkeep.store.uploads import KeptUploads, S3Uploads
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

KEYS = ("blobs/a1/b2", "blobs/a1/c3", "blobs/d4/b2")


@pytest.fixture
def client(folder_objects: FolderObjects) -> Iterator["S3Client"]:
    with serve_bucket(folder_objects) as url:
        yield boto3.client("s3", endpoint_url=url, config=Config(retries={"total_max_attempts": 1}))


def test_functions_and_the_server_share_objects(client: "S3Client", folder_objects: FolderObjects) -> None:
    objects, body = S3Objects(client, "any"), bytes(range(256)) * 3000
    for key in KEYS:
        objects.put(key, body)
        assert folder_objects.get(key) == objects.get(key) == body
    folder_objects.put(KEYS[0], b"")
    assert objects.get(KEYS[0]) == b""
    assert list(objects.names("blobs/a1/")) == sorted(KEYS[:2])
    assert list(objects.names("blobs/none/")) == []
    objects.delete([*KEYS[1:], "blobs/never"])
    assert folder_objects.get(KEYS[0]) == b""
    for key in KEYS[1:]:
        for store in (objects, folder_objects):
            with pytest.raises(KeyError):
                store.get(key)


def test_a_local_upload_reads_like_one_of_s3(client: "S3Client", folder_objects: FolderObjects) -> None:
    KeptUploads(folder_objects).put("uploads/a1/d1", "b3duZXI=", b"two\nlines")
    uploads = S3Uploads(client, "any")
    assert uploads.read("uploads/a1/d1") == (b"two\nlines", "b3duZXI=")
    uploads.delete(["uploads/a1/d1"])
    assert list(folder_objects.names("uploads/a1/")) == []
