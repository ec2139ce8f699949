"""The function as Lambda starts it: light, by kind, and not at all where nobody could be verified."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lambdas import Function

APP = Path(__file__).parents[3] / "functions" / "authorizer" / "app.py"
HEAVY = {"boto3", "fastapi", "starlette", "pydantic", "langgraph", "langchain_core", "openai", "mangum"}
HEAVY |= {"turnkeep.settings"}
ARN = "arn:aws:execute-api:eu-west-1:123456789012:abc/v1/GET/info"
KEYS = {"TABLE_NAME": "turnkeep", "SEAL_KEY": "of the test"}
JWT = {"AUTH": "jwt", "JWT_ISSUER": "i", "JWT_AUDIENCE": "a", "JWT_JWKS_URL": "https://issuer.example/keys"}
PRELUDE = f"import runpy, json, sys\napp = runpy.run_path({str(APP)!r})\n"


def run(code: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    whole = {name: os.environ[name] for name in ("PATH", "AWS_DEFAULT_REGION") if name in os.environ} | environ
    command = [sys.executable, "-c", PRELUDE + code]
    return subprocess.run(command, env=whole, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("environ", "own", "foreign"),
    [
        (KEYS, {"botocore.client"}, {"jwt", "cryptography", "ormsgpack", "turnkeep.store.codec"}),
        (JWT, {"jwt"}, {"botocore.client", "botocore.session"}),
    ],
    ids=["keys", "jwt"],
)
def test_it_loads_what_its_kind_needs_and_nothing_of_the_api(environ, own, foreign):
    done = run("print(json.dumps(list(sys.modules)))", environ)
    loaded = set(json.loads(done.stdout))
    assert own <= loaded
    assert loaded & (HEAVY | foreign) == set()


@pytest.mark.parametrize("environ", [KEYS, JWT], ids=["keys", "jwt"])
def test_a_missing_credential_raises_the_text_that_becomes_a_401(environ: dict[str, str]) -> None:
    event = {"type": "REQUEST", "methodArn": ARN, "headers": {}, "multiValueHeaders": None}
    done = run(f"app['handler']({event!r}, None)", environ)
    assert done.stderr.splitlines()[-1] == "Exception: Unauthorized"
    assert '"message":"caller refused"' in done.stdout


def test_a_refusal_is_one_log_line_and_a_fault_keeps_its_traceback(start: Callable[..., Function]) -> None:
    command = sys.executable, "-m", "awslambdaric", "app.handler"
    folder = APP.parent
    function = start(*command, folder=folder, PYTHONPATH=f"{folder}:{APP.parents[2] / 'src'}", TABLE_NAME="absent")
    for key in (None, "x", f"tk_{'0' * 16}_{'0' * 64}"):
        headers = {"x-api-key": [key]} if key else None
        function.front.invoke({"type": "REQUEST", "methodArn": ARN, "multiValueHeaders": headers})
    refused, malformed, fault = function.front.invocations
    errors = [(each.error or {})["errorMessage"] == "Unauthorized" for each in (refused, malformed, fault)]
    assert errors == [True, True, False]
    first, second, *rest = function.lines()
    assert {json.loads(line)["message"] for line in (first, second)} == {"caller refused"}
    assert any("Traceback" in line for line in rest)


@pytest.mark.parametrize("environ", [{}, {"AUTH": "iam", **KEYS}, {"AUTH": "jwt"}, {"TABLE_NAME": "t"}])
def test_the_authorizer_does_not_start_without_valid_settings(environ: dict[str, str]) -> None:
    done = run("", environ)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith("ValueError: ")
