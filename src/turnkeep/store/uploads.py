"""Quarantine: each file is stored unchanged from its upload until it has been read. Its name has a digest of the
thread's key, and its metadata the encrypted owner, so an erased thread leaves nothing that points to it."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from turnkeep.store.blobs import Objects, S3Objects, answered

MAX_UPLOAD_BYTES = 10_000_000
FORM_SECONDS = 300
OWNER = "x-amz-meta-owner"
FORM_PATH = "/uploads"  # on a laptop


@dataclass(frozen=True)
class Form:
    """A form that a client posts as multipart/form-data: all fields, and last the file as `file`."""

    url: str
    fields: dict[str, str]


class S3Uploads(S3Objects):
    """Uploads in the bucket of large values."""

    def form(self, key: str, owner: str, content_type: str | None) -> Form:
        fields = {OWNER: owner} | ({"Content-Type": content_type} if content_type else {})
        allowed: list[Any] = [{name: value} for name, value in fields.items()]
        allowed.append(["content-length-range", 1, MAX_UPLOAD_BYTES])
        post = self._client.generate_presigned_post
        with answered():
            made = post(self._bucket, key, Fields=fields, Conditions=allowed, ExpiresIn=FORM_SECONDS)
        return Form(made["url"], made["fields"])

    def read(self, key: str) -> tuple[bytes, str]:
        with answered():
            found = self._client.get_object(Bucket=self._bucket, Key=key)
            return found["Body"].read(MAX_UPLOAD_BYTES + 1), found["Metadata"].get("owner", "")


class KeptUploads:
    """Uploads among other objects; a route of this server accepts the form. The owner is the file's first line."""

    def __init__(self, objects: Objects):
        self._objects = objects

    def form(self, key: str, owner: str, content_type: str | None) -> Form:
        return Form(FORM_PATH, {"key": key, OWNER: owner})

    def put(self, key: str, owner: str, body: bytes) -> None:
        self._objects.put(key, owner.encode() + b"\n" + body)

    def read(self, key: str) -> tuple[bytes, str]:
        owner, _, body = self._objects.get(key).partition(b"\n")
        return body, owner.decode("ascii", "replace")

    def delete(self, keys: list[str]) -> None:
        self._objects.delete(keys)


Uploads: TypeAlias = S3Uploads | KeptUploads
"""A form is valid for FORM_SECONDS and for 1 to MAX_UPLOAD_BYTES bytes. A missing file raises KeyError."""
