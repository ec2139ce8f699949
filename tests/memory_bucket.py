"""A bucket of S3 in memory, behind the calls of a boto3 client that `S3Objects` makes."""
# ruff: noqa: N803 - the names of arguments are those of boto3

from io import BytesIO
from typing import Any

from memory_table import failure


class MemoryBucket:
    """Lists at most `page` names in one answer."""

    page = 1000

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def put_object(self, *, Bucket: str, Key: str, Body: Any) -> dict[str, Any]:
        self.objects[Key] = Body if isinstance(Body, bytes) else Body.read()
        return {}

    def generate_presigned_url(self, _: str = "", *, Params: dict[str, str], ExpiresIn: int) -> str:
        return Params["Key"]

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:
        if Key not in self.objects:
            raise failure("GetObject", "NoSuchKey", 404)
        return {"Body": BytesIO(self.objects[Key])}

    def list_objects_v2(self, *, Bucket: str, Prefix: str, StartAfter: str) -> dict[str, Any]:
        names = sorted(name for name in self.objects if name.startswith(Prefix) and name > StartAfter)
        return {"Contents": [{"Key": name} for name in names[: self.page]]}

    def delete_objects(self, *, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        for each in Delete["Objects"]:
            self.objects.pop(each["Key"], None)
        return {}
