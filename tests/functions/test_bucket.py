"""The S3 of functions on this machine, asked by the very client that asks AWS."""

from collections.abc import Iterator
from pathlib import Path
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
def folder(tmp_path: Path) -> FolderObjects:
    return FolderObjects(tmp_path)


@pytest.fixture
def client(folder: FolderObjects) -> Iterator["S3Client"]:
    with serve_bucket(folder) as url:
        yield boto3.client("s3", endpoint_url=url, config=Config(retries={"total_max_attempts": 1}))


@pytest.mark.parametrize("key", KEYS)
def test_functions_and_the_server_share_objects(key: str, client: "S3Client", folder: FolderObjects) -> None:
    objects, body = S3Objects(client, "any"), bytes(range(256)) * 3000
    objects.put(key, body)
    assert folder.get(key) == objects.get(key) == body
    folder.put(key, b"")
    assert objects.get(key) == b""


def test_deleted_objects_are_gone_and_the_rest_stays(client: "S3Client", folder: FolderObjects) -> None:
    objects = S3Objects(client, "any")
    for key in KEYS:
        objects.put(key, b"one")
    assert list(objects.names("blobs/a1/")) == sorted(KEYS[:2])
    assert list(objects.names("blobs/none/")) == []
    objects.delete([*KEYS[1:], "blobs/never"])
    assert folder.get(KEYS[0]) == b"one"
    for key in KEYS[1:]:
        with pytest.raises(KeyError):
            objects.get(key)
        with pytest.raises(KeyError):
            folder.get(key)


def test_a_local_upload_reads_like_one_of_s3(client: "S3Client", folder: FolderObjects) -> None:
    KeptUploads(folder).put("uploads/a1/d1", "b3duZXI=", b"two\nlines")
    uploads = S3Uploads(client, "any")
    assert uploads.read("uploads/a1/d1") == (b"two\nlines", "b3duZXI=")
    uploads.delete(["uploads/a1/d1"])
    assert list(folder.names("uploads/a1/")) == []
