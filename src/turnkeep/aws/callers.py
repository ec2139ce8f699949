"""The caller as the authorizer passes it to the app. Nothing here reads headers or a body.
A direct invocation can name any caller, so only API Gateway may have the right to invoke the function."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from turnkeep.errors import Unauthorized
from turnkeep.records import Principal
from turnkeep.store.keys import is_storable

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
    """Return the caller of a REST API's proxy event, for `iam` the signer; raise Unauthorized if there is none."""
    with suppress(LookupError, TypeError, AttributeError):  # names that are missing or not text
        context = event["requestContext"]
        principal = _signer(context["identity"]) if kind == "iam" else _verified(context["authorizer"])
        if is_storable(principal):
            return principal
    raise Unauthorized


def _verified(context: Mapping[str, Any]) -> Principal:
    acts_for = context.get("acts_for")
    return Principal(context["tenant"], context["user"], acts_for=acts_for if acts_for in ("tenant", "any") else "")


def _signer(identity: Mapping[str, Any]) -> Principal:
    """Use the account as tenant and the rest of the ARN as user: `user/ann`, `assumed-role/<role>/<session>`.
    All callers from a Cognito identity pool share one session name, so the pool's id of the caller is the user."""
    account, pooled = identity["accountId"], identity.get("cognitoIdentityId")
    found = _SIGNER.fullmatch(identity["userArn"])
    if found is None or found[1] != account:
        raise Unauthorized
    return Principal(account, found[2] if pooled is None else "cognito-identity/" + pooled)
