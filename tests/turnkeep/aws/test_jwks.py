"""The issuer's keys: fetched rarely and only from the issuer."""

import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from issuer import AUDIENCE, ISSUER, Issuer, public_jwk, published, token

from turnkeep.aws.bearer import BearerTokens, JwksUnavailable, check_url
from turnkeep.errors import Unauthorized


def tokens_of(issuer: Issuer) -> BearerTokens:
    return BearerTokens.from_environment({"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer.url})


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with published(public_jwk("p256"), public_jwk("p384")) as server:
        yield server


@pytest.fixture
def tokens(issuer: Issuer) -> BearerTokens:
    return tokens_of(issuer)


def test_keys_are_fetched_on_first_use_and_kept(issuer: Issuer, tokens: BearerTokens) -> None:
    assert issuer.asked == []
    for _ in range(10):
        tokens.verify(token("p256"))
        tokens.verify(token("p384"))
    assert issuer.asked == ["/.well-known/jwks.json"]


def test_a_request_has_an_agent_because_firewalls_refuse_those_without(issuer: Issuer, tokens: BearerTokens) -> None:
    tokens.verify(token("p256"))
    assert issuer.headers["User-Agent"] == "turnkeep"
    assert issuer.headers["Accept"] == "application/json"


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
def test_an_invalid_key_set_is_an_error_and_not_a_refusal(
    issuer: Issuer, tokens: BearerTokens, fault: tuple[int, dict[str, str], bytes]
) -> None:
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


def test_known_keys_stay_valid_while_the_issuer_is_down(issuer: Issuer, tokens: BearerTokens) -> None:
    tokens.verify(token("p256"))
    issuer.answer = FAULTS["a fault"]
    tokens.verify(token("p256"))


@pytest.mark.parametrize(
    "url",
    [
        "issuer.example/keys",
        "http://issuer.example/keys",
        "http://localhost.evil.example/keys",
        "http://127.0.0.1@evil.example/keys",
        "https://user@issuer.example/keys",
        "https:///keys",
        "https://issuer.example:99999/keys",
        "file:///etc/keys",
    ],
)
def test_an_insecure_url_is_rejected(url: str) -> None:
    with pytest.raises(ValueError, match=r"https|Port|port"):
        check_url(url)


@pytest.mark.parametrize(
    "url", ["https://issuer.example/keys", "https://issuer.example:8443", "http://localhost:1/k", "http://[::1]:1/k"]
)
def test_https_is_accepted_and_http_on_this_machine(url: str) -> None:
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
