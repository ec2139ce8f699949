"""Uploads to S3 keep their owner. The form limits what S3 accepts."""

import json
from base64 import b64decode
from typing import TYPE_CHECKING

import boto3
import httpx
import pytest
from botocore.config import Config

from turnkeep.aws.deployment import REGIONAL
from turnkeep.store.blobs import S3Objects
from turnkeep.store.uploads import MAX_UPLOAD_BYTES, OWNER, S3Uploads

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

KEY, WHOSE, BODY = f"uploads/{'ab' * 32}/d1", "b3duZXI=", b"\r\n\0some\nbytes\n"


def test_a_file_is_posted_to_s3_and_read_with_its_owner(s3: "S3Client", bucket: str) -> None:
    uploads = S3Uploads(s3, bucket)
    form = uploads.form(KEY, WHOSE, "text/plain")
    sent = httpx.post(form.url, data=form.fields, files={"file": BODY})
    assert sent.status_code == 204, sent.text
    assert uploads.read(KEY) == (BODY, WHOSE)
    assert httpx.get(S3Objects(s3, bucket).link(KEY, 60)).content == BODY
    uploads.delete([KEY])
    with pytest.raises(KeyError):
        uploads.read(KEY)


REGIONS = ["us-east-1", "eu-west-1", "eu-south-2", "il-central-1", "cn-north-1", "us-gov-west-1"]


@pytest.mark.parametrize("region", REGIONS)
def test_forms_and_links_name_the_region(region: str) -> None:
    """The address of a bucket that is new, and of every bucket in regions after 2019."""
    end = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    client = client_of(region)
    link = S3Objects(client, "some-bucket").link("exports/one", 60)
    assert S3Uploads(client, "some-bucket").form(KEY, WHOSE, None).url == f"https://some-bucket.s3.{region}.{end}/"
    assert link.partition("?")[0] == f"https://some-bucket.s3.{region}.{end}/exports/one"
    assert "X-Amz-SignedHeaders=host&" in link


def client_of(region: str) -> "S3Client":
    """The client of a deployed function in a region."""
    config = Config(signature_version="s3v4", s3=REGIONAL)
    return boto3.client("s3", region_name=region, aws_access_key_id="a", aws_secret_access_key="b", config=config)


def test_a_form_fixes_key_owner_and_size() -> None:
    form = S3Uploads(client_of("eu-central-1"), "some-bucket").form(KEY, WHOSE, None)
    policy = json.loads(b64decode(form.fields["policy"]))
    assert [form.fields["key"], form.fields[OWNER]] == [KEY, WHOSE]
    for condition in ({OWNER: WHOSE}, ["content-length-range", 1, MAX_UPLOAD_BYTES], {"key": KEY}):
        assert condition in policy["conditions"]
