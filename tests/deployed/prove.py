"""Walks the promises on a stack that is made for it and deleted whatever happens, and prints what was proved where.

make prove           on the emulated AWS
make prove AWS=1     in the account and region of the shell's credentials or profile
"""

import argparse
import contextlib
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ |= {"POWERTOOLS_LOG_LEVEL": "CRITICAL", "POWERTOOLS_METRICS_DISABLED": "true"}  # of what runs in here
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "turnkeep" / "store")]

import httpx  # noqa: E402
from promises import PROMISES, Caller, NotShown, table  # noqa: E402
from stack import TOOLS, Account, Aws, Stack, emulated_aws  # noqa: E402


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--aws", action="store_true", help="on AWS itself, which costs some cents")
    with place(on_aws=asked.parse_args().aws) as (aws, where), throwaway(aws) as stack:
        caller = Caller(stack)
        rows = [walk(caller, name) for name in PROMISES]
        print(f"\nWhat was proved on {where}, {time.strftime('%Y-%m-%d', time.gmtime())}:\n\n{table(rows)}\n")
    return sum(row[1] == "**broken**" for row in rows)


@contextlib.contextmanager
def place(*, on_aws: bool) -> Iterator[tuple[Aws, str]]:
    if on_aws:
        aws = Account()
        yield aws, f"AWS, {aws.client('dynamodb').meta.region_name}"
        return
    code = "from importlib.metadata import version; print(version('ministack'))"
    returned = subprocess.run([TOOLS / "python", "-c", code], capture_output=True, text=True, check=True)
    with emulated_aws() as emulated:
        yield emulated, f"an emulated AWS, ministack {returned.stdout.strip()}"


@contextlib.contextmanager
def throwaway(aws: Aws) -> Iterator[Stack]:
    """A stack of its own name; nothing of it stays, a deployment that failed half way included."""
    stack = Stack(aws, f"turnkeep-prove-{uuid.uuid4().hex[:8]}")
    account = aws.client("apigateway").get_account()
    role = f"GatewayLogRole={'false' if account.get('cloudwatchRoleArn') else 'true'}"
    report(f"deploying {stack.name} ...")
    try:
        stack.update("Alarms=none", "LogDays=1", role)
        yield stack
    finally:
        report(f"deleting {stack.name} ...")
        remove(stack)


def remove(stack: Stack) -> None:
    """With the seal key, which a deleted stack leaves on purpose."""
    ssm, cloudformation = stack.aws.client("ssm"), stack.aws.client("cloudformation")
    try:
        stack.delete()
    except (AssertionError, cloudformation.exceptions.ClientError) as error:
        report(str(error))
    with contextlib.suppress(ssm.exceptions.ParameterNotFound):
        ssm.delete_parameter(Name=f"/turnkeep/{stack.name}/seal-key")
    pages = cloudformation.get_paginator("describe_stacks").paginate()
    is_left = any(each["StackName"] == stack.name for page in pages for each in page["Stacks"])
    report(f"still there, delete it by hand: {stack.name}" if is_left else "nothing is left")


def walk(caller: Caller, name: str) -> tuple[str, str, str]:
    report(f"{name} ...")
    try:
        return name, "shown", PROMISES[name](caller)
    except NotShown as reason:
        return name, "not shown", str(reason)
    except (AssertionError, httpx.HTTPError) as error:
        return name, "**broken**", [*str(error).splitlines(), "an assertion of tests/deployed/promises.py"][0]


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
