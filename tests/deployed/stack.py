"""A stack of this project, on an emulated AWS or on AWS itself: deployed, spoken to, looked into, and deleted."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3
import httpx

from turnkeep_local.processes import end, free_port, spawn, wait_until_listening

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".tools" / "sam" / "bin"
EMULATOR = Path(__file__).with_name("emulator.py")
NAME = "turnkeep"  # as samconfig.toml has it
FACTS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_REGION": "eu-west-1",
}
PATIENCE_SECONDS = 300.0


@dataclass
class Aws:
    """An emulated AWS on a port of this machine, with a folder for all that it and its tools write."""

    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environ(self) -> dict[str, str]:
        """What a person's shell has who uses it. SAM asks nobody for newer versions of itself."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SAM_"))}
        return {
            **environ,
            **FACTS,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": str(self.folder / "none"),
            "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "none"),
            "SAM_CLI_TELEMETRY": "0",
            "__SAM_CLI_APP_DIR": str(self.folder),
        }

    def client(self, service: str) -> Any:
        keys = {name.lower(): FACTS[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
        return boto3.client(service, endpoint_url=self.url, region_name=FACTS["AWS_REGION"], **keys)

    def run(self, *command: str, folder: Path = ROOT) -> str:
        """Return the output of a command in `folder`; fail the test with it if the command fails."""
        done = subprocess.run(command, cwd=folder, env=self.environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def sam(self, *arguments: str) -> str:
        return self.run(str(TOOLS / "sam"), *arguments)

    def delete(self, stack: str) -> None:
        """As `sam delete` does it at the end; the rest of it takes no address of an inner template but AWS's own."""
        self.client("cloudformation").delete_stack(StackName=stack)
        self.client("cloudformation").get_waiter("stack_delete_complete").wait(
            StackName=stack, WaiterConfig={"Delay": 1, "MaxAttempts": int(PATIENCE_SECONDS)}
        )

    def address(self, url: str) -> str:
        """Where the emulator answers for the URL of an API."""
        found = re.fullmatch(r"https://(\w+)\.execute-api\.eu-west-1\.amazonaws\.com/(\w+)", url)
        assert found, url
        return f"{self.url}/restapis/{found[1]}/{found[2]}/_user_request_"


class Account(Aws):
    """AWS itself, as the shell's own profile or credentials have it."""

    def __init__(self) -> None:
        super().__init__(0, Path())

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "SAM_CLI_TELEMETRY": "0"}

    def client(self, service: str) -> Any:
        return boto3.client(service)  # type: ignore[call-overload]

    def delete(self, stack: str) -> None:
        self.sam("delete", "--no-prompts", "--stack-name", stack)

    def address(self, url: str) -> str:
        return url


@contextmanager
def emulated_aws() -> Iterator[Aws]:
    """One that enforces the policies of roles; ends with all that it wrote."""
    folder = Path(tempfile.mkdtemp(prefix="turnkeep-aws-"))
    aws = Aws(free_port(), folder)
    (folder / "metadata.json").write_text(json.dumps({"lastVersionCheck": time.time()}))
    ports = {"GATEWAY_PORT": str(aws.port), "BIND_HOST": "127.0.0.1", "IOT_MTLS_ENABLED": "0"}
    places = {"TMPDIR": str(folder), "S3_DATA_DIR": str(folder / "s3"), "MINISTACK_REGION": FACTS["AWS_REGION"]}
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), **FACTS, **ports, **places, "AUTH": "true"}
    log = folder / "emulator.log"
    process = spawn([str(TOOLS / "python"), str(EMULATOR)], log=log, environ=environ)
    try:
        wait_until_listening(aws.port, process, log=log, name="ministack", seconds=PATIENCE_SECONDS)
        yield aws
    finally:
        end(process)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Stack:
    aws: Aws
    name: str = NAME

    @classmethod
    def deploy(cls, aws: Aws) -> "Stack":
        stack = cls(aws)
        # One user is 20 clients at once.
        stack.update("TurnsAMinute=0", "TokensADay=0")
        return stack

    def update(self, *given: str, template: Path | None = None) -> None:
        """Deploys what is built, with these parameters and the former values of all others."""
        where = ["--template-file", str(template), "--config-file", str(ROOT / "samconfig.toml")] if template else []
        parameters = ["--parameter-overrides", *given] if given else []
        self.aws.sam("deploy", *where, "--stack-name", self.name, "--no-confirm-changeset", *parameters)

    @cached_property
    def outputs(self) -> dict[str, str]:
        (stack,) = self.aws.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

    @property
    def url(self) -> str:
        return self.aws.address(self.outputs["Url"])

    def function(self, name: str) -> str:
        """What AWS calls a function of the template, such as ApiFunction."""
        resources = self.aws.client("cloudformation").describe_stack_resources(StackName=self.name)["StackResources"]
        (found,) = [each["PhysicalResourceId"] for each in resources if each["LogicalResourceId"] == name]
        return str(found)

    def open(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE_SECONDS)

    def turnkeep(self, *arguments: str) -> str:
        return self.aws.run(str(Path(sys.executable).with_name("turnkeep")), *arguments)

    def make_key(self, tenant: str, user: str, *more: str) -> str:
        output = self.turnkeep("keys", "create", "--stack", self.name, "--tenant", tenant, "--user", user, *more)
        return output.strip()

    def objects(self) -> list[str]:
        """What lies in the bucket."""
        pages = self.aws.client("s3").get_paginator("list_objects_v2").paginate(Bucket=self.outputs["BucketName"])
        return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def empty_bucket(self) -> None:
        for name in self.objects():
            self.aws.client("s3").delete_object(Bucket=self.outputs["BucketName"], Key=name)

    @cached_property
    def seal_key(self) -> str:
        """Made by the function that starts first."""
        name = f"/turnkeep/{self.name}/seal-key"
        found = self.aws.client("ssm").get_parameter(Name=name, WithDecryption=True)
        return str(found["Parameter"]["Value"])

    def delete(self) -> None:
        self.empty_bucket()  # AWS deletes no bucket that holds something
        self.aws.delete(self.name)

    def log(self, function: str) -> list[str]:
        """Every line of a function so far."""
        pages = self.aws.client("logs").get_paginator("filter_log_events")
        found = pages.paginate(logGroupName=f"/turnkeep/{self.name}/{function}")
        return [event["message"] for page in found for event in page["events"]]

    def calls(self, function: str) -> int:
        return sum(line.startswith("START ") for line in self.log(function))


