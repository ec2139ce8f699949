"""The signing key of a deployment makes itself once, and no error shows it."""

from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from turnkeep.aws.deployment import deployed_settings
from turnkeep.aws.signingkey import SecretError, read_key, reread, seal_key, usable
from turnkeep.signing import secrets_of

NAME, UPSTREAM = "/x/seal-key", "secret upstream text"


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": UPSTREAM}}, "x")


def test_it_is_created_once_as_a_secure_string(ssm: Any, name: str) -> None:
    first, again = (deployed_settings({"SEAL_KEY_PARAMETER": name}).seal_key.get_secret_value() for _ in range(2))
    assert first == again == read_key(ssm, name)
    assert ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Type"] == "SecureString"
    (secret,) = secrets_of(first)
    assert len(secret) == 64


def ssm_of(gets: list[Any], *puts: ClientError) -> Mock:
    """A client with these answers and faults of `get_parameter` and `put_parameter`."""
    return Mock(**{"get_parameter.side_effect": gets, "put_parameter.side_effect": puts})


ABSENT = refused("ParameterNotFound")


@pytest.mark.parametrize("code", ["ParameterAlreadyExists", "TooManyUpdates"])
def test_the_loser_of_a_race_uses_the_key_of_the_winner(code: str) -> None:
    ssm = ssm_of([ABSENT, {"Parameter": {"Value": "the winner's"}}], refused(code))
    assert seal_key(ssm, NAME) == "the winner's"
    assert ssm.put_parameter.call_args.kwargs["Overwrite"] is False


def test_a_key_of_another_function_that_is_not_readable_yet_stops_the_start() -> None:
    with pytest.raises(SecretError, match="just created by another function"):
        seal_key(ssm_of([ABSENT, ABSENT], refused("ParameterAlreadyExists")), NAME)


@pytest.mark.parametrize(
    ("ssm", "shown"),
    [
        (ssm_of([refused("AccessDeniedException")]), r"AccessDeniedException.*ssm:GetParameter and ssm:PutParameter"),
        (ssm_of([ABSENT], refused("AccessDeniedException")), r"AccessDeniedException.*ssm:PutParameter"),
        (ssm_of([EndpointConnectionError(endpoint_url="x")]), "EndpointConnectionError"),
    ],
)
def test_a_refusal_stops_the_start_and_shows_only_its_code(ssm: Any, shown: str) -> None:
    with pytest.raises(SecretError, match=rf"{NAME}.*{shown}") as caught:
        seal_key(ssm, NAME)
    assert UPSTREAM not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("fault", [refused("AccessDeniedException"), ABSENT])
def test_secrets_that_cannot_be_reread_are_logged(fault: ClientError, log: Any) -> None:
    assert reread(ssm_of([fault]), NAME) == ()
    assert "signing key not read" in log.getvalue()


def test_an_unusable_value_is_reported_without_it() -> None:
    with pytest.raises(SecretError, match=r"is invalid: line 2") as caught:
        usable("2026-11-22 canary\ncanary")
    assert "canary" not in str(caught.value)
