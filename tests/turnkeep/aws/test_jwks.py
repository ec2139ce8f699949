"""The issuer's keys: fetched rarely, only from the issuer, and cached while it is down."""

import datetime
import json
import ssl
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from issuer import Issuer, private_key, public_jwk, published

from hand_clock import HandClock
from turnkeep.aws.jwks import (
    FRESH_SECONDS,
    MAX_BYTES,
    PAUSE_AFTER_FAULT_SECONDS,
    PAUSE_SECONDS,
    STALE_SECONDS,
    Jwks,
    JwksUnavailable,
    check_url,
    read_keys,
)
from turnkeep.errors import Unauthorized


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with published(public_jwk("p256"), public_jwk("p384")) as server:
        yield server


@pytest.fixture
def jwks(issuer: Issuer, clock: HandClock) -> Jwks:
    return Jwks(issuer.url, clock=clock)


def test_keys_are_fetched_on_first_use_and_every_five_minutes(issuer: Issuer, jwks: Jwks, clock: HandClock) -> None:
    assert issuer.asked == []
    for _ in range(10):
        jwks.find("p256")
        jwks.find("p384")
        clock.now += 29
    assert issuer.asked == ["/.well-known/jwks.json"]
    clock.now += FRESH_SECONDS
    jwks.find("p256")
    assert len(issuer.asked) == 2


def test_a_request_has_an_agent_because_firewalls_refuse_those_without(issuer: Issuer, jwks: Jwks) -> None:
    jwks.find("p256")
    assert issuer.headers["User-Agent"] == "turnkeep"
    assert issuer.headers["Accept"] == "application/json"


def test_unknown_key_ids_cost_the_issuer_one_request_a_minute(issuer: Issuer, jwks: Jwks, clock: HandClock) -> None:
    for number in range(120):
        with pytest.raises(Unauthorized):
            jwks.find(f"made-up-{number}")
        clock.now += 1
    assert len(issuer.asked) == 2


def test_a_new_key_is_found_within_a_minute(issuer: Issuer, jwks: Jwks, clock: HandClock) -> None:
    with pytest.raises(Unauthorized):
        jwks.find("made-up")
    issuer.keys.append(public_jwk("rsa"))
    with pytest.raises(Unauthorized):
        jwks.find("rsa")
    clock.now += PAUSE_SECONDS
    assert jwks.find("rsa")["kty"] == "RSA"


def test_a_removed_key_is_refused_after_five_minutes(issuer: Issuer, jwks: Jwks, clock: HandClock) -> None:
    jwks.find("p256")
    del issuer.keys[0]
    jwks.find("p256")
    clock.now += FRESH_SECONDS
    with pytest.raises(Unauthorized):
        jwks.find("p256")


GOOD = json.dumps({"keys": [public_jwk("p256")]}).encode()
FAULTS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "a fault": (500, {}, GOOD),
    "no content": (204, {}, b""),
    "not JSON": (200, {}, b"<html>"),
    "not an object": (200, {}, b"[1]"),
    "too deep": (200, {}, b"[" * 100_000),
    "no keys": (200, {}, b"{}"),
    "keys of another type": (200, {}, b'{"keys": {"a": 1}}'),
    "an empty set": (200, {}, b'{"keys": []}'),
    "a set without a usable key": (200, {}, b'{"keys": [null, 1, {"kid": "a"}, {"kid": 7, "kty": "RSA"}]}'),
    "too large": (200, {}, GOOD + b" " * MAX_BYTES),
    "cut off": (200, {"Content-Length": "5000"}, GOOD[:-5]),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_an_invalid_key_set_is_an_error_and_not_a_refusal(
    issuer: Issuer, jwks: Jwks, fault: tuple[int, dict[str, str], bytes]
) -> None:
    issuer.answer = fault
    with pytest.raises(JwksUnavailable):
        jwks.find("p256")


def test_a_redirect_is_not_followed(issuer: Issuer, jwks: Jwks) -> None:
    with published(public_jwk("rsa", kid="evil")) as evil:
        issuer.answer = (302, {"Location": evil.url}, b"")
        with pytest.raises(JwksUnavailable):
            jwks.find("evil")
        assert evil.asked == []


def test_an_issuer_that_is_down_is_asked_again_after_a_few_seconds(
    issuer: Issuer, jwks: Jwks, clock: HandClock
) -> None:
    issuer.answer = FAULTS["a fault"]
    for _ in range(5):
        with pytest.raises(JwksUnavailable):
            jwks.find("p256")
    assert len(issuer.asked) == 1
    issuer.answer = None
    clock.now += PAUSE_AFTER_FAULT_SECONDS
    jwks.find("p256")


def test_known_keys_stay_valid_for_an_hour_while_the_issuer_is_down(
    issuer: Issuer, jwks: Jwks, clock: HandClock
) -> None:
    jwks.find("p256")
    issuer.answer = FAULTS["a fault"]
    while clock.now < clock.began + STALE_SECONDS - PAUSE_SECONDS:
        clock.now += PAUSE_SECONDS
        assert jwks.find("p256")["kid"] == "p256"
    with pytest.raises(JwksUnavailable):
        jwks.find("new")
    clock.now = clock.began + STALE_SECONDS
    with pytest.raises(JwksUnavailable):
        jwks.find("p256")


@pytest.mark.parametrize(
    "unusable", [{"kty": "oct", "k": "c2VjcmV0"}, {"kty": "RSA", "use": "enc"}, {"kty": "RSA", "use": None}, {}]
)
def test_only_signing_keys_are_kept(unusable: dict[str, Any]) -> None:
    body = json.dumps({"keys": [{"kid": "a", **unusable}, public_jwk("p256")]}).encode()
    assert read_keys(body).keys() == {"p256"}


@pytest.mark.parametrize(
    "url",
    [
        "",
        "issuer.example/keys",
        "http://issuer.example/keys",
        "http://10.0.0.1/keys",
        "http://localhost.evil.example/keys",
        "http://127.0.0.1@evil.example/keys",
        "https://user@issuer.example/keys",
        "https:///keys",
        "https://issuer.example:99999/keys",
        "file:///etc/keys",
        "ftp://issuer.example/keys",
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


def certified(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate for 127.0.0.1 that nobody signed but itself, and a server's context with it."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now, key = datetime.datetime.now(datetime.UTC), private_key("p256-tls")
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, SHA256())
    )
    shown, whole = folder / "certificate.pem", folder / "whole.pem"
    shown.write_bytes(certificate.public_bytes(Encoding.PEM))
    hidden = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    whole.write_bytes(shown.read_bytes() + hidden)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(whole)
    return shown, context


def test_the_issuer_needs_a_trusted_certificate(
    tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, context = certified(tmp_path)
    with published(public_jwk("p256"), tls=context) as issuer:
        with pytest.raises(JwksUnavailable):
            Jwks(issuer.url, clock=clock).find("p256")
        assert issuer.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(shown))
        assert Jwks(issuer.url, clock=clock).find("p256")["kid"] == "p256"
