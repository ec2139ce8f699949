"""Tables of other savers. A checkpoint is read with the package that wrote it; which threads there are, and when each
message was first kept, those packages do not tell, so that is read from the items."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import boto3
import ormsgpack
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from turnkeep.storage.attributes import decode
from turnkeep.storage.items import BATCH_READS, batched
from turnkeep_local import LocalError
from turnkeep_local.moving.carrying import Carrying

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass
class OldThread:
    """`newest` has the newest checkpoint's id by namespace; it is kept until `ttl`, epoch seconds, or for ever."""

    thread_id: str
    newest: dict[str, str] = field(default_factory=dict)
    ttl: float = float("inf")


@dataclass(frozen=True)
class Place:
    """`writes` is the second table of langgraph-checkpoint-dynamodb; langgraph-checkpoint-aws put states over 350 KB
    into a `bucket`, under a `prefix`."""

    table: str
    region: str | None = None
    endpoint: str | None = None
    writes: str = ""
    bucket: str = ""
    prefix: str | None = None


class OldTable:
    """One table of another saver."""

    package: str
    keys: tuple[str, str]
    scan: dict[str, Any]

    def __init__(self, place: Place):
        self.place = place
        self._where = {"region_name": place.region, "endpoint_url": place.endpoint}
        self._client: DynamoDBClient = boto3.client("dynamodb", region_name=place.region, endpoint_url=place.endpoint)
        self._saver = self._open()

    def threads(self) -> list[OldThread]:
        """All of them, by their ids; reads the table once. Raises LocalError where it is of another layout."""
        described = self._client.describe_table(TableName=self.place.table)["Table"]
        has = tuple(each["AttributeName"] for each in described["KeySchema"])
        if has != self.keys:
            told = f"the keys {' and '.join(has)}; {self.package} writes {' and '.join(self.keys)}"
            raise LocalError(f"{self.place.table} has {told}. Name the package that wrote it: --from PACKAGE")
        found: dict[str, OldThread] = {}
        for item in self._pages("scan", **self.scan):
            thread_id, namespace, checkpoint_id = self._entry(item)
            thread = found.setdefault(thread_id, OldThread(thread_id))
            if checkpoint_id >= thread.newest.get(namespace, ""):
                thread.newest[namespace] = checkpoint_id
                thread.ttl = thread.ttl if namespace else item.get("ttl", thread.ttl)
        return sorted((each for each in found.values() if "" in each.newest), key=lambda each: each.thread_id)

    def read(self, thread: OldThread, namespace: str = "") -> CheckpointTuple | None:
        """The newest checkpoint that is there as a whole."""
        at = {"thread_id": thread.thread_id, "checkpoint_ns": namespace}
        return self._saver.get_tuple({"configurable": at})

    def times(self, thread_id: str) -> dict[str, float]:
        """When each message was first kept, by its id, epoch seconds, as far as older checkpoints still tell."""
        first: dict[str, float] = {}
        for packed in self._payloads(thread_id):
            content = ormsgpack.unpackb(packed, ext_hook=_id_in, option=ormsgpack.OPT_NON_STR_KEYS)
            checkpoint = content.get("checkpoint", content)
            at = datetime.fromisoformat(checkpoint["ts"]).timestamp()
            messages = checkpoint["channel_values"].get("messages")
            for name in messages if isinstance(messages, list) else ():
                if isinstance(name, str):
                    first[name] = min(at, first.get(name, at))
        return first

    def _pages(self, operation: Any, **arguments: Any) -> Iterator[dict[str, Any]]:
        for page in self._client.get_paginator(operation).paginate(TableName=self.place.table, **arguments):
            yield from map(decode, page["Items"])

    def _open(self) -> "BaseCheckpointSaver[Any]":
        raise NotImplementedError

    def _entry(self, item: dict[str, Any]) -> tuple[str, str, str]:
        raise NotImplementedError

    def _payloads(self, thread_id: str) -> Iterator[bytes]:
        """The packed checkpoints of the thread's own graph."""
        raise NotImplementedError


