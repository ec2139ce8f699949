"""template.yaml promises: it deploys as it is, next to itself, and its gateway is the door of the app."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pytest
from fastapi import FastAPI
from template_stack import (
    EVERYTHING,
    KEY,
    ROLES,
    ROOT,
    SECRET,
    TEMPLATE,
    TRACES,
    Stack,
    allows,
    is_allowed,
    listed,
    stack,
    statements_of,
    translated,
)

from bare_app import bare_app
from turnkeep.errors import NotFound, TurnkeepError
from turnkeep.http.errors import as_problem
from turnkeep.settings import Settings
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.database.settings import DatabaseSettings

AUTHS = ["keys", "jwt", "AWS_IAM"]
FUNCTIONS = [f"{name}Function" for name in ("Api", "Authorizer", "Cleanup", "Documents", "Stream", "Worker")]
TEXT = TEMPLATE.read_text() + TEMPLATE.with_name("watching.yaml").read_text()
NAMES = re.compile(r"(Alarm|Bucket|Dashboard|Function|Layer|LogGroup|Policy|Queue|Role|Table|Topic)Name|Name")
URLS = ("DatabaseUrl", "WarehouseUrl")


# It deploys as it is


def test_every_parameter_has_a_default_that_is_allowed() -> None:
    parameters = stack()._template["Parameters"]
    assert len(parameters) > 20
    assert [name for name, parameter in parameters.items() if not is_allowed(parameter, parameter["Default"])] == []


def test_every_condition_can_hold_and_fail() -> None:
    everything, canary = stack(**EVERYTHING), EVERYTHING["Canary"]  # with a canary SAM makes other resources
    assert stack(Canary=canary).resources.keys() < everything.resources.keys() == everything.names
    assert "CanaryRole" not in stack().resources


@pytest.mark.parametrize("given", [{}, EVERYTHING])
def test_two_stacks_fit_into_one_account(given: dict[str, str]) -> None:
    """No name that an account can have only once."""
    named = {
        f"{name}.{key}": value
        for name, resource in stack(**given).resources.items()
        if resource["Type"] != "AWS::Lambda::Alias"  # inside a function of ours
        for key, value in resource.get("Properties", {}).items()
        if NAMES.fullmatch(key) and isinstance(value, str)
    }
    assert len(named) > 5
    assert {place: name for place, name in named.items() if "turnkeep-test" not in name and "<" not in name} == {}


def test_new_code_publishes_a_version_of_every_function_with_an_alias() -> None:
    """All code lies in the layers; an alias that stays where it is would go on serving the old one."""

    def versions(built: str) -> set[str]:
        resources = translated(built=built)["Resources"]
        return {name for name, each in resources.items() if each["Type"] == "AWS::Lambda::Version"}

    before, after = versions("s3://bucket/one"), versions("s3://bucket/other")
    assert len(before) == len(after) == 2
    assert not before & after


def test_a_changed_parameter_publishes_a_version() -> None:
    versions, last = stack().of("AWS::Lambda::Version").values(), "<TurnPolicy>"
    assert [each["Description"] for each in versions] == [last, last]
    changes = {name: _other(name) for name in stack().parameters}
    seen = {name for name, value in changes.items() if _functions(**{name: value}) != _functions()}
    assert len(seen) > 10
    assert {name for name in seen if _policy_names(**{name: changes[name]}) == _policy_names()} == set()
    assert all(each["Environment"]["Variables"]["SETTINGS"] == last for each in _functions().values())


def _other(parameter: str) -> str:
    given = translated()["Parameters"][parameter]
    others = [str(value) for value in given.get("AllowedValues", []) if str(value) != str(given["Default"])]
    return others[0] if others else ("7" if given["Type"] == "Number" else "/something-else")


def _functions(**parameters: str) -> dict[str, Any]:
    found = stack(**parameters).of("AWS::Lambda::Function")
    return {name: found[name] for name in ("ApiFunction", "StreamFunction")}


def _policy_names(**parameters: str) -> list[str]:
    """What CloudFormation cannot change without another policy, and so another name: of the first, because each
    description names the next."""
    policies, texts, name = stack(**parameters).of("AWS::IAM::ManagedPolicy"), [], "TurnPolicy"
    while name:
        texts.append(policies[name]["Description"])
        (name,) = re.findall(r"<(\w+Policy)>", texts[-1]) or [""]
    return texts


def test_samconfig_fits_the_template() -> None:
    """A stage gives no parameters: SAM replaces that list by the command line's. It names a template instead."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    allowed = stack()._template["Parameters"]["Stage"]["AllowedValues"]
    stages = {name: config[name] for name in ("default", *allowed[1:])}
    assert "parameter_overrides" not in str(config)
    assert len({each["global"]["parameters"]["stack_name"] for each in stages.values()}) == len(stages) == 3
    templates = {name: each["deploy"]["parameters"].get("template_file", "") for name, each in stages.items()}
    assert templates == {"default": ""} | {name: f".aws-sam/build/{name}.yaml" for name in ("dev", "prod")}


