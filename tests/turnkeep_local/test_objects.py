import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from template_resources import properties_of
from turnkeep_local.objects import OBJECT_DAYS, FolderObjects

WRITER = """
import sys
from pathlib import Path
from turnkeep_local.objects import FolderObjects

objects = FolderObjects(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    for letter in (b"a", b"b"):
        objects.put("blobs/one", letter * 400_000)
"""


@pytest.mark.parametrize("key", ["../up", "/etc/x", "T#a#U#b", "blobs/A", "blobs/../a", "", ".", "a\0b"])
def test_a_key_that_is_not_a_lower_case_path_is_rejected(folder_objects: FolderObjects, key: str) -> None:
    with pytest.raises(ValueError, match="not a valid object key"):
        folder_objects.put(key, b"body")


def test_an_object_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    objects, moments = FolderObjects(tmp_path), random.Random(3)
    objects.put("blobs/one", b"a" * 400_000)
    for _ in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(moments.uniform(0, 0.1))
            writer.send_signal(signal.SIGKILL)
        assert objects.get("blobs/one") in (b"a" * 400_000, b"b" * 400_000)


def test_the_sweep_removes_old_objects_and_drafts_only(tmp_path: Path) -> None:
    objects, now = FolderObjects(tmp_path), 2_000_000_000.0
    for key, days in (("old", OBJECT_DAYS + 1), ("young", OBJECT_DAYS - 1)):
        objects.put(key, b"body")
        made = now - days * 86_400
        newest = max(tmp_path.glob("*"), key=lambda file: file.stat().st_ctime_ns)
        os.utime(newest, (made, made))
    draft = newest.with_name("draft.tmp")
    draft.write_bytes(b"half")
    os.utime(draft, (1, 1))
    assert objects.sweep(now) == 2
    assert objects.get("young") == b"body"
    assert not draft.exists()
    with pytest.raises(KeyError):
        objects.get("old")


def test_the_sweep_keeps_objects_as_long_as_the_bucket_does() -> None:
    rules = properties_of("Objects")["LifecycleConfiguration"]["Rules"]
    assert [rule["ExpirationInDays"] for rule in rules if rule.get("Prefix") == "blobs/"] == [OBJECT_DAYS]