class DynamoDBTable(OldTable):
    """What langgraph-checkpoint-dynamodb wrote. Asked for the newest checkpoint, its package may give one of a
    sub-graph, so it is asked for one by its id."""

    package = "langgraph-checkpoint-dynamodb"
    keys = ("thread_id", "checkpoint_id")
    scan = {"ProjectionExpression": "thread_id, checkpoint_ns, checkpoint_id"}  # noqa: RUF012

    def _open(self) -> "BaseCheckpointSaver[Any]":
        from langgraph_checkpoint_dynamodb.saver import DynamoDBSaver  # noqa: PLC0415 - an extra

        if not self.place.writes:
            raise LocalError(f"{self.package} has a second table, where interrupts lie: --writes-table NAME")
        names = {"checkpoints_table_name": self.place.table, "writes_table_name": self.place.writes}
        saver: BaseCheckpointSaver[Any] = DynamoDBSaver(client_config=self._where, serde=Carrying(), **names)
        return saver

    def read(self, thread: OldThread, namespace: str = "") -> CheckpointTuple | None:
        at = {"thread_id": thread.thread_id, "checkpoint_id": thread.newest[namespace]}
        return self._saver.get_tuple({"configurable": at})

    def _entry(self, item: dict[str, Any]) -> tuple[str, str, str]:
        return item["thread_id"], item.get("checkpoint_ns", ""), item["checkpoint_id"]

    def _payloads(self, thread_id: str) -> Iterator[bytes]:
        values = {":id": {"S": thread_id}}
        where: Any = {"KeyConditionExpression": "thread_id = :id", "ExpressionAttributeValues": values}
        for item in self._pages("query", **where):
            if not item.get("checkpoint_ns") and item["type"] == "msgpack":
                yield item["checkpoint"]


class AwsTable(OldTable):
    """What langgraph-checkpoint-aws wrote: an item for each checkpoint, its content in another item or in S3."""

    package = "langgraph-checkpoint-aws"
    keys = ("PK", "SK")
    scan = {  # noqa: RUF012
        "FilterExpression": "begins_with(PK, :begin)",
        "ExpressionAttributeValues": {":begin": {"S": "CHECKPOINT_"}},
        "ProjectionExpression": "PK, ns, id, #ttl",
        "ExpressionAttributeNames": {"#ttl": "ttl"},
    }

    def _open(self) -> "BaseCheckpointSaver[Any]":
        from langgraph_checkpoint_aws import DynamoDBSaver  # noqa: PLC0415 - an extra

        large: Any = {"bucket_name": self.place.bucket, "key_prefix": self.place.prefix} if self.place.bucket else None
        saver: Any = DynamoDBSaver(self.place.table, s3_offload_config=large, **self._where)
        saver.serializer.serde = Carrying()
        opened: BaseCheckpointSaver[Any] = saver
        return opened

    def _entry(self, item: dict[str, Any]) -> tuple[str, str, str]:
        return item["PK"].removeprefix("CHECKPOINT_"), item["ns"], item["id"]

    def _payloads(self, thread_id: str) -> Iterator[bytes]:
        values = {":pk": {"S": f"CHECKPOINT_{thread_id}"}, ":root": {"S": "#"}}
        where: Any = {"KeyConditionExpression": "PK = :pk AND begins_with(SK, :root)"}
        found = list(self._pages("query", **where, ExpressionAttributeValues=values))
        kept = {item["ref_key"]: item for item in found if item["ref_loc"] == "DYNAMODB" and item["type"] == "msgpack"}
        for names in batched(kept, BATCH_READS):
            request: Any = {self.place.table: {"Keys": [{"PK": {"S": name}, "SK": {"S": "CHUNK"}} for name in names]}}
            while request:
                answer = self._client.batch_get_item(RequestItems=request)
                for item in map(decode, answer["Responses"].get(self.place.table, [])):
                    yield gzip.decompress(item["payload"]) if "compression" in kept[item["PK"]] else item["payload"]
                request = answer["UnprocessedKeys"]


KINDS: dict[str, type[OldTable]] = {kind.package: kind for kind in (AwsTable, DynamoDBTable)}


def _id_in(_code: int, packed: bytes) -> str | None:
    """The id of a message, as LangGraph packs it: ["langchain_core.messages.ai", "AIMessage", {"id": ...}, ...]."""
    parts = ormsgpack.unpackb(packed, ext_hook=lambda *_: None, option=ormsgpack.OPT_NON_STR_KEYS)
    content = parts[2] if isinstance(parts, list) and len(parts) > 2 else None
    return content.get("id") if isinstance(content, dict) else None
