"""What `functions/stream/wrapper` hands to the interpreter."""

import subprocess
from pathlib import Path

import pytest
from lambdas import STREAMING


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "/var/task:/opt/python:/var/runtime"),
        ({"PYTHONPATH": "/of/lambda"}, "/var/task:/opt/python:/of/lambda:/var/runtime"),
        ({"LAMBDA_RUNTIME_DIR": "/elsewhere"}, "/var/task:/opt/python:/elsewhere"),
    ],
)
def test_layers_precede_the_managed_runtime_on_the_path(given: dict[str, str], expected: str, tmp_path: Path) -> None:
    """boto3 lies in the runtime's own folder, wherever its interpreter looks by itself."""
    python = tmp_path / "python3.13"
    python.write_text('#!/bin/sh\necho "$PYTHONPATH $_HANDLER $*"\n')
    python.chmod(0o755)
    environ = {"PATH": "/usr/bin:/bin", "LAMBDA_TASK_ROOT": "/var/task", **given}
    done = subprocess.run([STREAMING[0], python], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [expected, "app.stream", "-m", "turnkeep.aws.runtime"]
