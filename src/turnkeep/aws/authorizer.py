"""API Gateway's Lambda authorizer. It allows the whole stage, so that one answer fits every route.
Verified callers are remembered for a minute, so a warm sandbox accepts a revoked key that long; refusals are not."""

import re
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, TypeAlias

from turnkeep.aws.callers import VerifiedCaller
from turnkeep.errors import Unauthorized
from turnkeep.observability import annotate, correlate, count, logger
from turnkeep.records import JSON

KNOWN_SECONDS = 60
MAX_KNOWN = 1000
REFUSED = "Unauthorized"  # compared exactly by API Gateway, which makes a 401 of it
CLIENT_CONFIG: Mapping[str, Any] = {  # four seconds at most: a slow store must not hold up every request
    "retries": {"mode": "standard", "total_max_attempts": 2},
    "connect_timeout": 1,
    "read_timeout": 1,
}

_STAGE = re.compile(r"(arn:[a-z-]+:execute-api:[^:/]*:[^:/]*:[^:/]+/[^/]+)/.*", re.ASCII | re.DOTALL)

Verify: TypeAlias = Callable[[str], VerifiedCaller]


class Authorizer:
    """Authorizes requests. `verify` raises Unauthorized for a bad credential, another exception if it cannot decide.
    `clock` gives epoch seconds. Verified callers are kept by the digest of their credential."""

    def __init__(self, verify: Verify, *, clock: Callable[[], float]) -> None:
        self._verify = verify
        self._clock = clock
        self._known: dict[bytes, tuple[float, VerifiedCaller]] = {}

    def __call__(self, event: Any) -> JSON:
        """Return the policy of a verified caller. API Gateway answers 401 for `REFUSED`, 500 for other exceptions."""
        context = event.get("requestContext") if isinstance(event, Mapping) else None
        correlate(str(context.get("requestId", "")) if isinstance(context, Mapping) else "")
        try:
            stage, verified = _stage(event), self._verified(_credential(event))
        except Unauthorized as error:
            logger.info("caller refused", reason=error.detail)
            raise Exception(REFUSED) from None
        logger.info("caller known", credential=verified.credential)
        statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": f"{stage}/*"}
        return {
            "principalId": verified.credential,  # not the user: it appears in access logs
            "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
            "context": verified.as_context(),
        }

    def _verified(self, credential: str) -> VerifiedCaller:
        digest, now = sha256(credential.encode()).digest(), self._clock()
        since, verified = self._known.get(digest, (0.0, None))
        is_recent = since <= now < since + KNOWN_SECONDS  # not if the clock was set back
        if verified and is_recent and (verified.expires_at is None or now < verified.expires_at):
            return verified
        verified = self._verify(credential)
        self._known[digest] = (self._clock(), verified)
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]
        return verified


def _stage(event: Any) -> str:
    arn = event.get("methodArn") if isinstance(event, Mapping) and event.get("type") == "REQUEST" else None
    found = _STAGE.fullmatch(arn) if isinstance(arn, str) else None
    if found is None:
        raise Unauthorized("The event is not an authorizer request.")
    return found[1]


def _credential(event: Mapping[str, Any]) -> str:
    """Return the one credential, which a client may send in both headers, or leave one of them empty."""
    headers = event.get("multiValueHeaders") or {}  # `headers` has only the last of several values
    sent = {(name.lower(), value.strip()) for name, values in headers.items() for value in values}
    named = {(name, value) for name, value in sent if name in ("x-api-key", "authorization") and value}
    found = {_bearer(value) if name == "authorization" else value for name, value in named}
    if not found:
        raise Unauthorized("No credential was sent.")
    if len(found) > 1:
        raise Unauthorized("Different credentials were sent.")
    (credential,) = found
    if len(credential) > 8192 or not credential.isascii():
        raise Unauthorized("The credential is malformed.")
    return credential


def _bearer(value: str) -> str:
    scheme, _, credential = value.partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise Unauthorized("The Authorization header is not a bearer token.")
    return credential.strip()


def build_authorizer(environ: Mapping[str, str]) -> Authorizer:
    """Build the authorizer from `environ`, loading only what its kind needs; raise ValueError if it is unusable."""
    kind = environ.get("AUTH") or "keys"
    if kind == "keys":
        return Authorizer(_by_key(environ), clock=time.time)
    if kind == "jwt":
        from turnkeep.aws.bearer import BearerTokens  # noqa: PLC0415

        return Authorizer(BearerTokens.from_environment(environ).verify, clock=time.time)
    raise ValueError(f"AUTH={kind} has no authorizer. Use keys or jwt.")


def quiet_refusals() -> None:
    """Keep refusals out of Lambda's error log, where each would add a traceback that any client could cause."""
    runtime: Any = sys.modules.get("awslambdaric.bootstrap")
    log_error = getattr(runtime, "log_error", None)

    def log_others(error: Any, *more: Any) -> None:
        if log_error and (not isinstance(error, Mapping) or error.get("errorMessage") != REFUSED):
            log_error(error, *more)

    if log_error:
        runtime.log_error = log_others


def _by_key(environ: Mapping[str, str]) -> Verify:
    # botocore's own client: boto3 would load S3's transfer manager, a sixth of the whole start.
    from botocore.config import Config  # noqa: PLC0415
    from botocore.session import Session  # noqa: PLC0415

    from turnkeep.aws.signingkey import QUICK, read_key, reread, usable  # noqa: PLC0415
    from turnkeep.signing import secrets_of  # noqa: PLC0415
    from turnkeep.store.apikeys import ApiKeys, Forged, split_key  # noqa: PLC0415
    from turnkeep.store.items import Items  # noqa: PLC0415
    from turnkeep.store.keyring import Keyring  # noqa: PLC0415

    if not environ.get("TABLE_NAME"):
        raise ValueError("AUTH=keys needs TABLE_NAME")
    session = Session()
    client: Any = session.create_client("dynamodb", config=Config(**CLIENT_CONFIG))
    if text := environ.get("SEAL_KEY"):
        keyring = Keyring(*secrets_of(text))
    elif name := environ.get("SEAL_KEY_PARAMETER"):
        ssm = session.create_client("ssm", config=Config(**QUICK))
        text = read_key(ssm, name)  # empty until the deployment has made it
        keyring = Keyring(*(usable(text) if text else ()), refresh=partial(reread, ssm, name))
    else:
        raise ValueError("AUTH=keys needs SEAL_KEY_PARAMETER, or SEAL_KEY")
    items = Items(client, environ["TABLE_NAME"])
    keys = ApiKeys(items, keyring, clock=time.time, random_bytes=secrets.token_bytes)

    def verify(presented: str) -> VerifiedCaller:
        annotate(credential=split_key(presented)[0])
        try:
            key = keys.find(presented)
        except Forged:
            count("ForgedKey")
            raise Unauthorized("The key is not signed by this deployment.") from None
        return VerifiedCaller(key.principal, key.key_id, key.expires_at)

    return verify
