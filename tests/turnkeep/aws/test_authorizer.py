"""The authorizer: one credential from the headers, one policy for the stage, 401 for unknown callers. The app reads
what it returned; nothing that a client sends changes its identity."""

import secrets
import time
from collections.abc import Callable
from typing import Any

import pytest
from issuer import AUDIENCE, ISSUER, public_jwk, published, token

from deployed_function import gateway_event
from hand_clock import HandClock
from turnkeep.aws.authorizer import KNOWN_SECONDS, MAX_KNOWN, Authorizer, build_authorizer
from turnkeep.aws.bearer import JwksUnavailable
from turnkeep.aws.callers import VerifiedCaller, principal_of
from turnkeep.errors import StoreUnavailable, Unauthorized
from turnkeep.records import Principal
from turnkeep.store.apikeys import ApiKeys
from turnkeep.store.items import Items
from turnkeep.store.keyring import Keyring

STAGE = "arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/v1"


class Verifier:
    """Knows the credentials "good..."; raises `fault`. Records what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fault: Exception | None = None
        self.expires_at: float | None = None

    def __call__(self, credential: str) -> VerifiedCaller:
        self.asked.append(credential)
        if self.fault:
            raise self.fault
        if not credential.startswith("good"):
            raise Unauthorized("The key is unknown.")
        return VerifiedCaller(Principal("acme", credential), f"id-of-{credential}", self.expires_at)


def event(headers: Any = (), **more: Any) -> dict[str, Any]:
    """As API Gateway sends it: every header once in `headers` and in full in `multiValueHeaders`."""
    pairs = headers.items() if isinstance(headers, dict) else headers
    own = {"type": "REQUEST", "methodArn": f"{STAGE}/POST/chat", "requestContext": {"requestId": "request-7"}}
    return {**gateway_event("POST", "/chat", headers=pairs), **own, **more}


class Gate(Authorizer):
    """An authorizer with a hand clock, and its verifier."""

    def __init__(self) -> None:
        self.verifier, self.clock = Verifier(), HandClock()
        super().__init__(self.verifier, clock=self.clock)


@pytest.fixture
def gate() -> Gate:
    return Gate()


GOOD = event({"x-api-key": "good"})
UNKNOWN = f"tk_{'0' * 16}_{'0' * 64}"


def refused(authorize: Callable[[Any], Any], sent: Any) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the exact class and text that API Gateway compares
        authorize(sent)
    assert (type(caught.value), caught.value.args) == (Exception, ("Unauthorized",))
    assert caught.value.__cause__ is None


def test_a_verified_caller_gets_a_policy_for_the_stage_and_a_context(gate: Gate) -> None:
    answer = gate(GOOD)
    assert answer == {
        "principalId": "id-of-good",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": f"{STAGE}/*"}],
        },
        "context": {"tenant": "acme", "user": "good", "acts_for": "nobody", "credential": "id-of-good"},
    }
    assert principal_of({"requestContext": {"authorizer": answer["context"]}}, "keys") == Principal("acme", "good")
    arn = "arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:abc/$default/GET/info"
    policy = gate(GOOD | {"methodArn": arn})["policyDocument"]
    assert policy["Statement"][0]["Resource"] == arn.removesuffix("GET/info") + "*"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": "good"},
        {"X-API-KEY": " good "},
        {"Authorization": "Bearer good"},
        {"AUTHORIZATION": "BEARER   good "},
        {"x-api-key": "good", "Authorization": "Bearer good"},
        {"x-api-key": "", "Authorization": "Bearer good"},
        {"x-api-key": "good", "authorization": " "},
        [("x-api-key", "good"), ("x-api-key", "good")],
        {"x-api-key": "good", "X-Auth-Scheme": "langsmith-api-key", "Cookie": "x-api-key=bad"},
    ],
)
def test_a_credential_is_read_from_either_header(gate: Gate, headers: Any) -> None:
    assert gate(event(headers))["context"]["user"] == "good"
    assert gate.verifier.asked == ["good"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-api-key": "  "},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic good"},
        {"Authorization": "Bearergood"},
        {"Authorization": "Basic Z29vZA==", "x-api-key": "good"},
        {"x-api-key": "good", "Authorization": "Bearer good2"},
        {"x-api-key": "good", "X-Api-Key": "good2"},
        [("x-api-key", "good"), ("x-api-key", "good2")],
        {"x-api-key": "good" * 3000},
        {"x-api-key": "good\u00e9"},
        {"proxy-authorization": "Bearer good"},
    ],
)
def test_a_missing_ambiguous_or_malformed_credential_is_refused_unverified(gate: Gate, headers: Any) -> None:
    refused(gate, event(headers))
    refused(gate, {**GOOD, "multiValueHeaders": {"X-Api-Key": ["good2", "good"]}})
    refused(gate, {**GOOD, "multiValueHeaders": None})
    assert gate.verifier.asked == []


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {"type": "TOKEN", "authorizationToken": "good", "methodArn": f"{STAGE}/GET/info"},
        GOOD | {"type": "request"},
        GOOD | {"methodArn": None},
        GOOD | {"methodArn": "arn:aws:execute-api:*:*:*"},
        GOOD | {"methodArn": "arn:aws:s3:::bucket/v1/GET/info"},
        {"version": "2.0", "type": "REQUEST", "routeArn": f"{STAGE}/GET/info", "headers": {"x-api-key": "good"}},
        {"source": "aws.events", "detail-type": "Scheduled Event", "requestContext": 7},
    ],
)
def test_an_event_that_is_not_an_authorizer_request_is_refused_and_logged(gate: Gate, output: Any, odd: Any) -> None:
    refused(gate, odd)
    assert gate.verifier.asked == []
    (line,) = output()
    assert (line["message"], line["reason"]) == ("caller refused", "The event is not an authorizer request.")


@pytest.mark.parametrize("fault", [StoreUnavailable(), JwksUnavailable(), RuntimeError("x"), KeyError("digest")])
def test_a_fault_is_an_error_and_neither_a_policy_nor_a_refusal(gate: Gate, fault: Exception) -> None:
    gate.verifier.fault = fault
    with pytest.raises(type(fault)) as caught:
        gate(GOOD)
    assert str(caught.value).strip().lower() != "unauthorized"
    gate.verifier.fault = None
    assert gate(GOOD)["context"]["user"] == "good"


def test_a_caller_is_verified_once_a_minute_and_refused_after_a_revocation(gate: Gate) -> None:
    answers = []
    for _ in range(KNOWN_SECONDS):
        answers.append(gate(GOOD))
        gate.clock.now += 1
    assert len(gate.verifier.asked) == 1
    assert answers == [answers[0]] * KNOWN_SECONDS
    gate.verifier.fault = Unauthorized("The key is revoked.")
    refused(gate, GOOD)


def test_a_cached_caller_expires_with_its_credential_and_when_the_clock_is_set_back(gate: Gate) -> None:
    gate.verifier.expires_at = gate.clock.now + 10
    gate(GOOD)
    gate.clock.now += 9
    gate(GOOD)
    assert len(gate.verifier.asked) == 1
    gate.clock.now -= 3600
    gate(GOOD)
    assert len(gate.verifier.asked) == 2
    gate.verifier.fault = Unauthorized("The key is expired.")
    gate.clock.now += 3601
    refused(gate, GOOD)


def test_the_cache_is_bounded_and_drops_the_oldest_first(gate: Gate) -> None:
    for number in range(MAX_KNOWN + 1):
        gate(event({"x-api-key": f"good{number}"}))
    gate.verifier.asked.clear()
    gate(event({"x-api-key": f"good{MAX_KNOWN}"}))
    gate(event({"x-api-key": "good1"}))
    assert gate.verifier.asked == []
    gate(event({"x-api-key": "good0"}))
    assert gate.verifier.asked == ["good0"]
    held = gate._known
    assert len(held) == MAX_KNOWN
    assert all(len(digest) == 32 and b"good" not in digest for digest in held)


def test_log_lines_contain_the_id_of_a_key_and_nothing_secret_or_personal(gate: Gate, output: Any) -> None:
    gate(event({"x-api-key": "good-canary", "x-canary": "canary"}))
    refused(gate, event({"x-api-key": "bad-canary"}))
    refused(gate, event({"x-api-key": "canary", "Authorization": "Bearer canary2"}))
    refused(gate, event({"Authorization": "Canary canary"}))
    known, *refusals = output()
    assert (known["message"], known["credential"]) == ("caller known", "id-of-good-canary")
    assert [line["message"] for line in refusals] == ["caller refused"] * 3
    assert all(line["correlation_id"] == "request-7" for line in (known, *refusals))
    written = str([known, *refusals]).lower()
    assert "canary" not in written.replace("id-of-good-canary", "")
    assert "acme" not in written


# Whole: keys in a real table, tokens of a real issuer


@pytest.fixture
def deployed(dynamodb_url: str, table_name: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Authorizer]:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)

    def build(**environ: str) -> Authorizer:
        return build_authorizer({"TABLE_NAME": table_name, "SEAL_KEY": "of the deployment", **environ})

    return build


def keys_of(secret: bytes, dynamodb: Any, table: str) -> ApiKeys:
    return ApiKeys(Items(dynamodb, table), Keyring(secret), clock=time.time, random_bytes=secrets.token_bytes)


@pytest.mark.usefixtures("ssm")
def test_without_a_readable_key_ring_a_known_key_is_an_error(deployed, name, dynamodb, table_name):
    """The ring is read again for each key that it cannot verify."""
    _, key = keys_of(b"of the deployment", dynamodb, table_name).create(Principal("acme", "ann"))
    authorize = deployed(SEAL_KEY="", SEAL_KEY_PARAMETER=name)
    with pytest.raises(StoreUnavailable):
        authorize(event({"x-api-key": key}))
    refused(authorize, event({"x-api-key": UNKNOWN}))


def test_a_forged_key_in_the_table_is_refused_logged_and_counted(deployed, dynamodb, table_name, output):
    theirs = keys_of(b"theirs", dynamodb, table_name)
    record, key = theirs.create(Principal("acme", "ann", acts_for="any"))
    refused(deployed(), event({"x-api-key": key}))
    counted, line = output()
    assert (counted["ForgedKey"], line["message"], line["credential"]) == ([1.0], "caller refused", record.key_id)


def test_a_token_opens_the_api_and_an_invalid_one_does_not() -> None:
    with published(public_jwk("rsa")) as issuer:
        environ = {"AUTH": "jwt", "JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer.url}
        authorize = build_authorizer(environ)
        answer = authorize(event({"Authorization": f"Bearer {token()}"}))
        assert answer["context"] == {"tenant": "acme", "user": "ann", "acts_for": "nobody", "credential": "jwt"}
        assert answer["principalId"] == "jwt"
        refused(authorize, event({"Authorization": f"Bearer {token(aud='another')}"}))
        refused(authorize, event({"x-api-key": UNKNOWN}))
        issuer.answer = (500, {}, b"")
        with pytest.raises(JwksUnavailable):
            build_authorizer(environ)(event({"Authorization": f"Bearer {token()}"}))


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
