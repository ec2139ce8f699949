"""The table together with one bucket of S3, so that both have one network."""
# ruff: noqa: N803 - the names of arguments are those of boto3

from io import BytesIO

from memory_table import Table, failure


class Cloud(Table):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.objects = {}

    def put_object(self, *, Bucket, Key, Body):
        self.objects[Key] = Body
        return {}

    def get_object(self, *, Bucket, Key):
        if Key not in self.objects:
            raise failure("GetObject", "NoSuchKey", 404)
        return {"Body": BytesIO(self.objects[Key])}

    def list_objects_v2(self, *, Bucket, Prefix, StartAfter):
        names = sorted(name for name in self.objects if name.startswith(Prefix) and name > StartAfter)
        return {"Contents": [{"Key": name} for name in names[: self.page]]}

    def delete_objects(self, *, Bucket, Delete):
        for each in Delete["Objects"]:
            self.objects.pop(each["Key"], None)
        return {}
