"""Large values: inline in the item if they fit, otherwise one object, with its checksum in the item. Without an object
store the value is split over several items next to it.

The object is written before the item and named by the item's key, so a crash in between leaves an unreachable object.
Its name has the prefix of its thread, and it is deleted with the thread."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from hashlib import sha256
from typing import IO, TYPE_CHECKING, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.errors import StateCorrupt, StoreUnavailable
from turnkeep.store.attributes import Item
from turnkeep.store.items import Items
from turnkeep.store.keys import LAYOUT, OTHER_LAYOUT, item_ttl, new_item, object_key, part_key

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

NO_OBJECTS = "Part of it is stored in a bucket. Configure the bucket of the deployment that wrote it."


class Objects(Protocol):
    """Storage of large values: S3, or a folder on a laptop."""

    def put(self, key: str, body: bytes | IO[bytes]) -> None:
        """Store an object. Pass a file if the body is too large for memory."""

    def link(self, key: str, seconds: int) -> str:
        """Return a URL with which anyone can read the object for `seconds`."""

    def get(self, key: str) -> bytes:
        """Return an object. Raises KeyError if it does not exist."""

    def names(self, prefix: str) -> Iterator[str]:
        """Yield the keys that begin with `prefix`."""

    def delete(self, keys: list[str]) -> None:
        """Delete at most 1,000 objects; missing ones are ignored."""


@contextmanager
def answered() -> Iterator[None]:
    """Raise KeyError if S3 has no such object, StoreUnavailable without S3 or credentials."""
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        if isinstance(error, ClientError) and error.response["Error"]["Code"] == "NoSuchKey":
            raise KeyError from error
        raise StoreUnavailable(retry_after=2) from error


class S3Objects:
    """Objects in a bucket. Raises StoreUnavailable if S3 does not answer."""

    def __init__(self, client: "S3Client", bucket: str):
        self._client = client
        self._bucket = bucket

    def put(self, key: str, body: bytes | IO[bytes]) -> None:
        with answered():
            self._client.put_object(Bucket=self._bucket, Key=key, Body=body)

    def link(self, key: str, seconds: int) -> str:
        place = {"Bucket": self._bucket, "Key": key}
        with answered():
            return self._client.generate_presigned_url("get_object", Params=place, ExpiresIn=seconds)

    def get(self, key: str) -> bytes:
        with answered():
            return self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()

    def names(self, prefix: str) -> Iterator[str]:
        after: str | None = ""
        while after is not None:
            with answered():
                found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, StartAfter=after)
            page = [each["Key"] for each in found.get("Contents", [])]
            yield from page
            after = page[-1] if page else None

    def delete(self, keys: list[str]) -> None:
        with answered():
            self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": [{"Key": each} for each in keys]})


@dataclass(eq=False)
class Blobs:
    """Writes a signed value to an item's attributes and reads it back. Give one of `objects` and `items`, or both to
    read older parts. `clock`: epoch seconds."""

    objects: Objects | None
    items: Items | None = None
    _: KW_ONLY
    clock: Callable[[], float] = time.time
    inline_bytes: int = 300 * 1024

    def attributes(self, pk: str, sk: str, packed: bytes, *, inline_bytes: int | None = None) -> Item:
        """Return the attributes of an item for a value; write an object first if the value is too large."""
        if len(packed) <= (self.inline_bytes if inline_bytes is None else inline_bytes):
            return {"data": packed}
        if self.objects is None:
            return self._in_parts(pk, sk, packed)
        name = object_key(pk, sk)
        self.objects.put(name, packed)
        return {"object": name, "sum": sha256(packed).digest()}

    def _in_parts(self, pk: str, sk: str, packed: bytes) -> Item:
        assert self.items  # noqa: S101 - see the class
        size = self.inline_bytes
        pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
        ttl = item_ttl(int(self.clock() * 1000))
        self.items.write_many(new_item(pk, part_key(sk, n), ttl, data=piece) for n, piece in enumerate(pieces))
        return {"parts": len(pieces), "sum": sha256(packed).digest()}

    def value(self, item: Item) -> bytes:
        """Return the value. Raises StateCorrupt if its object is missing or altered, or for another layout."""
        if item.get("v", LAYOUT) != LAYOUT:
            raise StateCorrupt(OTHER_LAYOUT)
        if "data" in item:
            return bytes(item["data"])
        packed = self._whole(item)
        if sha256(packed).digest() != item["sum"]:
            raise StateCorrupt
        return packed

    def _whole(self, item: Item) -> bytes:
        if "parts" in item and self.items:
            keys = [(item["PK"], part_key(item["SK"], part)) for part in range(item["parts"])]
            found = sorted(self.items.get_many(keys), key=lambda each: str(each["SK"]))
            return b"".join(each["data"] for each in found)
        if self.objects is None:
            raise StateCorrupt(NO_OBJECTS)
        try:
            return self.objects.get(item["object"])
        except KeyError as error:
            raise StateCorrupt from error

    def names(self, prefix: str) -> Iterator[str]:
        return self.objects.names(prefix) if self.objects else iter(())

    def delete(self, names: list[str]) -> None:
        if self.objects and names:
            self.objects.delete(names)
