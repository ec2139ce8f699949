"""Stores for functions that run in processes of their own, and a way to start them."""

import os
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from front import Front
from lambdas import FUNCTIONS, ROOT, STREAMING, Function, running_function

from turnkeep.store.opening import make_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

    from turnkeep.services import Services


@pytest.fixture(scope="session")
def function_environ(dynamodb, dynamodb_url, s3, s3_url):
    """What every function finds in its environment, with a table and a bucket for the whole folder."""
    name = f"turnkeep-{uuid.uuid4().hex}"
    make_table(dynamodb, name)
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    yield {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
        "AWS_ENDPOINT_URL_S3": s3_url,
        "TABLE_NAME": name,
        "BUCKET_NAME": name,
        "SEAL_KEY": "of the test",
    }
    dynamodb.delete_table(TableName=name)


@pytest.fixture
def of_a_function(function_environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has the environment of a function."""
    for name, value in function_environ.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def services(function_environ: dict[str, str], dynamodb: "DynamoDBClient", s3: "S3Client") -> "Services":
    """Those of the functions, reached from here."""
    from turnkeep.bootstrap import build
    from turnkeep.settings import Settings
    from turnkeep.store.blobs import S3Objects
    from turnkeep.store.uploads import S3Uploads

    name = function_environ["TABLE_NAME"]
    settings = Settings(table_name=name, bucket_name=name, seal_key=function_environ["SEAL_KEY"])  # type: ignore[arg-type]
    return build(settings, dynamodb=dynamodb, objects=S3Objects(s3, name), uploads=S3Uploads(s3, name))


@pytest.fixture(scope="module")
def start(function_environ, tmp_path_factory):
    """Starts functions, by default the one that streams; they end with the module."""
    with ExitStack() as stack:

        def start(
            *command: str, folder: Path = FUNCTIONS / "stream", front: Front | None = None, **environ: str
        ) -> Function:
            log = tmp_path_factory.mktemp("function") / "log"
            facts = function_environ | {"LAMBDA_TASK_ROOT": str(folder)} | environ
            return stack.enter_context(running_function(command or STREAMING, facts, front or Front(), log))

        yield start
