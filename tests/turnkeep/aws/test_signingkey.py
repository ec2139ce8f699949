"""The signing key of a deployment makes itself once, and no error shows it. Over moto's SSM, and over a stand-in where
races or refusals matter."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from turnkeep.aws.signingkey import SecretError, read_key, reread, seal_key, usable
from turnkeep.signing import secrets_of

NAME, UPSTREAM = "/x/seal-key", "secret upstream text"


class Ssm:
    """Parameters in memory; `faults` are raised by the next calls, None by none."""

    def __init__(self, *faults: Exception | None) -> None:
        self.values: dict[str, str] = {}
        self.calls: list[str] = []
        self._faults = iter(faults)

    def get_parameter(self, **asked: Any) -> Any:
        self._begin("get")
        if asked["Name"] not in self.values:
            raise refused("ParameterNotFound")
        return {"Parameter": {"Value": self.values[asked["Name"]]}}

    def put_parameter(self, **asked: Any) -> Any:
        self._begin("put")
        if asked["Name"] in self.values and not asked["Overwrite"]:
            raise refused("ParameterAlreadyExists")
        self.values[asked["Name"]] = asked["Value"]
        return {"Version": 1}

    def _begin(self, call: str) -> None:
        self.calls.append(call)
        if fault := next(self._faults, None):
            raise fault


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": UPSTREAM}}, "x")


def test_it_is_created_once_as_a_secure_string(ssm: Any, name: str) -> None:
    first, again = (seal_key(ssm, name) for _ in range(2))
    assert first == again == read_key(ssm, name)
    assert ssm.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Type"] == "SecureString"
    (secret,) = secrets_of(first)
    assert len(secret) == 64


def test_functions_that_start_together_agree_on_one_key(ssm: Any, name: str) -> None:
    gate = threading.Barrier(4)

    def start(_: int) -> str:
        gate.wait()
        return seal_key(ssm, name)

    with ThreadPoolExecutor(4) as pool:
        (text,) = set(pool.map(start, range(4)))
    assert secrets_of(text)


@pytest.mark.parametrize("fault", [None, refused("TooManyUpdates")])
def test_the_loser_of_a_race_uses_the_key_of_the_winner(fault: Exception | None) -> None:
    ssm = Ssm(None, fault)

    def generate_while_another_puts() -> str:
        ssm.values[NAME] = "the winner's"
        return "the loser's"

    assert seal_key(ssm, NAME, generate=generate_while_another_puts) == "the winner's"


def test_a_key_of_another_function_that_is_not_readable_yet_stops_the_start() -> None:
    with pytest.raises(SecretError, match="just created by another function"):
        seal_key(Ssm(None, refused("ParameterAlreadyExists")), NAME)


@pytest.mark.parametrize(
    ("faults", "shown"),
    [
        ([refused("AccessDeniedException")], r"AccessDeniedException.*ssm:GetParameter and ssm:PutParameter"),
        ([None, refused("AccessDeniedException")], r"AccessDeniedException.*ssm:PutParameter"),
        ([refused("ThrottlingException")], "ThrottlingException"),
        ([EndpointConnectionError(endpoint_url="x")], "EndpointConnectionError"),
    ],
)
def test_a_refusal_stops_the_start_and_shows_only_its_code(faults: list[Exception | None], shown: str) -> None:
    with pytest.raises(SecretError, match=rf"{NAME}.*{shown}") as caught:
        seal_key(Ssm(*faults), NAME)
    assert UPSTREAM not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("faults", [[refused("AccessDeniedException")], []])
def test_secrets_that_cannot_be_reread_are_logged(faults: list[Exception], log: Any) -> None:
    assert reread(Ssm(*faults), NAME) == ()
    assert "signing key not read" in log.getvalue()


def test_an_unusable_value_is_reported_without_it() -> None:
    with pytest.raises(SecretError, match=r"is invalid: line 2") as caught:
        usable("2026-11-22 canary\ncanary")
    assert "canary" not in str(caught.value)
