"""The same clients against a deployment: each answer as it is locally, through the functions that the template names,
with a key where these clients put it."""

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import openai_calls
import pytest
import sdk_calls
from comparing import recorded, unexpected
from deployed_site import KEY, deployed
from node_calls import node_calls, run_node
from openai_expected import EXPECTED
from scenes import SCENES, play
from test_langgraph_wire import KNOWN

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BEARER = {"authorization": f"Bearer {KEY}"}


@pytest.fixture(scope="module")
def stack(
    facts: dict[str, str], s3: "S3Client", s3_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    bucket = f"turnkeep-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    with deployed(
        tmp_path_factory.mktemp("deployed"), {**facts, "BUCKET_NAME": bucket, "AWS_ENDPOINT_URL_S3": s3_url}
    ) as url:
        yield url


@pytest.mark.parametrize("scene", SCENES)
def test_each_request_is_answered_as_locally(scene: str, stack: str) -> None:
    found = play(stack, scene, BEARER)
    left, _ = unexpected(found, recorded("http"), KNOWN)
    assert left == [], "\n".join(left)


@pytest.mark.parametrize("given", [{"api_key": KEY}, BEARER], ids=["x-api-key", "bearer"])
async def test_the_sdk_for_python_carries_its_key(given: dict[str, str], stack: str) -> None:
    left, _ = unexpected(await sdk_calls.call(stack, **given), recorded("python"), KNOWN)
    assert left == [], "\n".join(left)


def test_the_sdk_for_javascript_carries_its_key(stack: str) -> None:
    left, _ = unexpected(node_calls(stack, {"x-api-key": KEY}), recorded("node"), KNOWN)
    assert left == [], "\n".join(left)


@pytest.mark.parametrize("sdk", ["python", "javascript"])
def test_openais_sdk_does_all_that_it_does_locally(sdk: str, stack: str) -> None:
    thread = str(uuid.uuid4())
    found = (
        openai_calls.call(stack, thread, KEY) if sdk == "python" else run_node("openai_calls.mjs", stack, thread, KEY)
    )
    assert found == EXPECTED


def test_without_a_key_nothing_is_told(stack: str) -> None:
    assert httpx.post(f"{stack}/assistants/search", json={}).status_code == 401
    assert httpx.get(f"{stack}/v1/models").status_code == 401
