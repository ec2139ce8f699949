"""The function as Lambda starts it: light, by kind, and not at all where nobody could be verified."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

APP = Path(__file__).parents[3] / "functions" / "authorizer" / "app.py"
HEAVY = (
    "boto3",
    "fastapi",
    "starlette",
    "pydantic",
    "langgraph",
    "langchain_core",
    "openai",
    "mangum",
    "turnkeep.settings",
)
KEYS = {"TABLE_NAME": "turnkeep"}
JWT = {"AUTH": "jwt", "JWT_ISSUER": "i", "JWT_AUDIENCE": "a", "JWT_JWKS_URL": "https://issuer.example/keys"}
PRELUDE = f"import runpy, json, sys\napp = runpy.run_path({str(APP)!r})\n"


def run(code: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    whole = {name: os.environ[name] for name in ("PATH", "AWS_DEFAULT_REGION") if name in os.environ} | environ
    command = [sys.executable, "-c", PRELUDE + code]
    return subprocess.run(command, env=whole, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("environ", "own", "foreign"),
    [(KEYS, {"botocore.client"}, {"jwt", "cryptography"}), (JWT, {"jwt"}, {"botocore.client", "botocore.session"})],
    ids=["keys", "jwt"],
)
def test_it_loads_what_its_kind_needs_and_nothing_of_the_api(
    environ: dict[str, str], own: set[str], foreign: set[str]
) -> None:
    done = run("print(json.dumps(list(sys.modules)))", environ)
    loaded = set(json.loads(done.stdout))
    assert own <= loaded
    assert loaded & {*HEAVY, *foreign} == set()


@pytest.mark.parametrize("environ", [KEYS, JWT], ids=["keys", "jwt"])
def test_a_request_without_a_credential_gets_the_words_that_api_gateway_makes_a_401_of(
    environ: dict[str, str],
) -> None:
    arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/v1/GET/info"
    event = {"type": "REQUEST", "methodArn": arn, "headers": {}, "multiValueHeaders": None}
    done = run(f"app['handler']({event!r}, None)", environ)
    assert done.stderr.splitlines()[-1] == "Exception: Unauthorized"
    assert '"message":"caller refused"' in done.stdout


@pytest.mark.parametrize("environ", [{}, {"AUTH": "iam", **KEYS}, {"AUTH": "jwt"}])
def test_it_does_not_start_where_it_could_verify_nobody(environ: dict[str, str]) -> None:
    done = run("", environ)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith("ValueError: ")
