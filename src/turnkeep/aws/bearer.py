"""Bearer tokens: JWTs of one issuer and audience, signed asymmetrically. A token never sets the key URL. PyJWT fetches
the issuer's public keys (JWKS) on first use, every five minutes, and once a minute at most for unknown key ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import jwt

from turnkeep.aws.callers import VerifiedCaller
from turnkeep.errors import Unauthorized
from turnkeep.observability import logger
from turnkeep.records import Principal
from turnkeep.store.keys import is_storable

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
FETCHING: Mapping[str, Any] = {
    "headers": {"Accept": "application/json", "User-Agent": "turnkeep"},  # firewalls refuse requests without an agent
    "timeout": 3,
    "lifespan": 300,
    "cooldown_duration": 60,
}


class JwksUnavailable(Exception):
    """The issuer's keys are unavailable, so a token can be neither accepted nor refused."""


@dataclass(frozen=True)
class BearerTokens:
    """Verifies tokens. `default_tenant` replaces a missing tenant claim; None rejects the token."""

    jwks: jwt.PyJWKClient
    issuer: str
    audiences: tuple[str, ...]
    tenant_claim: str = "tenant"
    default_tenant: str | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "BearerTokens":
        """Build without fetching. Raise ValueError for an insecure URL, and without issuer or audience: a token without
        an audience would be valid for anyone."""
        audiences = tuple(name.strip() for name in environ.get("JWT_AUDIENCE", "").split(",") if name.strip())
        if not environ.get("JWT_ISSUER") or not audiences:
            raise ValueError("AUTH=jwt needs JWT_ISSUER and JWT_AUDIENCE")
        jwks = jwt.PyJWKClient(check_url(environ.get("JWT_JWKS_URL", "")), **FETCHING)
        claim = environ.get("JWT_TENANT_CLAIM") or cls.tenant_claim
        return cls(jwks, environ["JWT_ISSUER"], audiences, claim, environ.get("JWT_DEFAULT_TENANT") or None)

    def verify(self, token: str) -> VerifiedCaller:
        """Return the token's caller; raise Unauthorized, or JwksUnavailable if the keys cannot be read."""
        key = self._key(token)
        try:
            claims = jwt.decode(
                token,
                key,  # bound to the algorithm that it declares, else RS256, EdDSA or that of its curve
                algorithms=ALGORITHMS,
                issuer=self.issuer,
                audience=self.audiences,
                leeway=30,  # seconds
                options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
            )
        except jwt.PyJWTError as error:
            raise Unauthorized(f"The token is not valid: {type(error).__name__}.") from None
        tenant = claims.get(self.tenant_claim, self.default_tenant)
        if not isinstance(tenant, str):
            raise Unauthorized("The token has no tenant.")
        principal = Principal(tenant, claims["sub"])
        if not is_storable(principal):
            raise Unauthorized("The token's tenant or subject is empty or too long.")
        return VerifiedCaller(principal, "jwt", expires_at=float(claims["exp"]))

    def _key(self, token: str) -> jwt.PyJWK:
        """Return the issuer's key that the header names; ignore its other fields."""
        try:
            head = jwt.get_unverified_header(token)
        except jwt.PyJWTError as error:
            raise Unauthorized(f"The token is malformed: {type(error).__name__}.") from None
        if head.get("alg") not in ALGORITHMS or "kid" not in head:
            raise Unauthorized("The token has no accepted algorithm, or no key id.")
        try:
            return self.jwks.get_signing_key(head["kid"])
        except (jwt.PyJWKClientConnectionError, jwt.PyJWKSetError, OSError, ValueError, RecursionError) as error:
            logger.warning("keys of the issuer not read", error=type(error).__name__)
            raise JwksUnavailable from error
        except jwt.PyJWKClientError:
            raise Unauthorized("The token's key id is not published by its issuer.") from None


def check_url(url: str) -> str:
    """Return the URL unchanged; raise ValueError if it is invalid or would let keys be swapped in transit."""
    parts = urlsplit(url)
    is_local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not (parts.scheme == "https" or is_local) or not parts.hostname or parts.username is not None or parts.port == 0:
        raise ValueError("JWT_JWKS_URL must be an https URL")
    return url