# The gateway and the app know the same routes


def operations(found: Stack) -> dict[tuple[str, str], dict[str, Any]]:
    paths = found.of("AWS::ApiGateway::RestApi")["Api"]["Body"]["paths"]
    return {(method.upper(), path): operation for path, by in paths.items() for method, operation in by.items()}


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return bare_app(turns=Mock())  # no route is called


PAGE = ("/", "/page/{checksum}/{file+}")
HEADS = {("HEAD", path) for path in ("/ok", "/{proxy+}", *PAGE)}
GREEDY = {("OPTIONS", "/{proxy+}"), *HEADS}
"""A browser's question before it calls, and HEAD: the app answers both for any path of its own."""
REST = "/v1/{path+}"
"""The app's 404 in OpenAI's format; the gateway has its own."""


def routes(app: FastAPI) -> set[tuple[str, str]]:
    """Those too that are made when they are first asked for."""
    app.state.late.load()
    found = {(method, route.path.replace(":path}", "+}")) for route in app.router.routes for method in route.methods}
    return {(method, path) for method, path in found if method != "HEAD" and path != REST}


def test_the_gateway_has_exactly_the_routes_of_the_app(app: FastAPI) -> None:
    assert set(operations(stack())) - GREEDY == routes(app)
    assert set(operations(stack())) >= GREEDY


def test_no_greedy_path_shadows_a_route(app: FastAPI) -> None:
    greedy = {(method, path) for method, path in operations(stack()) if "+" in path and path not in PAGE}
    assert {method for method, _ in greedy} & {method for method, _ in routes(app)} == set()


def test_a_path_parameter_has_one_name() -> None:
    """Elsewhere API Gateway refuses the whole definition."""
    names: dict[str, set[str]] = {}
    for _, path in operations(stack()):
        parts = path.split("/")
        for at, part in enumerate(parts):
            if part.startswith("{"):
                names.setdefault("/".join(parts[:at]), set()).add(part)
    assert {place: found for place, found in names.items() if len(found) > 1} == {}


