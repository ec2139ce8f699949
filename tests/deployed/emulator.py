"""ministack, run with the Python of .tools/sam, and taught what of AWS it leaves out and this deployment needs.

It lends its functions their roles and evaluates the policies of them (AUTH=true), so what a function does here it is
allowed to do. Said to be TLS is what comes in: the bucket refuses all else, and a certificate would prove no more.
An hour of a schedule lasts ten seconds.
"""

import io
import json
import re
import tempfile
import threading
import types
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from ministack import app
from ministack.core import iam_actions, lambda_runtime
from ministack.services import apigateway_v1 as gateway
from ministack.services import eventbridge, lambda_svc, scheduler

LAYERS = Path(tempfile.gettempdir()) / "layers"
ONE_AT_A_TIME = threading.Lock()
MOUNT = "MOUNT"
HOUR_SECONDS = 10

import_rest_api = gateway._import_rest_api
function_of = gateway._extract_lambda_ref_from_integration_uri
dynamodb_context = iam_actions.dynamodb_service_context
tag_context = iam_actions.request_tag_context
pin_request_origin = app.pin_request_origin
layer_archive = lambda_svc._resolve_layer_zip
rate_seconds = eventbridge._parse_rate_seconds
resource_of = iam_actions.extract_resource_arn
spawn = lambda_runtime.Worker._spawn


def import_with_responses(spec: dict[str, Any], base: dict[str, Any] | None = None) -> str:
    """An OpenAPI body with its gateway responses."""
    api: str = import_rest_api(spec, base)
    for kind, response in (spec.get("x-amazon-apigateway-gateway-responses") or {}).items():
        status, _, body = gateway._put_gateway_response(api, kind, response)
        if status >= 400:
            raise ValueError(f"{kind}: {body!r}")
    return api


def function_of_either(uri: str) -> str:
    """The function of an integration, a streaming one too; its answer is still sent whole."""
    found: str = function_of(uri.replace("/response-streaming-invocations", "/invocations"))
    return found


def dynamodb_context_with_keys(body: bytes) -> dict[str, Any]:
    """The condition keys of a request, among them the partitions that it names."""
    context: dict[str, Any] = dynamodb_context(body)
    if keys := sorted(set(leading_keys(json.loads(body or b"{}")))):
        context["dynamodb:LeadingKeys"] = keys
    return context


def leading_keys(request: dict[str, Any]) -> list[str]:
    """The table's hash key is PK. A Query names that of its table or index first."""
    if batches := request.get("RequestItems"):
        return [key for batch in batches.values() for each in entries(batch) for key in leading_keys(each)]
    if found := re.match(r"\s*\S+\s*=\s*(:\w+)", request.get("KeyConditionExpression", "")):
        return [request["ExpressionAttributeValues"][found[1]]["S"]]
    item = request.get("Key") or request.get("Item") or {}
    return [item["PK"]["S"]] if "PK" in item else []


def entries(batch: Any) -> list[dict[str, Any]]:
    """The items of one table in a BatchGetItem or a BatchWriteItem, each as the request that it stands for."""
    if isinstance(batch, dict):
        return [{"Key": key} for key in batch["Keys"]]
    return [request for each in batch for request in each.values()]


def context_with_overwrite(service: str, action: str, body: bytes, params: dict[str, Any]) -> dict[str, Any]:
    context: dict[str, Any] = tag_context(service, action, body, params)
    if action == "ssm:PutParameter":
        context["ssm:Overwrite"] = str(json.loads(body).get("Overwrite", False)).lower()
    return context


def resource_of_path(*request: Any) -> str:
    """Parameters that are read by their path are that resource, which a policy names."""
    found: str = resource_of(*request)
    service, body, region, account = (request[place] for place in (0, 4, 6, 7))
    path = json.loads(body).get("Path") if service == "ssm" and found == "*" and body else None
    return f"arn:aws:ssm:{region}:{account}:parameter{path}" if path else found


def hurried_rate_seconds(expression: str) -> float | None:
    """How long to wait between two runs of `rate(...)`, None for other expressions."""
    seconds = rate_seconds(expression)
    return seconds and seconds / 3600 * HOUR_SECONDS


def archive_of_mount(reference: Any) -> bytes | None:
    """A layer is unpacked once and mounted in every sandbox, where ministack would unpack it for each anew."""
    archive = layer_archive(reference)
    if not archive:
        return None
    folder = LAYERS / sha256(archive).hexdigest()
    with ONE_AT_A_TIME:
        if not folder.exists():
            zipfile.ZipFile(io.BytesIO(archive)).extractall(folder)
    small = io.BytesIO()
    with zipfile.ZipFile(small, "w") as mount:
        mount.writestr(MOUNT, str(folder))
    return small.getvalue()


def spawn_with_graphs(worker: Any) -> None:
    """Layers lie in folders of this machine, which has no /opt for each sandbox: graphs are named where they are."""
    returned = worker.config.get("Environment", {}).get("Variables", {})
    for layer in worker.config.get("Layers", []) if returned.get("TURNKEEP_GRAPHS") else []:
        small = archive_of_mount(layer)
        folder = small and zipfile.ZipFile(io.BytesIO(small)).read(MOUNT).decode()
        if folder and Path(folder, "graphs").exists():
            placed = {**returned, "TURNKEEP_GRAPHS": returned["TURNKEEP_GRAPHS"].replace("/opt", folder)}
            worker.config = {**worker.config, "Environment": {"Variables": placed}}
    spawn(worker)


class Archive(zipfile.ZipFile):
    """One that links what `archive_of_mount` names instead of unpacking."""

    def extractall(self, path: Any = None, *rest: Any) -> None:
        if self.namelist() != [MOUNT]:
            super().extractall(path, *rest)
            return
        for entry in Path(self.read(MOUNT).decode()).iterdir():
            (Path(path) / entry.name).symlink_to(entry)


scheduler._SCHEDULE_TICK_INTERVAL = 1
eventbridge._parse_rate_seconds = hurried_rate_seconds
lambda_svc._resolve_layer_zip = archive_of_mount
lambda_runtime.Worker._spawn = spawn_with_graphs
lambda_runtime.zipfile = types.SimpleNamespace(**{**vars(zipfile), "ZipFile": Archive})
gateway._import_rest_api = import_with_responses
gateway._extract_lambda_ref_from_integration_uri = function_of_either
iam_actions.dynamodb_service_context = dynamodb_context_with_keys
iam_actions.extract_resource_arn = resource_of_path
iam_actions.request_tag_context = context_with_overwrite
app.pin_request_origin = lambda source_ip, _: pin_request_origin(source_ip, True)

if __name__ == "__main__":
    app.main()
