"""The app reads what the authorizer returned; nothing that a client sends changes its identity."""

from typing import Any

import pytest

from turnkeep.aws.callers import VerifiedCaller, principal_of
from turnkeep.errors import Unauthorized
from turnkeep.records import Principal

ACCOUNT = "123456789012"
KINDS = ("keys", "jwt", "iam")
FORGED = {
    "headers": {"tenant": "evil", "x-tenant": "evil", "Authorization": "Bearer evil", "X-Turnkeep-User": "evil"},
    "multiValueHeaders": {"user": ["evil"]},
    "queryStringParameters": {"tenant": "evil", "user": "evil", "acts_for": "any"},
    "body": '{"tenant": "evil", "user": "evil", "authorizer": {"tenant": "evil"}}',
    "authorizer": {"tenant": "evil", "user": "evil", "acts_for": "any"},
    "tenant": "evil",
}


def authorized(**changes: Any) -> dict[str, Any]:
    """An event as API Gateway sends it behind an authorizer."""
    context = VerifiedCaller(Principal("acme", "ann"), "0123456789abcdef").as_context()
    authorizer = {**context, "principalId": "0123456789abcdef", "integrationLatency": 12, **changes}
    return {"requestContext": {"authorizer": authorizer, "identity": {"accountId": None, "userArn": None}}}


def signed(arn: Any, account: Any = ACCOUNT, **more: Any) -> dict[str, Any]:
    """An event as API Gateway sends it behind IAM."""
    return {"requestContext": {"identity": {"accountId": account, "userArn": arn, "cognitoIdentityId": None, **more}}}


@pytest.mark.parametrize("kind", ["keys", "jwt"])
@pytest.mark.parametrize("acts_for", ["", "tenant", "any"])
def test_the_app_reads_what_the_authorizer_returned(kind: str, acts_for: Any) -> None:
    who = Principal("acme \u00e9/#", "auth0|7", acts_for=acts_for)
    event = {"requestContext": {"authorizer": VerifiedCaller(who, "x").as_context()}}
    found = principal_of(event, kind)
    assert (found, found.acts_for) == (who, acts_for)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_a_client_sends_changes_its_identity(kind: str) -> None:
    event = signed(f"arn:aws:iam::{ACCOUNT}:user/ann") if kind == "iam" else authorized()
    expected = principal_of(event, kind)
    found = principal_of({**FORGED, **event}, kind)
    assert (found, found.acts_for) == (expected, "")
    assert "evil" not in f"{found}"


@pytest.mark.parametrize("value", ["Any", "ANY", "true", "nobody", "", " any", True, 1, None, ["any"]])
def test_only_the_exact_words_allow_acting_for_others(value: Any) -> None:
    assert principal_of(authorized(acts_for="any"), "keys").acts_for
    assert not principal_of(authorized(acts_for=value), "keys").acts_for


@pytest.mark.parametrize("kind", ["keys", "jwt"])
@pytest.mark.parametrize("field", ["tenant", "user"])
@pytest.mark.parametrize("value", [None, "", 7, True, ["acme"], {"a": 1}, "\ud800", "x" * 2000])
def test_a_context_without_tenant_or_user_is_unauthorized(kind: str, field: str, value: Any) -> None:
    with pytest.raises(Unauthorized):
        principal_of(authorized(**{field: value}), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "event",
    [
        {},
        {"requestContext": None},
        {"requestContext": "x"},
        {"requestContext": {"authorizer": "acme", "identity": "acme"}},
        {"requestContext": {"authorizer": {}, "identity": {}}},
        {"requestContext": {"authorizer": {"lambda": {"tenant": "acme", "user": "ann"}}}},
        FORGED,
    ],
)
def test_an_event_without_a_verified_caller_is_unauthorized(kind: str, event: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        principal_of(event, kind)


POOL = f"arn:aws:sts::{ACCOUNT}:assumed-role/Cognito_Auth_Role/CognitoIdentityCredentials"


@pytest.mark.parametrize(
    ("arn", "identity", "user"),
    [
        (f"arn:aws:iam::{ACCOUNT}:root", None, "root"),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/app/ann@example.com", None, "assumed-role/app/ann@example.com"),
        (f"arn:aws-us-gov:sts::{ACCOUNT}:assumed-role/app/a", None, "assumed-role/app/a"),
        (POOL, "eu-west-1:ann", "cognito-identity/eu-west-1:ann"),
    ],
)
def test_a_signer_is_identified_by_account_and_arn_or_identity(arn: str, identity: str | None, user: str) -> None:
    found = principal_of(signed(arn, cognitoIdentityId=identity), "iam")
    assert (found, found.acts_for) == (Principal(ACCOUNT, user), "")


@pytest.mark.parametrize(
    ("arn", "account"),
    [
        (None, None),
        (f"arn:aws:iam::{ACCOUNT}:user/ann", "210987654321"),
        (None, ACCOUNT),
        ("ann", ACCOUNT),
        (f"arn:aws:iam::{ACCOUNT}:", ACCOUNT),
        (f"arn:aws:s3::{ACCOUNT}:user/ann", ACCOUNT),
        ("arn:aws:iam::anonymous:user/ann", "anonymous"),
        (f"arn:aws:iam::{ACCOUNT}:user/{'p/' * 512}ann", ACCOUNT),
        ([f"arn:aws:iam::{ACCOUNT}:user/ann"], ACCOUNT),
    ],
)
def test_a_malformed_signer_is_unauthorized(arn: Any, account: Any) -> None:
    with pytest.raises(Unauthorized):
        principal_of(signed(arn, account), "iam")
    for malformed in (7, ["x"]):
        with pytest.raises(Unauthorized):
            principal_of(signed(POOL, cognitoIdentityId=malformed), "iam")