LONG = {
    ("POST", "/runs/stream"),
    ("POST", "/runs/wait"),
    ("POST", "/threads/{thread_id}/runs/stream"),
    ("POST", "/threads/{thread_id}/runs/wait"),
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream"),
    ("GET", "/threads/{thread_id}/runs/{run_id}/join"),
    ("GET", "/threads/{thread_id}/stream"),
    ("POST", "/threads/{thread_id}/stream/events"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
}
"""What may stream, or wait longer than API Gateway does for a whole answer."""


def test_exactly_the_streaming_routes_use_the_stream_function(app: FastAPI) -> None:
    """What the app describes as an event stream, API Gateway passes on as it comes, for as long as it can."""
    described = {
        (method.upper(), path)
        for path, by in app.openapi()["paths"].items()
        for method, operation in by.items()
        if "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
    }
    posts = {("POST", path) for path in ("/threads/{thread_id}/turns/stream", "/chat/stream", "/internal/chat/stream")}
    assert described == {*posts, ("GET", "/threads/{thread_id}/turns/stream")}
    for key, operation in operations(stack()).items():
        integration = operation["x-amazon-apigateway-integration"]
        if key in described | LONG:
            assert "2021-11-15/functions/<StreamFunctionAliaslive>/response-streaming" in integration["uri"], key
            assert (integration["responseTransferMode"], integration["timeoutInMillis"]) == ("STREAM", 900_000)
        else:
            assert "2015-03-31/functions/<ApiFunctionAliaslive>/invocations" in integration["uri"], key
            assert "responseTransferMode" not in integration
            assert integration.get("timeoutInMillis", 29_000) <= 29_000


def test_no_function_runs_longer_than_the_gateway_waits() -> None:
    found = stack(StreamSeconds="900").of("AWS::Lambda::Function")
    assert found["ApiFunction"]["Timeout"] <= 29
    assert float(found["StreamFunction"]["Timeout"]) * 1000 <= 900_000
    assert found["StreamFunction"]["Timeout"] == found["StreamFunction"]["Environment"]["Variables"]["TURN__SECONDS"]


# Callers


@pytest.mark.parametrize("auth", AUTHS)
def test_only_health_page_and_preflight_need_no_credential(auth: str) -> None:
    for (method, path), operation in operations(stack(Auth=auth)).items():
        is_open = method == "OPTIONS" or path in ("/ok", *PAGE)
        assert operation["security"] == [{"NONE": []} if is_open else {auth: []}], (method, path)


def schemes(auth: str) -> dict[str, Any]:
    found: dict[str, Any] = stack(Auth=auth).of("AWS::ApiGateway::RestApi")["Api"]["Body"]["components"]
    return found["securitySchemes"]


@pytest.mark.parametrize("auth", ["keys", "jwt"])
def test_the_authorizer_gets_every_request_uncached(auth: str) -> None:
    """A cache of API Gateway needs every header of its key; a credential stands in one of two."""
    authorizer = schemes(auth)[auth]["x-amazon-apigateway-authorizer"]
    assert (authorizer["type"], authorizer["authorizerResultTtlInSeconds"]) == ("request", 0)
    assert "functions/<AuthorizerFunction.Arn>/invocations" in authorizer["authorizerUri"]
    assert "identitySource" not in authorizer


def test_with_iam_the_gateway_itself_checks_the_signature() -> None:
    assert schemes("AWS_IAM")["AWS_IAM"]["x-amazon-apigateway-authtype"] == "awsSigv4"
    assert "NONE" not in schemes("AWS_IAM")


@pytest.mark.parametrize(("auth", "kind"), [("keys", "keys"), ("jwt", "jwt"), ("AWS_IAM", "iam")])
def test_functions_have_the_kind_of_authorizer_and_not_the_rights_of_the_caller(auth: str, kind: str) -> None:
    for key, operation in operations(stack(Auth=auth)).items():
        assert "credentials" not in operation["x-amazon-apigateway-integration"], key
    for name, function in stack(Auth=auth).of("AWS::Lambda::Function").items():
        assert function["Environment"]["Variables"]["AUTH"] == kind, name


# What the gateway answers by itself


def gateway_responses(**parameters: str) -> dict[str, dict[str, Any]]:
    body = stack(**parameters).of("AWS::ApiGateway::RestApi")["Api"]["Body"]
    found: dict[str, dict[str, Any]] = body["x-amazon-apigateway-gateway-responses"]
    return found


def errors(kind: type[TurnkeepError]) -> Iterator[type[TurnkeepError]]:
    for below in kind.__subclasses__():
        yield below
        yield from errors(below)


STATUSES = {error.code: error.status for error in errors(TurnkeepError) if hasattr(error, "code")}


def test_errors_of_the_gateway_read_like_errors_of_the_app() -> None:
    kinds = {"UNAUTHORIZED", "REQUEST_TOO_LARGE", "THROTTLED", "DEFAULT_4XX", "DEFAULT_5XX"}
    assert kinds <= gateway_responses().keys()
    for kind, response in gateway_responses().items():
        text = response["responseTemplates"]["application/json"]
        problem = json.loads(text.replace("$context.error.messageString", '"in words of API Gateway"'))
        without = {"status"} if kind.startswith("DEFAULT_") else set()  # these have that of what failed
        assert problem.keys() == as_problem(NotFound()).keys() - without, kind
        assert str(problem.get("status")) == response.get("statusCode", "None"), kind
        assert without or problem["status"] == STATUSES.get(problem["code"], problem["status"]), kind
        assert problem["type"] == f"urn:turnkeep:problem:{problem['code']}", kind
        headers = response["responseParameters"]
        assert headers["gatewayresponse.header.Content-Type"] == "'application/problem+json'", kind
        assert headers["gatewayresponse.header.X-Correlation-Id"] == "context.requestId", kind


def allowed_origins(**parameters: str) -> set[str | None]:
    name = "gatewayresponse.header.Access-Control-Allow-Origin"
    return {response["responseParameters"].get(name) for response in gateway_responses(**parameters).values()}


def test_gateway_errors_allow_every_origin_only_with_cors() -> None:
    assert allowed_origins() == {None}
    assert allowed_origins(CorsOrigins="https://example.org") == {"'*'"}
    assert stack().parameters["CorsOrigins"] == ""
    assert "Allow-Credentials" not in TEXT


def test_the_access_log_is_json_without_personal_data() -> None:
    setting = stack().of("AWS::ApiGateway::Stage")["Apiv1Stage"]["AccessLogSetting"]
    assert setting["DestinationArn"] == "<AccessLog.Arn>"
    line = json.loads(setting["Format"])
    assert line["service"] == "turnkeep-test"
    assert {"request_id", "route", "status", "ms"} <= line.keys()
    used = set(re.findall(r"\$context\.([\w.]+)", setting["Format"]))
    assert {name for name in used if name.startswith(("identity", "authorizer", "path"))} == {"authorizer.principalId"}


# The functions


def test_each_function_has_its_own_role_and_its_own_log_with_a_retention() -> None:
    found = stack()
    functions = found.of("AWS::Lambda::Function")
    assert sorted(functions) == FUNCTIONS
    for name, function in functions.items():
        role, log = name.replace("Function", "Role"), function["LoggingConfig"]["LogGroup"].strip("<>")
        assert (function["Role"], log) == (f"<{role}.Arn>", name.replace("Function", "Log"))
        assert found.of("AWS::Logs::LogGroup")[log]["RetentionInDays"] == 14
        writable = [
            resource
            for statement in statements_of(found, role)
            if any(action.startswith("logs:") for action in listed(statement["Action"]))
            for resource in listed(statement["Resource"])
        ]
        assert writable == [f"<{log}.Arn>"]


@pytest.mark.parametrize("mode", ["PassThrough", "Active"])
def test_one_parameter_turns_all_tracing_on_and_off(mode: str) -> None:
    found = stack(Tracing=mode)
    assert found.of("AWS::ApiGateway::Stage")["Apiv1Stage"]["TracingEnabled"] is (mode == "Active")
    may_trace = {TRACES in found.of("AWS::IAM::Role")[role].get("ManagedPolicyArns", []) for role in ROLES}
    assert may_trace == {mode == "Active"}


def test_every_log_group_and_store_uses_the_customers_key() -> None:
    found = stack(KmsKeyArn=KEY)
    assert {group["KmsKeyId"] for group in found.of("AWS::Logs::LogGroup").values()} == {KEY}
    assert found.of("AWS::SNS::Topic")["AlarmTopic"]["KmsMasterKeyId"] == KEY
    assert found.of("AWS::DynamoDB::Table")["Table"]["SSESpecification"]["KMSMasterKeyId"] == KEY
    (rule,) = found.of("AWS::S3::Bucket")["Objects"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["KMSMasterKeyID"] == KEY
    for role in ROLES:
        assert allows(statements_of(found, role), "kms:Decrypt", KEY), role
        assert not allows(statements_of(stack(), role), "kms:Decrypt", KEY), role


def test_what_former_keys_encrypted_stays_readable() -> None:
    """S3 encrypts nothing again when its key changes, and a secret keeps its key."""
    for given in ({"KmsKeyArn": KEY}, {}):
        found = stack(FormerKmsKeyArns=f"{KEY}-one,{KEY}-two", **given)
        for role in ROLES:
            may = statements_of(found, role)
            assert all(allows(may, "kms:Decrypt", f"{KEY}-{name}") for name in ("one", "two")), role
            assert not allows(may, "kms:GenerateDataKey", f"{KEY}-one"), role
            assert not allows(may, "kms:Decrypt", f"{KEY}-three"), role
            assert allows(may, "kms:GenerateDataKey", KEY) is bool(given), role


def test_the_authorizer_runs_in_the_network_if_only_that_reaches_its_issuer() -> None:
    network = {"SubnetIds": "subnet-1", "SecurityGroupIds": "sg-1"}
    inside = stack(AuthorizerInNetwork="true", **network)
    assert inside.of("AWS::Lambda::Function")["AuthorizerFunction"]["VpcConfig"]["SubnetIds"] == ["subnet-1"]
    assert "<NetworkPolicy>" in inside.of("AWS::IAM::Role")["AuthorizerRole"]["ManagedPolicyArns"]
    for outside in (stack(**network), stack(AuthorizerInNetwork="true")):
        assert "VpcConfig" not in outside.of("AWS::Lambda::Function")["AuthorizerFunction"]


# Databases


PLAIN = "mysql+pymysql://db.example.org/field"
PLACES = [
    ({}, ("", "")),
    ({"Url": PLAIN}, (PLAIN, "")),
    ({"UrlParameter": "/db/url"}, ("ssm:/db/url", "")),
    ({"Secret": SECRET}, (f"secretsmanager:{SECRET}", "")),
    ({"Secret": SECRET, "Url": PLAIN}, (PLAIN, f"secretsmanager:{SECRET}")),
    ({"Secret": SECRET, "Url": PLAIN, "UrlParameter": "/db/url"}, ("ssm:/db/url", "")),
]


@pytest.mark.parametrize(("given", "expected"), PLACES)
@pytest.mark.parametrize(("name", "setting"), [("Database", "DATABASE__URL"), ("Warehouse", "CAMPAIGNS__WAREHOUSE")])
def test_functions_have_the_location_of_a_url(name, setting, given, expected, monkeypatch):
    functions = stack(**{f"{name}{place}": value for place, value in given.items()}).of("AWS::Lambda::Function")
    variables = functions["ApiFunction"]["Environment"]["Variables"]
    assert (variables[setting], variables[f"{setting.partition('__')[0]}__LOGIN"]) == expected
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    settings = Settings()
    url = settings.of(DatabaseSettings).url if name == "Database" else settings.of(CampaignsSettings).warehouse
    assert url.get_secret_value() == expected[0]


@pytest.mark.parametrize("parameter", URLS)
def test_a_url_parameter_rejects_a_password(parameter: str) -> None:
    taken = stack()._template["Parameters"][parameter]
    assert is_allowed(taken, PLAIN)
    assert not is_allowed(taken, PLAIN.replace("db.", "reader:secret@db."))


def test_only_functions_that_run_agents_have_vpc_and_files() -> None:
    network = {"SubnetIds": ["subnet-1", "subnet-2"], "SecurityGroupIds": ["sg-1"]}
    for given, placed, layer in ((EVERYTHING, network, [EVERYTHING["FilesLayer"], "<GraphsLayer>"]), ({}, None, [])):
        functions = stack(**given).of("AWS::Lambda::Function")
        for name, function in functions.items():
            runs_agents = name in ("ApiFunction", "StreamFunction", "WorkerFunction")
            assert function.get("VpcConfig") == (placed if runs_agents else None), name
            found = [re.sub(r"Layer\w{10}>", "Layer>", each) for each in function["Layers"][2:]]
            assert found == (layer if runs_agents else []), name
            variables = function["Environment"]["Variables"].get("TURNKEEP_GRAPHS", "")
            assert bool(variables) == ("<GraphsLayer>" in found), name
