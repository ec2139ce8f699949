"""The tests' own promises: no other host is reached, no setting leaks in, and CI lets no test be skipped."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

TESTS = """
import pytest

def test_runs():
    pass

def test_misses_data():
    pytest.skip("needs ../shared/data")

@pytest.mark.skipif(True, reason="no time")
def test_has_no_time():
    pass
"""

MODULE = "import pytest\npytest.importorskip('there_is_no_such_module')\n"


def test_no_test_reaches_another_host() -> None:
    with socket.socket() as probe, pytest.raises(RuntimeError, match=r"tried to reach 192\.0\.2\.1"):
        probe.connect(("192.0.2.1", 80))
    with pytest.raises(RuntimeError, match=r"tried to reach example\.invalid"):
        socket.getaddrinfo("example.invalid", 80)


def test_no_setting_of_the_machine_leaks_into_a_test() -> None:
    leaked = [name for name in os.environ if name.startswith(("OPENAI_", "MODEL", "SEAL_KEY", "AWS_PROFILE"))]
    assert leaked == []
    assert os.environ["AWS_ACCESS_KEY_ID"] == "testing"


def test_where_all_have_to_run_a_skip_fails_unless_only_data_are_absent(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_module.py").write_text(MODULE)
    (tmp_path / "data").mkdir()
    for data, outcome in (("data", "1 failed, 1 passed, 2 errors"), ("absent", "1 passed, 1 skipped, 2 errors")):
        facts = {"PYTHONPATH": str(ROOT / "tests"), "TURNKEEP_NO_SKIP": "1", "TURNKEEP_DATA": str(tmp_path / data)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "--rootdir", "."]
        command += ["--continue-on-collection-errors"]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **facts}, capture_output=True, text=True, check=False
        )
        assert outcome in done.stdout
