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


def _outcome(folder: Path, text: str, data: Path) -> str:
    (folder / "test_some.py").write_text(text)
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "--rootdir", folder, folder],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "TURNKEEP_NO_SKIP": "1", "TURNKEEP_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip().splitlines()[-1]


def test_where_all_have_to_run_a_skipped_test_fails(tmp_path: Path) -> None:
    assert "1 failed, 1 passed, 1 error" in _outcome(tmp_path, TESTS, data=tmp_path)


def test_where_all_have_to_run_only_absent_data_excuse_a_test(tmp_path: Path) -> None:
    assert "1 passed, 1 skipped, 1 error" in _outcome(tmp_path, TESTS, data=tmp_path / "absent")


def test_where_all_have_to_run_a_skipped_module_fails(tmp_path: Path) -> None:
    assert "1 error" in _outcome(tmp_path, MODULE, data=tmp_path)