KINDS = {
    "function": ("lambda", "list_functions", "Functions", "FunctionName"),
    "layer": ("lambda", "list_layers", "Layers", "LayerName"),
    "table": ("dynamodb", "list_tables", "TableNames", ""),
    "bucket": ("s3", "list_buckets", "Buckets", "Name"),
    "role": ("iam", "list_roles", "Roles", "RoleName"),
    "policy": ("iam", "list_policies", "Policies", "PolicyName"),
    "log group": ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    "schedule": ("scheduler", "list_schedules", "Schedules", "Name"),
    "queue": ("sqs", "list_queues", "QueueUrls", ""),
    "topic": ("sns", "list_topics", "Topics", "TopicArn"),
    "api": ("apigateway", "get_rest_apis", "items", "name"),
    "alarm": ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    "dashboard": ("cloudwatch", "list_dashboards", "DashboardEntries", "DashboardName"),
    "parameter": ("ssm", "describe_parameters", "Parameters", "Name"),
}
"""How to ask for all there is of each kind: service, operation, where the answer lists them, what names one."""


def everything(aws: Aws) -> list[str]:
    """What stands in the account, each as its kind and its name."""
    found = []
    for kind, (service, operation, members, name) in KINDS.items():
        scope = {"Scope": "Local"} if kind == "policy" else {}
        answer = getattr(aws.client(service), operation)(**scope)
        found += [f"{kind} {each[name] if name else each}" for each in answer.get(members, [])]
    return found


def json_lines(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines if line.startswith("{")]


def wait_for[T](ask: Callable[[], T], *, seconds: float, what: str) -> T:
    """The first answer that is true."""
    deadline = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < deadline, f"{what} not seen within {seconds:.0f} s"
        time.sleep(0.5)
    return answer
