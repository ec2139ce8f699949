"""Where the variables of own graphs come from on AWS."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from turnkeep.aws.environment import take_environment
from turnkeep.aws.sealkey import SecretError

PATH = "/turnkeep/hello/env"


@pytest.fixture
def ssm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.delenv("AWS_ENDPOINT_URL_SSM", raising=False)
    with mock_aws():
        yield boto3.client("ssm", region_name="eu-west-1")


def put(ssm: Any, **values: str) -> None:
    for name, value in values.items():
        ssm.put_parameter(Name=f"{PATH}/{name}", Value=value, Type="SecureString")


def test_every_parameter_under_the_path_becomes_a_variable(ssm: Any) -> None:
    put(ssm, **{f"NAME_{number}": str(number) for number in range(12)})  # AWS gives ten at a time
    ssm.put_parameter(Name="/turnkeep/other/env/NAME_0", Value="of another stack", Type="String")
    environ: dict[str, str] = {}
    take_environment(ssm, PATH, environ)
    assert environ == {f"NAME_{number}": str(number) for number in range(12)}


def test_what_the_function_has_wins_and_what_it_has_empty_is_unset(ssm: Any) -> None:
    put(ssm, TABLE_NAME="another", MODEL="openai/gpt-4o")
    environ = {"TABLE_NAME": "turnkeep", "MODEL": "", "OPENAI_BASE_URL": ""}
    take_environment(ssm, PATH, environ)
    assert environ == {"TABLE_NAME": "turnkeep", "MODEL": "openai/gpt-4o"}


def test_no_value_is_logged(ssm: Any, output: Any) -> None:
    put(ssm, OPENAI_API_KEY="sk-canary")
    take_environment(ssm, PATH, {})
    [line] = output()
    assert line["names"] == ["OPENAI_API_KEY"]
    assert "canary" not in str(line)


def test_a_path_that_cannot_be_read_is_named_with_what_it_needs() -> None:
    ssm = boto3.client("ssm", region_name="eu-west-1", aws_access_key_id="testing", aws_secret_access_key="testing")
    with Stubber(ssm) as stub:
        stub.add_client_error("get_parameters_by_path", "AccessDeniedException")
        told = r"/turnkeep/hello/env cannot be read \(AccessDeniedException\); it needs ssm:GetParametersByPath"
        with pytest.raises(SecretError, match=told):
            take_environment(ssm, PATH, {})
