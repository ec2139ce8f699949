"""Opens the store for scripts, notebooks and other servers. `turnkeep dev` in `.turnkeep` comes before AWS."""

import json
import os
import secrets
import socket
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeep.errors import StoreUnavailable
from turnkeep.ring import secrets_of, today, with_new, write_ring
from turnkeep.storage.items import Items, Refused
from turnkeep.storage.keys import BY_EXPIRY, BY_USER
from turnkeep.storage.sealing import Sealer
from turnkeep.storage.sealmark import Marked, SealMark

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LOCAL_REGION = "eu-west-1"
_CLIENT: Any = {"retries": {"mode": "standard", "total_max_attempts": 5}, "connect_timeout": 2, "read_timeout": 10}


def open_client(service: str) -> Any:
    """Open boto3's client of the environment, or of the running `turnkeep dev`. Raises ValueError with the remedy."""
    import boto3  # noqa: PLC0415 - a deployment has made its own
    from botocore.config import Config  # noqa: PLC0415

    local = _running_store() if service == "dynamodb" else {}
    session = boto3.Session(region_name=os.environ.get("AWS_REGION"))
    if not local and not (session.region_name and session.get_credentials()):
        raise ValueError(
            "No AWS region or no AWS credentials are set, and no `turnkeep dev` runs for the folder "
            f"{_home().resolve()}. Start one there, set TURNKEEP_HOME to the folder of one that runs, or set "
            "AWS_DEFAULT_REGION and credentials."
        )
    return session.client(service, config=Config(**_CLIENT), **local)  # type: ignore[call-overload]


def _home() -> Path:
    return Path(os.environ.get("TURNKEEP_HOME") or ".turnkeep")


def _running_store() -> dict[str, str]:
    """Arguments for the client of the store that `turnkeep dev` runs; none where the environment names another."""
    try:
        port = json.loads((_home() / "dynamodb.json").read_bytes())["port"]
        access_key = (_home() / "access.key").read_text().strip()
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return {}
    named = os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL")
    url = f"http://127.0.0.1:{port}"
    is_other = named and named.replace("//localhost:", "//127.0.0.1:").rstrip("/") != url
    return {} if is_other else {"endpoint_url": url, **local_access(access_key)}


def local_access(access_key: str) -> dict[str, str]:
    """Arguments for a client of DynamoDB Local, which has tables of their own for each key and region."""
    return {"region_name": LOCAL_REGION, "aws_access_key_id": access_key, "aws_secret_access_key": "local"}


def make_table(client: "DynamoDBClient", name: str) -> bool:
    """The table as template.yaml describes it, with its indexes and its TTL; False where it is there already."""
    try:
        client.create_table(TableName=name, **table_definition())
    except client.exceptions.ResourceInUseException:
        return False
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
    return True


def table_definition() -> Any:
    types = {"PK": "S", "SK": "S", "u": "S", "la": "N", "xh": "S"}
    keys = {BY_USER: ("u", "la"), BY_EXPIRY: ("xh", "PK")}
    return {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()],
        "KeySchema": _schema("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {"IndexName": name, "KeySchema": _schema(*pair), "Projection": {"ProjectionType": "KEYS_ONLY"}}
            for name, pair in keys.items()
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }


def _schema(partition: str, sort: str) -> list[Any]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def open_sealer(items: Items, seal_key: str | None) -> Sealer:
    """Seal under `seal_key`, else SEAL_KEY, else the key in `.turnkeep` (TURNKEEP_HOME), made if the table has no
    sealed value. The key is read at first use. Raises ValueError then, if it existed and is missing."""

    @cache
    def found() -> tuple[bytes, ...]:
        text = seal_key or os.environ.get("SEAL_KEY") or _kept(items)
        return secrets_of(text)

    return Sealer(refresh=found)


def _kept(items: Items) -> str:
    file = _home() / "seal.key"
    with suppress(FileNotFoundError):
        return file.read_text().strip()
    mark = SealMark(items, clock=time.time)
    marked = mark.read()
    if marked.ids:
        raise ValueError(
            f"The table is sealed under a key that is not here (ids {', '.join(marked.ids)}): give seal_key=, or set "
            f"SEAL_KEY or TURNKEEP_HOME. Looked in {file.resolve()}."
        )
    return _made(file, mark)


def _made(file: Path, mark: SealMark) -> str:
    ring = with_new((), lambda: secrets.token_hex(32), today())
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"seal.{secrets.token_hex(8)}.tmp")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(write_ring(ring, today()))
        stream.flush()
        os.fsync(stream.fileno())
    try:
        os.link(draft, file)  # unlike a rename it replaces no file that another made just now
        mark.write(ring, Marked())
    except FileExistsError:
        return file.read_text().strip()
    except Refused as refused:
        file.unlink()
        raise StoreUnavailable("Another made the seal key of this table just now: give seal_key=.") from refused
    finally:
        draft.unlink()
    return write_ring(ring, today())
