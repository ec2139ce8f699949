import re
import subprocess
import sys
from pathlib import Path

import pytest

from turnkeep_local.dev import take_port


@pytest.mark.parametrize(("command", "printed"), [([], "dev"), (["keys"], "revoke")])
def test_help_loads_nothing_but_the_command_line(command: list[str], printed: str) -> None:
    code = "import sys, turnkeep_local.cli as c\ntry: c.main(sys.argv[1:])\nexcept SystemExit: print(*sys.modules)"
    asked = [sys.executable, "-c", code, *command, "--help"]
    reported = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert printed in reported
    heavy = {"boto3", "botocore", "httpx", "uvicorn", "fastapi", "pydantic", "yaml", "langgraph", "langchain_core"}
    assert heavy.isdisjoint(reported.split())


def test_a_port_in_use_ends_the_server_before_it_touches_anything(tmp_path: Path) -> None:
    with take_port(0) as holder:
        host, port = holder.getsockname()
        command = [sys.executable, "-m", "turnkeep_local.cli", "dev", "--port", str(port)]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (host, printed.returncode) == ("127.0.0.1", 1)
    assert re.match(rf"turnkeep: Port {port} cannot be used: .*turnkeep dev --port {port + 1}", printed.stderr)
    assert list(tmp_path.iterdir()) == []
