"""A start from a snapshot: what Lambda runs before it takes one and after it restores it, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
FUNCTION = Path(__file__).parents[2] / "functions" / "api"

STORY = """
import json, os, random, sys
import app, boto3
from deployed_function import Context, proxy_event
from snapshot_restore_py import get_after_restore, get_before_snapshot
from turnkeep.signing import id_of

def loaded():
    return "langgraph" in sys.modules

def chat(thread="s"):
    body = json.dumps({"session_id": thread, "message": "What is a transformer?"}).encode()
    event = proxy_event("POST", "/chat", body)
    return app.handler(event, Context())["statusCode"]

results = {"before": loaded()}
for hook, args, kwargs in get_before_snapshot():
    hook(*args, **kwargs)
results["in the snapshot"] = loaded()
results["first"] = chat()
random.seed(1)
drawn = random.random()
random.seed(1)
parameter = {"Name": os.environ["SEAL_KEY_PARAMETER"], "Type": "SecureString", "Overwrite": True}
boto3.client("ssm").put_parameter(Value="2026-11-22 the new one", **parameter)
for hook, args, kwargs in get_after_restore():
    hook(*args, **kwargs)
results["same numbers"] = drawn == random.random()
results["after"] = chat("after")
head = next(item for item in boto3.client("dynamodb").scan(TableName=os.environ["TABLE_NAME"])["Items"]
            if item["SK"]["S"] == "HEAD" and item["PK"]["S"].endswith("after"))
results["signed under the new key"] = head["sig"]["B"][:2].hex() == id_of(b"the new one").hex()
print("RESULTS", json.dumps(results))
"""


def test_a_restored_sandbox_reconnects_and_has_the_current_signing_key(dynamodb_url, s3_url, table_name):
    facts = {
        "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start",
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
        "TABLE_NAME": table_name,
        "AWS_ENDPOINT_URL_SSM": s3_url,
        "SEAL_KEY_PARAMETER": f"/turnkeep/{table_name}/seal-key",
        "PYTHONPATH": f"{SRC}:{FUNCTION}:{Path(__file__).parents[1]}",
    }
    command, environ = [sys.executable, "-c", STORY], os.environ | facts
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    results = [line for line in done.stdout.splitlines() if line.startswith("RESULTS")]
    assert results, done.stderr[-2000:]
    assert json.loads(results[0].removeprefix("RESULTS")) == {
        "before": False,
        "in the snapshot": True,
        "first": 200,
        "same numbers": False,
        "after": 200,
        "signed under the new key": True,
    }
