"""Bearer tokens: valid ones of every kind are accepted, all others refused. Keys are fetched rarely and only from the
issuer."""

import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import jwt
import pytest
import trustme
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from issuer import AUDIENCE, ISSUER, Issuer, claims, private_key, public_jwk, published, token

from turnkeep.aws.bearer import BearerTokens, JwksUnavailable, check_url
from turnkeep.errors import Unauthorized
from turnkeep.records import Principal

PUBLISHED = ("rsa", "p256", "p384", "ed")


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    secret = {"kty": "oct", "kid": "secret", "k": encoded(b"s" * 32), "alg": "HS256"}
    with published(
        *map(public_jwk, PUBLISHED), public_jwk("rsa-enc", use="enc"), public_jwk("rsa-short"), secret
    ) as server:
        yield server


def tokens_of(issuer: Issuer, *audiences: str, **rules: str) -> BearerTokens:
    environ = {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": ",".join(audiences or [AUDIENCE]), "JWT_JWKS_URL": issuer.url}
    return BearerTokens.from_environment(environ | rules)


@pytest.fixture
def tokens(issuer: Issuer) -> BearerTokens:
    return tokens_of(issuer)


def encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def raw(head: Any, body: Any, sign: Callable[[bytes], bytes] = lambda _: b"") -> str:
    """A token as no library would make it."""
    signed = f"{encoded(json.dumps(head).encode())}.{encoded(json.dumps(body).encode())}"
    return f"{signed}.{encoded(sign(signed.encode()))}"


def hmac_with(secret: bytes) -> Callable[[bytes], bytes]:
    return lambda text: hmac.digest(secret, text, hashlib.sha256)


def nested(depth: int) -> str:
    return f"{encoded(b'[' * depth)}.{encoded(b'{}')}.{encoded(b'x')}"


NOW = int(time.time())
PUBLIC_PEM = private_key("rsa").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
HEAD = {"alg": "RS256", "kid": "rsa"}
BY_HEAD: dict[str, Callable[[], str]] = {
    "nothing": lambda: "",
    "garbage": lambda: "garbage",
    "not base64": lambda: "a!b.c!d.e!f",
    "not JSON": lambda: f"{encoded(b'{')}.{encoded(b'{}')}.x",
    "no object": lambda: nested(1),
    "too deep": lambda: nested(5000),
    "alg none": lambda: raw({"alg": "none", "kid": "rsa"}, claims()),
    "no alg": lambda: raw({"kid": "rsa"}, claims()),
    "alg of another type": lambda: raw({"alg": ["RS256"], "kid": "rsa"}, claims()),
    "alg unknown": lambda: raw({"alg": "RS1", "kid": "rsa"}, claims()),
    "HS256 with the public key as secret": lambda: raw({"alg": "HS256", "kid": "rsa"}, claims(), hmac_with(PUBLIC_PEM)),
    "HS256 with a secret that was published": lambda: raw(
        {"alg": "HS256", "kid": "secret"}, claims(), hmac_with(b"s" * 32)
    ),
    "no kid": lambda: jwt.encode(claims(), private_key("rsa"), "RS256"),
    "kid of another type": lambda: raw({"alg": "RS256", "kid": 7}, claims()),
    "critical words that nobody knows": lambda: raw({**HEAD, "crit": ["x"], "x": 1}, claims()),
}
"""Refused by what they look like: the issuer is not even asked for its keys."""
BY_KEY: dict[str, tuple[str, Callable[[], str]]] = {
    "kid unknown": ("is not published", lambda: token("rsa", head={"kid": "rsa-other"})),
    "kid empty": ("is not published", lambda: token("rsa", head={"kid": ""})),
    "kid of a secret": ("InvalidAlgorithmError", lambda: token("rsa", head={"kid": "secret"})),
    "kid of a key for encryption": ("is not published", lambda: token("rsa-enc")),
    "another key, sent with the token": (
        "InvalidSignatureError",
        lambda: token("rsa-other", head={"kid": "rsa", "jwk": public_jwk("rsa-other", kid="rsa")}),
    ),
    "kid of a key of another type": ("InvalidAlgorithmError", lambda: token("p256", head={"kid": "rsa"})),
    "curve of another length": ("InvalidAlgorithmError", lambda: token("p256", head={"kid": "p384"})),
    "RSA key of 1,024 bits": ("InvalidKeyError", lambda: token("rsa-short")),
    "no signature": ("InvalidSignatureError", lambda: raw(HEAD, claims())),
    "cut in half": ("DecodeError|InvalidSignatureError", lambda: token()[: len(token()) // 2]),
    "signature of another token": (
        "InvalidSignatureError",
        lambda: f"{token().rpartition('.')[0]}.{token(sub='bob').rpartition('.')[2]}",
    ),
}
BY_CLAIM: dict[str, tuple[str, Callable[[], str]]] = {
    "expired": ("ExpiredSignatureError", lambda: token(exp=NOW - 60)),
    "no exp": ("MissingRequiredClaimError", lambda: token(exp=None)),
    "exp no number": ("DecodeError", lambda: signed(claims(exp="soon"))),
    "not yet": ("ImmatureSignatureError", lambda: token(nbf=NOW + 3600)),
    "issued in the future": ("ImmatureSignatureError", lambda: token(iat=NOW + 3600)),
    "wrong audience": ("InvalidAudienceError", lambda: token(aud="another")),
    "audience that contains ours": ("InvalidAudienceError", lambda: token(aud=f"{AUDIENCE}-admin")),
    "no audience": ("MissingRequiredClaimError", lambda: token(aud=None)),
    "issuer that begins like ours": ("InvalidIssuerError", lambda: token(iss=f"{ISSUER}/")),
    "no issuer": ("MissingRequiredClaimError", lambda: token(iss=None)),
    "no subject": ("MissingRequiredClaimError", lambda: token(sub=None)),
    "subject empty": ("empty or too long", lambda: token(sub="")),
    "subject no text": ("InvalidSubjectError", lambda: signed(claims(sub=7))),
    "subject of no characters": ("empty or too long", lambda: token(sub="\ud800")),
    "subject without end": ("empty or too long", lambda: token(sub="x" * 3000)),
    "no tenant": ("has no tenant", lambda: token(tenant=None)),
    "tenant empty": ("empty or too long", lambda: token(tenant="")),
    "tenant not text": ("has no tenant", lambda: token(tenant=True)),
}


def signed(body: dict[str, Any]) -> str:
    """Signed well, with claims that a library would not sign."""
    return jwt.PyJWS().encode(json.dumps(body).encode(), private_key("rsa"), "RS256", headers={"kid": "rsa"})


def refuse(tokens: BearerTokens, given: str, reason: str = "") -> None:
    """The refusal has its reason and quotes nothing of the token."""
    with pytest.raises(Unauthorized, match=reason or None) as caught:
        tokens.verify(given)
    shown = f"{caught.value.detail}{caught.value.__cause__}"
    assert not any(word in shown for word in ("ann", "bob", "acme", "evil", "rsa-other", "eyJ"))


@pytest.mark.parametrize("make", BY_HEAD.values(), ids=BY_HEAD.keys())
def test_a_malformed_token_is_refused_before_any_request(tokens, issuer, make):
    refuse(tokens, make())
    assert issuer.asked == []


@pytest.mark.parametrize(("reason", "make"), (BY_KEY | BY_CLAIM).values(), ids=BY_KEY | BY_CLAIM)
def test_an_unsigned_or_invalid_token_is_refused(tokens: BearerTokens, reason: str, make: Callable[[], str]) -> None:
    refuse(tokens, make(), reason)


@pytest.mark.parametrize("key", PUBLISHED)
def test_a_valid_token_of_every_kind_of_key_is_accepted(tokens: BearerTokens, key: str) -> None:
    verified = tokens.verify(token(key, sub="auth0|7", tenant="acme"))
    assert (verified.principal, verified.credential) == (Principal("acme", "auth0|7"), "jwt")
    assert not verified.principal.acts_for
    assert verified.expires_at is not None
    assert time.time() + 200 < verified.expires_at < time.time() + 400


@pytest.mark.parametrize("algorithm", ["RS384", "RS512", "PS256"])
def test_a_key_accepts_the_algorithm_that_it_declares_and_no_other(issuer: Issuer, algorithm: str) -> None:
    issuer.keys[0]["alg"] = algorithm
    tokens = tokens_of(issuer)
    tokens.verify(token("rsa", algorithm=algorithm))
    with pytest.raises(Unauthorized):
        tokens.verify(token("rsa"))


def test_clocks_may_differ_by_half_a_minute(tokens: BearerTokens) -> None:
    now = int(time.time())
    tokens.verify(token(exp=now - 20))
    tokens.verify(token(nbf=now + 20, iat=now + 20))
    for changes in ({"exp": now - 40}, {"nbf": now + 45}):
        with pytest.raises(Unauthorized):
            tokens.verify(token(**changes))


def test_one_of_several_audiences_is_enough(issuer: Issuer) -> None:
    tokens = tokens_of(issuer, "web", AUDIENCE)
    tokens.verify(token(aud=["another", AUDIENCE]))
    tokens.verify(token(aud="web"))
    with pytest.raises(Unauthorized):
        tokens.verify(token(aud="app"))


@pytest.mark.parametrize("word", ["jku", "x5u"])
def test_a_token_cannot_set_the_location_of_its_key(tokens: BearerTokens, issuer: Issuer, word: str) -> None:
    with published(public_jwk("rsa-other", kid="evil"), public_jwk("rsa-other", kid="rsa")) as evil:
        for kid in ("evil", "rsa"):
            with pytest.raises(Unauthorized):
                tokens.verify(token("rsa-other", head={"kid": kid, word: evil.url}))
        assert evil.asked == []
    assert len(issuer.asked) == 1


def test_the_tenant_is_read_from_the_configured_claim(issuer: Issuer) -> None:
    tokens = tokens_of(issuer, JWT_TENANT_CLAIM="https://example.com/org")
    named = token(**{"https://example.com/org": "org-1"}, tenant="acme")
    assert tokens.verify(named).principal == Principal("org-1", "ann")
    with pytest.raises(Unauthorized):
        tokens.verify(token(tenant="acme"))


def test_only_a_missing_tenant_is_replaced_by_the_default(issuer: Issuer) -> None:
    tokens = tokens_of(issuer, JWT_DEFAULT_TENANT="main")
    assert tokens.verify(token(tenant=None)).principal == Principal("main", "ann")
    assert tokens.verify(token(tenant="acme")).principal == Principal("acme", "ann")
    for malformed in (*(token(tenant=tenant) for tenant in ("", 7, ["acme"])), signed(claims() | {"tenant": None})):
        with pytest.raises(Unauthorized):
            tokens.verify(malformed)


# The rules


WHOLE = {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": f" {AUDIENCE}, web,", "JWT_JWKS_URL": "https://issuer.example/keys"}


def test_the_rules_are_read_from_the_environment() -> None:
    plain = BearerTokens.from_environment(WHOLE)
    assert plain == BearerTokens(plain.jwks, ISSUER, (AUDIENCE, "web"))
    full = BearerTokens.from_environment({**WHOLE, "JWT_TENANT_CLAIM": "org", "JWT_DEFAULT_TENANT": "main"})
    assert full == BearerTokens(full.jwks, ISSUER, (AUDIENCE, "web"), "org", "main")


@pytest.mark.parametrize("missing", WHOLE)
@pytest.mark.parametrize("value", [None, "", " , "])
def test_rules_that_would_accept_any_token_are_rejected_at_the_start(missing: str, value: str | None) -> None:
    if (missing, value) == ("JWT_ISSUER", " , "):
        return
    environ = {name: text for name, text in WHOLE.items() if name != missing}
    with pytest.raises(ValueError, match="JWT_"):
        BearerTokens.from_environment(environ if value is None else {**environ, missing: value})


# The issuer's keys


def test_keys_are_fetched_on_first_use_and_kept(issuer: Issuer, tokens: BearerTokens) -> None:
    assert issuer.asked == []
    for _ in range(10):
        tokens.verify(token("p256"))
        tokens.verify(token("p384"))
    issuer.answer = FAULTS["a fault"]
    tokens.verify(token("p256"))
    assert issuer.asked == ["/.well-known/jwks.json"]
    assert (issuer.headers["User-Agent"], issuer.headers["Accept"]) == ("turnkeep", "application/json")


def test_unknown_key_ids_cost_the_issuer_one_request_a_minute(issuer: Issuer, tokens: BearerTokens) -> None:
    for number in range(120):
        with pytest.raises(Unauthorized):
            tokens.verify(token("p256", head={"kid": f"made-up-{number}"}))
    assert len(issuer.asked) == 1


GOOD = json.dumps({"keys": [public_jwk("p256")]}).encode()
FAULTS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "a fault": (500, {}, GOOD),
    "not JSON": (200, {}, b"<html>"),
    "too deep": (200, {}, b"[" * 100_000),
    "keys of another type": (200, {}, b'{"keys": {"a": 1}}'),
    "an empty set": (200, {}, b'{"keys": []}'),
    "a set without a usable key": (200, {}, b'{"keys": [null, 1, {"kid": "a"}, {"kid": 7, "kty": "RSA"}]}'),
    "cut off": (200, {"Content-Length": "5000"}, GOOD[:-5]),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_an_invalid_key_set_is_an_error_and_not_a_refusal(issuer, tokens, fault):
    issuer.answer = fault
    with pytest.raises(JwksUnavailable):
        tokens.verify(token("p256"))
    issuer.answer = None
    tokens.verify(token("p256"))


def test_a_redirect_is_not_followed(issuer: Issuer, tokens: BearerTokens) -> None:
    with published(public_jwk("rsa", kid="evil")) as evil:
        issuer.answer = (302, {"Location": evil.url}, b"")
        with pytest.raises(JwksUnavailable):
            tokens.verify(token("rsa", head={"kid": "evil"}))
        assert evil.asked == []


@pytest.mark.parametrize(
    ("url", "is_secure"),
    [
        ("issuer.example/keys", False),
        ("http://issuer.example/keys", False),
        ("http://localhost.evil.example/keys", False),
        ("http://127.0.0.1@evil.example/keys", False),
        ("https://user@issuer.example/keys", False),
        ("https:///keys", False),
        ("https://issuer.example:99999/keys", False),
        ("https://issuer.example:8443", True),
        ("http://localhost:1/k", True),
        ("http://[::1]:1/k", True),
    ],
)
def test_an_insecure_url_is_rejected(url: str, is_secure: bool) -> None:
    with nullcontext() if is_secure else pytest.raises(ValueError, match=r"https|Port|port"):
        assert check_url(url) == url


def test_the_issuer_needs_a_trusted_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, context, shown = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), tmp_path / "ca.pem"
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(shown))
    with published(public_jwk("p256"), tls=context) as issuer:
        with pytest.raises(JwksUnavailable):
            tokens_of(issuer).verify(token("p256"))
        assert issuer.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(shown))
        assert tokens_of(issuer).verify(token("p256")).principal.user == "ann"
