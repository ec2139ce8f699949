"""Tables of other savers. The package that wrote a table unpacks its checkpoints; the items list the threads."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import boto3
import ormsgpack
from botocore.exceptions import ClientError
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer

from turnkeep.storage.attributes import Item, decode
from turnkeep.storage.elements import SERIALISER
from turnkeep_local import LocalError

_BROKEN = (ValueError, LookupError, TypeError, AttributeError, NotImplementedError, EOFError, OSError, zlib.error)
"""Errors of a package for items that it did not write, or wrote in part."""


class Unreadable(Exception):
    """A thread cannot be moved, for this reason."""


@contextmanager
def readable() -> Iterator[None]:
    """Raise Unreadable for errors of one thread; errors of the table pass."""
    try:
        yield
    except ClientError as error:
        if error.operation_name != "GetObject":
            raise
        raise Unreadable(str(error)) from error
    except _BROKEN as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


@dataclass
class OldThread:
    """Ids of checkpoints: `newest` by namespace, `ids` of the thread's own graph. `ttl` is in epoch seconds."""

    thread_id: str
    newest: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    ttl: float = float("inf")


@dataclass(frozen=True)
class Place:
    """`writes`: second table of langgraph-checkpoint-dynamodb. `bucket`: large states of langgraph-checkpoint-aws."""

    package: str
    table: str
    region: str | None = None
    endpoint: str | None = None
    writes: str = ""
    bucket: str = ""
    prefix: str | None = None


class OldTable:
    """One table of another saver."""

    def __init__(self, place: Place):
        self.place, self._layout = place, _LAYOUTS[place.package]
        where = {"region_name": place.region, "endpoint_url": place.endpoint}
        self._client: Any = boto3.client("dynamodb", region_name=place.region, endpoint_url=place.endpoint)
        self._saver = self._layout.open(place, where)

    def threads(self) -> list[OldThread]:
        """Read the table once; return its threads in the order of their ids. Raises LocalError for another layout."""
        keys = [
            each["AttributeName"]
            for each in self._client.describe_table(TableName=self.place.table)["Table"]["KeySchema"]
        ]
        if keys != self._layout.keys:
            found = f"the keys {' and '.join(keys)}; {self.place.package} writes {' and '.join(self._layout.keys)}"
            raise LocalError(f"{self.place.table} has {found}. Name the package that wrote it: --from PACKAGE")
        threads: dict[str, OldThread] = {}
        for page in self._client.get_paginator("scan").paginate(TableName=self.place.table, **self._layout.scan):
            for item in map(decode, page["Items"]):
                thread_id, namespace, checkpoint_id = self._layout.entry(item)
                thread = threads.setdefault(thread_id, OldThread(thread_id))
                thread.ids += [] if namespace else [checkpoint_id]
                if checkpoint_id >= thread.newest.get(namespace, ""):
                    thread.newest[namespace] = checkpoint_id
                    thread.ttl = thread.ttl if namespace else item.get("ttl", thread.ttl)
        return [thread for _, thread in sorted(threads.items()) if "" in thread.newest]

    def read(self, thread: OldThread, namespace: str = "") -> CheckpointTuple | None:
        """Return the newest checkpoint of a namespace."""
        return self._read(thread, namespace, thread.newest[namespace])

    def times(self, thread: OldThread) -> dict[str, float]:
        """Return when each message was first stored, by its id in epoch seconds, as far as old checkpoints exist."""
        first: dict[str, float] = {}
        for checkpoint_id in thread.ids:
            with suppress(Unreadable), readable():
                if found := self._read(thread, "", checkpoint_id):
                    at = datetime.fromisoformat(found.checkpoint["ts"]).timestamp()
                    names = [message.id for message in found.checkpoint["channel_values"].get("messages", ())]
                    first |= {name: min(at, first.get(name, at)) for name in names}
        return first

    def _read(self, thread: OldThread, namespace: str, checkpoint_id: str) -> CheckpointTuple | None:
        # Asked for the newest one, langgraph-checkpoint-dynamodb may return a checkpoint of a sub-graph.
        at = {"thread_id": thread.thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}
        return self._saver.get_tuple({"configurable": at})


