"""docs/saver.md: its script, run as printed, uses the store of the `turnkeep dev` of its folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dev_server import dev_server

pytestmark = [pytest.mark.usefixtures("emulator")]
SCRIPT = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[2] / "docs" / "saver.md").read_text(), re.DOTALL)[0]
BARE = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
BARE |= {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
OTHER = {"AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "other"}
PROXY = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"), "http://127.0.0.1:1")
MACHINES = {
    "bare": {},
    "region": {"AWS_REGION": "us-east-1"},
    "default region and key": {"AWS_DEFAULT_REGION": "us-east-1", **OTHER},
    "proxy": PROXY,
    "endpoint and region": {"AWS_ENDPOINT_URL_DYNAMODB": "http://localhost:{port}", "AWS_REGION": "us-east-1", **OTHER},
}


def run(folder: Path, environ: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", SCRIPT.replace("ann-1", environ.get("THREAD", "ann-1"))]
    return subprocess.run(command, cwd=folder, env={**BARE, **environ}, capture_output=True, text=True, check=False)


def test_its_thread_is_one_of_the_server_whatever_of_aws_is_set(tmp_path: Path) -> None:
    with dev_server(tmp_path, {**BARE, **PROXY, "TURNKEEP_HOME": str(tmp_path / ".turnkeep")}) as client:
        client.get("/ok")
        port = re.search(r'"port": (\d+)', (tmp_path / ".turnkeep" / "dynamodb.json").read_text())
        assert port
        for number, facts in enumerate(MACHINES.values()):
            environ = {name: value.replace("{port}", port[1]) for name, value in facts.items()}
            done = run(tmp_path, {**environ, "THREAD": f"ann-{number}"})
            assert (done.stdout, done.returncode) == ("You said hello.\n", 0), done.stderr
            (turn,) = client.get(f"/threads/ann-{number}/turns").json()["turns"]
            assert turn["reply"] == "You said hello."


@pytest.mark.parametrize("missing", ["region", "credentials"])
def test_without_a_server_it_names_the_missing_settings(tmp_path: Path, missing: str) -> None:
    (tmp_path / ".turnkeep").mkdir()
    (tmp_path / ".turnkeep" / "dynamodb.json").write_text('{"pid": 1, "port": 9}')  # of a server that was killed
    done = run(tmp_path, OTHER if missing == "region" else {"AWS_DEFAULT_REGION": "us-east-1"})
    assert done.stderr.splitlines()[-1].startswith("ValueError: No AWS region or credentials are set, and no")
    assert f"{tmp_path}/.turnkeep" in done.stderr
    assert not (tmp_path / ".turnkeep" / "seal.key").exists()
