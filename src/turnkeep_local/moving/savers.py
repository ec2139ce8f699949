"""Tables of other savers. The package that wrote a table unpacks its checkpoints; the items list the threads."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
import ormsgpack
from botocore.exceptions import ClientError
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer

from turnkeep.store.attributes import decode
from turnkeep.store.serde import SERIALISER
from turnkeep_local import LocalError

AWS, OTHER = "langgraph-checkpoint-aws", "langgraph-checkpoint-dynamodb"
_LAYOUTS = {
    AWS: (["PK", "SK"], "CHECKPOINT_", ("PK", "ns", "id")),
    OTHER: (["thread_id", "checkpoint_id"], "", ("thread_id", "checkpoint_ns", "checkpoint_id")),
}
"""Per package: the table's keys, the prefix of thread ids, and the attributes with thread, namespace and checkpoint."""
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, NotImplementedError, EOFError, OSError, zlib.error)
"""Errors of a package for items that it did not write, or wrote in part."""


class Unreadable(Exception):
    """A thread cannot be imported, for this reason."""


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
    """`newest` has the id of the newest checkpoint by namespace. `ttl` is in epoch seconds."""

    thread_id: str
    newest: dict[str, str] = field(default_factory=dict)
    ttl: float = float("inf")


@dataclass
class OldTable:
    """One table of another saver. `writes`: second table of langgraph-checkpoint-dynamodb. `bucket`: large states of
    langgraph-checkpoint-aws."""

    package: str
    table: str
    endpoint: str | None = None
    writes: str | None = None
    bucket: str | None = None
    prefix: str | None = None

    def __post_init__(self) -> None:
        self._client: Any = boto3.client("dynamodb", endpoint_url=self.endpoint)
        self._saver = self._open_saver({"endpoint_url": self.endpoint})

    def _open_saver(self, where: dict[str, Any]) -> Any:
        serde = JsonPlusSerializer(allowed_msgpack_modules=None, __unpack_ext_hook__=_unpacked)
        if self.package == AWS:
            from langgraph_checkpoint_aws import DynamoDBSaver  # noqa: PLC0415 - an extra

            large = {"bucket_name": self.bucket, "key_prefix": self.prefix} if self.bucket else None
            saver = DynamoDBSaver(self.table, s3_offload_config=large, **where)
            saver.serializer.serde = serde
            return saver
        from langgraph_checkpoint_dynamodb.saver import DynamoDBSaver as OtherSaver  # noqa: PLC0415 - an extra

        if not self.writes:
            raise LocalError(f"{self.package} stores interrupts in a second table. Name it: --writes-table NAME")
        names = {"checkpoints_table_name": self.table, "writes_table_name": self.writes}
        return OtherSaver(client_config=where, serde=serde, **names)

    def threads(self) -> list[OldThread]:
        """Read the table once; return its threads in the order of their ids. Raise LocalError for another layout."""
        expected, prefix, names = _LAYOUTS[self.package]
        described = self._client.describe_table(TableName=self.table)["Table"]
        keys = [each["AttributeName"] for each in described["KeySchema"]]
        if keys != expected:
            found = f"the keys {' and '.join(keys)}; {self.package} writes {' and '.join(expected)}"
            raise LocalError(f"{self.table} has {found}. Name the package that wrote it: --from PACKAGE")
        wanted = dict(zip(("#thread", "#namespace", "#id", "#ttl"), (*names, "ttl"), strict=True))
        scan = {"ProjectionExpression": ", ".join(wanted), "ExpressionAttributeNames": wanted}
        pages = self._client.get_paginator("scan").paginate(TableName=self.table, **scan)
        threads: dict[str, OldThread] = {}
        for item in (decode(each) for page in pages for each in page["Items"]):
            if not item[names[0]].startswith(prefix):
                continue
            thread_id, namespace, checkpoint_id = (item.get(name, "") for name in names)
            thread = threads.setdefault(thread_id, OldThread(thread_id.removeprefix(prefix)))
            if checkpoint_id >= thread.newest.get(namespace, ""):
                thread.newest[namespace] = checkpoint_id
                thread.ttl = thread.ttl if namespace else item.get("ttl", thread.ttl)
        return [thread for _, thread in sorted(threads.items()) if "" in thread.newest]

    def read(self, thread: OldThread, namespace: str = "") -> CheckpointTuple | None:
        """Return the newest checkpoint of the namespace."""
        # Asked for the newest one, langgraph-checkpoint-dynamodb may return a checkpoint of a sub-graph.
        at = {"thread_id": thread.thread_id, "checkpoint_ns": namespace, "checkpoint_id": thread.newest[namespace]}
        found: CheckpointTuple | None = self._saver.get_tuple({"configurable": at})
        return found


def _unpacked(code: int, packed: bytes) -> object:
    """Run no code of the graph: a type that LangGraph does not list stays packed, as an `ormsgpack.Ext`."""
    extension = ormsgpack.Ext(code, packed)
    if _types_in(code, packed) <= SAFE_MSGPACK_TYPES:
        return SERIALISER.loads_typed(("msgpack", ormsgpack.packb(extension)))
    return extension


def _types_in(code: int, packed: bytes) -> set[tuple[str, ...]]:
    """Return module and name of each type in a packed value, however deep; arrays and snapshots count by their code."""
    if code > EXT_PYDANTIC_V2:
        return {("langgraph", f"extension {code}")}
    found: set[tuple[str, ...]] = set()

    def collect(inner: int, content: bytes) -> None:
        found.update(_types_in(inner, content))

    module, name, *_ = ormsgpack.unpackb(packed, ext_hook=collect, option=ormsgpack.OPT_NON_STR_KEYS)
    return found | {(module, name)}
