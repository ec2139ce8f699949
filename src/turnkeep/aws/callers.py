"""Who calls, on its way from the authorizer to the app: what the one tells and the other reads.

Nothing here looks at headers or a body. Whoever may invoke a function directly can tell it any caller, so that right
belongs to API Gateway alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnkeep.errors import Unauthorized
from turnkeep.records import Principal
from turnkeep.storage.keys import is_storable

KINDS = ("keys", "jwt", "iam")

_SIGNER = re.compile(r"arn:[a-z-]+:(?:iam|sts)::([0-9]{12}):(.+)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class VerifiedCaller:
    """A caller whose credential was good. `credential` names it in logs: the id of a key, or "jwt". `expires_at` is in
    epoch seconds."""

    principal: Principal
    credential: str
    expires_at: float | None = None

    def as_context(self) -> dict[str, str]:
        """What the authorizer tells the app; API Gateway makes strings of everything."""
        return {
            "tenant": self.principal.tenant,
            "user": self.principal.user,
            "acts_for": self.principal.acts_for or "nobody",
            "credential": self.credential,
        }


def principal_of(event: Mapping[str, Any], kind: str) -> Principal:
    """The caller of a proxy event of a REST API, where `kind` is one of KINDS; raises Unauthorized."""
    if kind not in KINDS:
        raise ValueError(f"AUTH={kind} is none of {', '.join(KINDS)}")
    context = _mapping(event, "requestContext")
    principal = _signer(_mapping(context, "identity")) if kind == "iam" else _told(_mapping(context, "authorizer"))
    if not is_storable(principal):
        raise Unauthorized
    return principal


def _told(authorizer: Mapping[str, Any]) -> Principal:
    tenant, user = _text(authorizer, "tenant"), _text(authorizer, "user")
    acts_for = authorizer.get("acts_for")
    return Principal(tenant, user, acts_for=acts_for if acts_for in ("tenant", "any") else "")


def _signer(identity: Mapping[str, Any]) -> Principal:
    """The account is the tenant. The user is the rest of the ARN, `user/ann` or `assumed-role/<role>/<session>`: two
    sessions of a role that differ in name are two users, two of the same name are one. Whoever comes through a Cognito
    identity pool has one and the same session name, and so is told apart by the pool's id of them."""
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