@dataclass(frozen=True)
class _Layout:
    """Keys and arguments of a Scan; `entry` returns thread, namespace and checkpoint of an item."""

    keys: list[str]
    scan: dict[str, Any]
    entry: Callable[[Item], tuple[str, str, str]]
    open: Callable[[Place, Any], "BaseCheckpointSaver[Any]"]


def _open_dynamodb(place: Place, where: Any) -> "BaseCheckpointSaver[Any]":
    from langgraph_checkpoint_dynamodb.saver import DynamoDBSaver  # noqa: PLC0415 - an extra

    if not place.writes:
        raise LocalError(f"{place.package} has a second table, with interrupts: --writes-table NAME")
    names = {"checkpoints_table_name": place.table, "writes_table_name": place.writes}
    saver: BaseCheckpointSaver[Any] = DynamoDBSaver(client_config=where, serde=Carrying(), **names)
    return saver


def _open_aws(place: Place, where: Any) -> "BaseCheckpointSaver[Any]":
    from langgraph_checkpoint_aws import DynamoDBSaver  # noqa: PLC0415 - an extra

    large: Any = {"bucket_name": place.bucket, "key_prefix": place.prefix} if place.bucket else None
    saver: Any = DynamoDBSaver(place.table, s3_offload_config=large, **where)
    saver.serializer.serde = Carrying()
    return saver  # type: ignore[no-any-return]


_LAYOUTS = {
    "langgraph-checkpoint-aws": _Layout(
        ["PK", "SK"],
        {
            "FilterExpression": "begins_with(PK, :begin)",
            "ExpressionAttributeValues": {":begin": {"S": "CHECKPOINT_"}},
            "ProjectionExpression": "PK, ns, id, #ttl",
            "ExpressionAttributeNames": {"#ttl": "ttl"},
        },
        lambda item: (item["PK"].removeprefix("CHECKPOINT_"), item["ns"], item["id"]),
        _open_aws,
    ),
    "langgraph-checkpoint-dynamodb": _Layout(
        ["thread_id", "checkpoint_id"],
        {"ProjectionExpression": "thread_id, checkpoint_ns, checkpoint_id"},
        lambda item: (item["thread_id"], item.get("checkpoint_ns", ""), item["checkpoint_id"]),
        _open_dynamodb,
    ),
}


class Carrying(JsonPlusSerializer):
    """Runs no code of the graph: a type that LangGraph does not list stays packed, as an `ormsgpack.Ext`."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None, pickle_fallback=False)

    def loads_typed(self, data: tuple[str, bytes]) -> object:
        if data[0] != "msgpack":
            return super().loads_typed(data)
        return ormsgpack.unpackb(data[1], ext_hook=_carried, option=ormsgpack.OPT_NON_STR_KEYS)


def _carried(code: int, packed: bytes) -> object:
    extension = ormsgpack.Ext(code, packed)
    if _types_in(code, packed) <= SAFE_MSGPACK_TYPES:
        return SERIALISER.loads_typed(("msgpack", ormsgpack.packb(extension)))
    return extension


def _types_in(code: int, packed: bytes) -> set[tuple[str, ...]]:
    """Return module and name of each type in a packed value, however deep; arrays and snapshots count by their code."""
    if code > EXT_PYDANTIC_V2:
        return {("langgraph", f"extension {code}")}
    found: set[tuple[str, ...]] = set()

    def look(inner: int, content: bytes) -> None:
        found.update(_types_in(inner, content))

    module, name, *_ = ormsgpack.unpackb(packed, ext_hook=look, option=ormsgpack.OPT_NON_STR_KEYS)
    return found | {(module, name)}
