"""Opens the store for scripts, notebooks and other servers. `turnkeep dev` in `.turnkeep` takes precedence over AWS."""

import json
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeep.signing import secrets_of
from turnkeep.store.codec import Codec
from turnkeep.store.direct import Direct
from turnkeep.store.items import Items
from turnkeep.store.keys import INDEX_KEYS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LOCAL_REGION = "eu-west-1"
_CLIENT: Any = {"retries": {"mode": "standard", "total_max_attempts": 5}, "connect_timeout": 2, "read_timeout": 10}


def open_items(table: str, client: "DynamoDBClient | None") -> "tuple[DynamoDBClient, Items]":
    """Open a table with `client`. Without one, open a client of the environment, used as a deployment does."""
    credentials: Any = None
    if client is None:
        client, credentials = open_client("dynamodb")
    is_off = os.environ.get("DYNAMODB_DIRECT", "").lower() in ("false", "0", "no", "off")
    return client, Items(client, table, direct=None if is_off else Direct.of(client, credentials))


def open_client(service: str) -> tuple[Any, Any]:
    """Open boto3's client of the environment, or of the running `turnkeep dev`, with its credentials. Raises ValueError
    with the remedy."""
    import boto3  # noqa: PLC0415 - a deployment has made its own
    from botocore.config import Config  # noqa: PLC0415

    local: Any = _running_store() if service == "dynamodb" else {}
    url = local.pop("endpoint_url", None)
    session: Any = boto3.Session(**(local or {"region_name": os.environ.get("AWS_REGION")}))
    credentials = session.get_credentials()
    if not (session.region_name and credentials):
        raise ValueError(
            f"No AWS region or credentials are set, and no `turnkeep dev` runs for the folder {_home().resolve()}. "
            "Start one there, set TURNKEEP_HOME to the folder of a running one, or set AWS_DEFAULT_REGION and "
            "credentials."
        )
    config = Config(**_CLIENT, proxies={} if local else None)
    return session.client(service, endpoint_url=url, config=config), credentials


def _home() -> Path:
    return Path(os.environ.get("TURNKEEP_HOME") or ".turnkeep")


def _running_store() -> dict[str, str]:
    """Return client arguments for the store of a running `turnkeep dev`; none if the environment names another."""
    try:
        port = json.loads((_home() / "dynamodb.json").read_bytes())["port"]
        access_key = (_home() / "access.key").read_text().strip()
        socket.create_connection(("127.0.0.1", port), 1).close()
    except (OSError, ValueError):
        return {}
    named = os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL")
    url = f"http://127.0.0.1:{port}"
    is_other = named and named.replace("//localhost:", "//127.0.0.1:").rstrip("/") != url
    return {} if is_other else {"endpoint_url": url, **local_access(access_key)}


def local_access(access_key: str) -> dict[str, str]:
    """Return client arguments for DynamoDB Local, which has separate tables for each key and region."""
    return {"region_name": LOCAL_REGION, "aws_access_key_id": access_key, "aws_secret_access_key": "local"}


def make_table(client: "DynamoDBClient", name: str) -> bool:
    """Create the table of template.yaml with its indexes and its TTL. Return False if it exists."""
    try:
        client.create_table(TableName=name, **table_definition())
    except client.exceptions.ResourceInUseException:
        return False
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
    return True


def table_definition() -> Any:
    """Return the properties of the table in template.yaml."""
    types = {"PK": "S", "SK": "S", "u": "S", "la": "N", "xh": "S"}
    return {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()],
        "KeySchema": _schema("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {"IndexName": name, "KeySchema": _schema(*pair), "Projection": {"ProjectionType": "KEYS_ONLY"}}
            for name, pair in INDEX_KEYS.items()
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }


def _schema(partition: str, sort: str) -> list[Any]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def open_codec(seal_key: str | None) -> Codec:
    """Return a codec that signs with `seal_key`, else SEAL_KEY, else the key of `turnkeep dev` in `.turnkeep`
    (TURNKEEP_HOME). The key is read at first use, which raises ValueError if there is none."""
    return Codec(refresh=lambda: secrets_of(seal_key or os.environ.get("SEAL_KEY") or _key_of_folder()))


def _key_of_folder() -> str:
    file = _home().resolve() / "seal.key"
    try:
        return file.read_text()
    except FileNotFoundError:
        raise ValueError(
            f"There is no signing key. Pass seal_key=, or set SEAL_KEY or TURNKEEP_HOME. Looked in {file}. For a new "
            "table, create one and keep it: python -c 'import secrets; print(secrets.token_urlsafe(48))'"
        ) from None
