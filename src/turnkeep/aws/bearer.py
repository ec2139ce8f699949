"""Bearer tokens: JWTs of one issuer and audience, signed asymmetrically. A token never sets the key URL."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from turnkeep.aws.callers import VerifiedCaller
from turnkeep.aws.jwks import Jwks
from turnkeep.errors import Unauthorized
from turnkeep.records import Principal
from turnkeep.store.keys import is_storable

LEEWAY_SECONDS = 30
CREDENTIAL = "jwt"
KEY_TYPE_OF = {  # accepted algorithms, each with its key type
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}


@dataclass(frozen=True)
class TokenRules:
    """Requirements for a token. `default_tenant` replaces a missing tenant claim; None rejects the token."""

    issuer: str
    audiences: tuple[str, ...]
    tenant_claim: str = "tenant"
    default_tenant: str | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "TokenRules":
        """Raise ValueError without issuer or audience: a token without an audience would be valid for anyone."""
        audiences = tuple(name.strip() for name in environ.get("JWT_AUDIENCE", "").split(",") if name.strip())
        if not environ.get("JWT_ISSUER") or not audiences:
            raise ValueError("AUTH=jwt needs JWT_ISSUER and JWT_AUDIENCE")
        claim = environ.get("JWT_TENANT_CLAIM") or cls.tenant_claim
        return cls(environ["JWT_ISSUER"], audiences, claim, environ.get("JWT_DEFAULT_TENANT") or None)


class BearerTokens:
    def __init__(self, rules: TokenRules, jwks: Jwks) -> None:
        self._rules = rules
        self._jwks = jwks

    def verify(self, token: str) -> VerifiedCaller:
        """Return the token's caller; raise Unauthorized, or JwksUnavailable if the keys cannot be read."""
        claims = self._claims(token)
        tenant = claims.get(self._rules.tenant_claim, self._rules.default_tenant)
        if not isinstance(tenant, str):
            raise Unauthorized("The token has no tenant.")
        principal = Principal(tenant, claims["sub"])
        if not is_storable(principal):
            raise Unauthorized("The token's tenant or subject is empty or too long.")
        return VerifiedCaller(principal, CREDENTIAL, expires_at=float(claims["exp"]))

    def _claims(self, token: str) -> dict[str, Any]:
        algorithm, key = self._key(token)
        try:
            return jwt.decode(
                token,
                jwt.PyJWK(key, algorithm),
                algorithms=[algorithm],
                issuer=self._rules.issuer,
                audience=self._rules.audiences,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True},
            )
        except jwt.PyJWTError as error:
            raise Unauthorized(f"The token is not valid: {type(error).__name__}.") from None

    def _key(self, token: str) -> tuple[str, dict[str, Any]]:
        """Return the algorithm and key that the header names, both from our lists; ignore its other fields."""
        try:
            head = jwt.get_unverified_header(token)
        except jwt.PyJWTError as error:
            raise Unauthorized(f"The token is malformed: {type(error).__name__}.") from None
        algorithm, key_id = head.get("alg"), head.get("kid")
        if not isinstance(algorithm, str) or algorithm not in KEY_TYPE_OF:
            raise Unauthorized("The token's algorithm is not accepted.")
        if not isinstance(key_id, str):
            raise Unauthorized("The token has no key id.")
        key = self._jwks.find(key_id)
        if key["kty"] != KEY_TYPE_OF[algorithm] or key.get("alg", algorithm) != algorithm:
            raise Unauthorized("The token's algorithm does not fit its key.")
        return algorithm, key


def bearer_tokens(environ: Mapping[str, str], *, clock: Callable[[], float]) -> BearerTokens:
    """Build from a function's environment without fetching; raise ValueError if a setting is missing."""
    jwks = Jwks(environ.get("JWT_JWKS_URL", ""), clock=clock)
    return BearerTokens(TokenRules.from_environment(environ), jwks)
