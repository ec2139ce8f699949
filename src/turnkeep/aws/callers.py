"""The caller as the authorizer passes it to the app. Nothing here reads headers or a body.
A direct invocation can name any caller, so only API Gateway may have the right to invoke the function."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnkeep.errors import Unauthorized
from turnkeep.records import Principal
from turnkeep.store.keys import is_storable

KINDS = ("keys", "jwt", "iam")

_SIGNER = re.compile(r"arn:[a-z-]+:(?:iam|sts)::([0-9]{12}):(.+)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class VerifiedCaller:
    """A verified caller. `credential` is for logs: a key id, or "jwt". `expires_at` is in epoch seconds."""

    principal: Principal
    credential: str
    expires_at: float | None = None

    def as_context(self) -> dict[str, str]:
        """Return the context that the authorizer passes to the app; API Gateway makes strings of all values."""
        return {
            "tenant": self.principal.tenant,
            "user": self.principal.user,
            "acts_for": self.principal.acts_for or "nobody",
            "credential": self.credential,
        }


def principal_of(event: Mapping[str, Any], kind: str) -> Principal:
    """Return the caller of a REST API's proxy event, where `kind` is one of KINDS; raise Unauthorized."""
    if kind not in KINDS:
        raise ValueError(f"AUTH={kind} is not one of {', '.join(KINDS)}")
    context = _mapping(event, "requestContext")
    if kind == "iam":
        principal = _signer(_mapping(context, "identity"))
    else:
        verified = _mapping(context, "authorizer")
        tenant, user, acts_for = _text(verified, "tenant"), _text(verified, "user"), verified.get("acts_for")
        principal = Principal(tenant, user, acts_for=acts_for if acts_for in ("tenant", "any") else "")
    if not is_storable(principal):
        raise Unauthorized
    return principal


def _signer(identity: Mapping[str, Any]) -> Principal:
    """Use the account as tenant and the rest of the ARN as user: `user/ann`, `assumed-role/<role>/<session>`.
    All callers from a Cognito identity pool share one session name, so the pool's id of the caller is the user."""
    account = _text(identity, "accountId")
    found = _SIGNER.fullmatch(_text(identity, "userArn"))
    if found is None or found[1] != account:
        raise Unauthorized
    if identity.get("cognitoIdentityId") is not None:
        return Principal(account, f"cognito-identity/{_text(identity, 'cognitoIdentityId')}")
    return Principal(account, found[2])


def _mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    if not isinstance(inner, Mapping):
        raise Unauthorized
    return inner


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str) or not text:
        raise Unauthorized
    return text
