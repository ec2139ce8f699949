"""`turnkeep keys`: creates, lists and revokes the API keys of a deployment."""

import argparse
import secrets
import shlex
import sys
import time

from turnkeep.errors import NotFound
from turnkeep.records import Principal, iso
from turnkeep.store.apikeys import LABEL_CHARACTERS, ApiKey, ApiKeys, Forged
from turnkeep.store.keyring import Keyring
from turnkeep_local import LocalError
from turnkeep_local.deployment import Deployment, open_deployment

MAX_DAYS = 36_500
DAY_SECONDS = 86_400

_HEADINGS = ("ID", "TENANT", "USER", "ACTS FOR", "STATE", "CREATED", "EXPIRES", "LABEL")
_ACTS_FOR = {"": "-", "tenant": "its tenant", "any": "anyone"}
_EXAMPLE = shlex.quote('{"session_id": "new", "message": "Hello"}')
_CREATED = """Key {key.key_id} is for {principal.user} of {principal.tenant}{others}. It is valid {until}.
It is not shown again. Try it:
  export KEY=<the key>
  curl -s {url}/chat -H "x-api-key: $KEY" --json {example}"""


def create(options: argparse.Namespace) -> None:
    """Print the key to standard output and everything else to standard error, so that a script can read the key."""
    for name in ("tenant", "user", "label"):
        if not getattr(options, name).isprintable():
            raise LocalError(f"--{name} must be one line of printable text.")
    if len(options.label) > LABEL_CHARACTERS:
        raise LocalError(f"--label must have at most {LABEL_CHARACTERS} characters.")
    if options.days is not None and not 1 <= options.days <= MAX_DAYS:
        raise LocalError(f"--days must be between 1 and {MAX_DAYS}.")
    expires_at = None if options.days is None else time.time() + options.days * DAY_SECONDS
    principal = Principal(options.tenant, options.user, acts_for=options.acts_for)
    with open_deployment(options) as deployment:
        try:
            key, text = _keys(deployment).create(principal, label=options.label, expires_at=expires_at)
        except ValueError as error:
            raise LocalError("--tenant and --user must not be empty, and together under 900 bytes.") from error
    others = f", and acts for {_ACTS_FOR[options.acts_for]}" if options.acts_for else ""
    until = "until it is revoked" if expires_at is None else f"until {iso(expires_at)}"
    url = (deployment.url or "https://<the URL of the API>").rstrip("/")
    print(text, flush=True)
    facts = {"key": key, "principal": principal, "others": others, "until": until, "url": url, "example": _EXAMPLE}
    print(_CREATED.format(**facts), file=sys.stderr)


def list_keys(options: argparse.Namespace) -> None:
    with open_deployment(options) as deployment:
        keys, forged = _keys(deployment).list()
    wanted = [key for key in keys if options.tenant in (None, key.principal.tenant)]
    print(table_of(wanted, time.time()))
    # A forged item has any id that its author chose.
    if shown := ["".join(each if each.isprintable() else "?" for each in key_id) for key_id in forged]:
        print(f"Not signed by this deployment, and therefore rejected: {', '.join(shown)}")


def table_of(keys: list[ApiKey], now: float) -> str:
    """Render keys as aligned columns."""
    rows = [_HEADINGS, *(_row(key, now) for key in keys)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(map(str.rstrip, lines))


def _row(key: ApiKey, now: float) -> tuple[str, ...]:
    state = "revoked" if key.revoked_at is not None else "expired" if key.is_expired(now) else "valid"
    expires = iso(key.expires_at) if key.expires_at is not None else "never"
    acts_for, created = _ACTS_FOR[key.principal.acts_for], iso(key.created_at)
    return key.key_id, key.principal.tenant, key.principal.user, acts_for, state, created, expires, key.label


def revoke(options: argparse.Namespace) -> None:
    with open_deployment(options) as deployment:
        try:
            key = _keys(deployment).revoke(options.key_id)
        except NotFound as error:
            raise LocalError("No key has this id. List them: turnkeep keys list") from error
        except Forged as error:
            raise LocalError("This key is not signed by this deployment, so it is rejected anyway.") from error
    assert key.revoked_at is not None  # noqa: S101 - revoking sets it
    print(f"Key {key.key_id} was revoked at {iso(key.revoked_at)}. It stops working within a minute.")


def _keys(deployment: Deployment) -> ApiKeys:
    keyring = Keyring(refresh=deployment.secrets)
    return ApiKeys(deployment.items, keyring, clock=time.time, random_bytes=secrets.token_bytes)
