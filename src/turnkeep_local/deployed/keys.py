"""`turnkeep keys`: creates, lists and revokes the API keys of a deployment, as text for a terminal."""

import secrets
import shlex
import time
from collections.abc import Callable

from turnkeep.errors import NotFound
from turnkeep.records import ActsFor, Principal, iso
from turnkeep.storage.apikeys import LABEL_CHARACTERS, ApiKey, ApiKeys, Forged
from turnkeep_local import LocalError
from turnkeep_local.deployed.account import Deployment

MAX_DAYS = 36_500
DAY_SECONDS = 86_400

_HEADINGS = ("ID", "TENANT", "USER", "ACTS FOR", "STATE", "CREATED", "EXPIRES", "LABEL")
_ACTS_FOR = {"": "-", "tenant": "its tenant", "any": "anybody"}
_FOR_WHOM = {"": "", "tenant": ", and for users of this tenant whom it names", "any": ", and for whomever it names"}


class KeyDesk:
    """The API keys of one deployment, as text for a terminal. `url` is None if only the table is known."""

    def __init__(self, keys: ApiKeys, *, url: str | None, clock: Callable[[], float]) -> None:
        self._keys = keys
        self._url = url
        self._clock = clock

    def create(
        self, tenant: str, user: str, *, acts_for: ActsFor = "", days: int | None = None, label: str = ""
    ) -> tuple[str, str]:
        """Create a key; return it with an explanation."""
        _check_names(tenant=tenant, user=user, label=label)
        if days is not None and not 1 <= days <= MAX_DAYS:
            raise LocalError(f"--days {days} is no time to live. Use a number from 1 to {MAX_DAYS}.")
        expires_at = None if days is None else self._clock() + days * DAY_SECONDS
        principal = Principal(tenant, user, acts_for=acts_for)
        try:
            record, key = self._keys.create(principal, label=label, expires_at=expires_at)
        except ValueError as error:
            raise LocalError("--tenant and --user need a name each, together under 900 bytes.") from error
        return key, self._told(record)

    def _told(self, record: ApiKey) -> str:
        who = f"{record.principal.user} of {record.principal.tenant}"
        whom = f"{who}{_FOR_WHOM[record.principal.acts_for]}"
        until = "until it is revoked" if record.expires_at is None else f"until {iso(record.expires_at)}"
        url = self._url or "https://<the URL of the API>"
        body = shlex.quote('{"session_id": "new", "message": "Hello"}')
        return (
            f"That is key {record.key_id} for {whom}, valid {until}. It is not shown again. Try it:\n"
            f"  export KEY=<the key>\n"
            f'  curl -s {url.rstrip("/")}/chat -H "x-api-key: $KEY" --json {body}'
        )

    def list(self, tenant: str | None = None) -> str:
        keys, forged = self._keys.list(tenant), self._keys.forged()
        lines = [_columns([_HEADINGS, *(_row(key, self._clock()) for key in keys)])]
        if forged:
            lines.append(f"Not signed by this deployment, so they open nothing: {', '.join(map(_shown, forged))}")
        return "\n".join(lines)

    def revoke(self, key_id: str) -> str:
        try:
            record = self._keys.revoke(key_id)
        except NotFound as error:
            raise LocalError("No key has this id. List them: turnkeep keys list") from error
        except Forged as error:
            raise LocalError("This key is not signed by this deployment, so it opens nothing as it is.") from error
        assert record.revoked_at is not None  # noqa: S101 - revoking sets it
        return f"Key {record.key_id} is revoked since {iso(record.revoked_at)}. A minute after that nothing takes it."


def open_desk(deployment: Deployment) -> KeyDesk:
    keys = ApiKeys(deployment.items, deployment.keyring, clock=time.time, random_bytes=secrets.token_bytes)
    return KeyDesk(keys, url=deployment.url, clock=time.time)


def _check_names(**names: str) -> None:
    for option, name in names.items():
        if not name.isprintable() or (option == "label" and len(name) > LABEL_CHARACTERS):
            raise LocalError(f"--{option} has to be a line of text, a label of at most {LABEL_CHARACTERS} characters.")


def _shown(key_id: str) -> str:
    """Return the id without control characters: a forged item has any id that its author chose."""
    return "".join(letter if letter.isprintable() else "?" for letter in key_id)


def _row(key: ApiKey, now: float) -> tuple[str, ...]:
    state = "revoked" if key.revoked_at is not None else "expired" if key.is_expired(now) else "valid"
    return (
        key.key_id,
        key.principal.tenant,
        key.principal.user,
        _ACTS_FOR[key.principal.acts_for],
        state,
        iso(key.created_at),
        iso(key.expires_at) if key.expires_at is not None else "never",
        key.label,
    )


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(map(str.rstrip, lines))
