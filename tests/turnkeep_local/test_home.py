import os
import subprocess
import sys
from pathlib import Path

import pytest

from turnkeep.signing import secrets_of
from turnkeep_local import LocalError
from turnkeep_local.home import Home, open_home, sole_server

HOLDER = """
import sys, time
from pathlib import Path
from turnkeep_local.home import Home, sole_server

with sole_server(Home(Path(sys.argv[1])), "http://127.0.0.1:8000"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_folder_is_private_and_its_location_configurable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    named, own = open_home({"TURNKEEP_HOME": str(tmp_path / "a" / "b")}), open_home({})
    assert (named.path, own.path) == (tmp_path / "a" / "b", tmp_path / ".turnkeep")
    assert {home.path.stat().st_mode & 0o777 for home in (named, own)} == {0o700}
    assert named.seal_key() != own.seal_key()
    assert named.access_key() != own.access_key()


def test_the_signing_key_is_created_once_and_private(tmp_path: Path) -> None:
    home = Home(tmp_path)
    key = home.seal_key()
    assert len(secrets_of(key)) == 1
    assert Home(tmp_path).seal_key() == key
    assert (tmp_path / "seal.key").stat().st_mode & 0o777 == 0o600


def test_a_second_server_fails_while_the_first_one_lives(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        with (
            pytest.raises(LocalError, match=r"running at http://127\.0\.0\.1:8000"),
            sole_server(home, "http://127.0.0.1:9000"),
        ):
            pass
        holder.kill()
    with sole_server(home, "http://127.0.0.1:9000"):
        assert str(os.getpid()) in home.server.read_text()
