"""What each role of template.yaml may do, asked with the keys that the code really uses."""

import json
from itertools import product
from typing import Any

import pytest
from template_stack import EVERYTHING, ROLES, SECRET, allows, documents, listed, stack, statements_of

from turnkeep.records import Principal
from turnkeep.store.keys import API_KEYS, BY_EXPIRY, BY_USER, WATERMARK, expiry_bucket, partition, usage_of, user_key
from turnkeep.store.runs import STALE_MS
from turnkeep.turns.background import TRIES

RUNNING = ["ApiRole", "StreamRole", "WorkerRole"]
TABLE, INDEX = "<Table.Arn>", "<Table.Arn>/index/"


def actions(statement: dict[str, Any]) -> list[str]:
    return listed(statement["Action"])


@pytest.mark.parametrize("secret", ["", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:model-AbCdEf"])
def test_nothing_is_allowed_with_a_star(secret: str) -> None:
    """What asks for network interfaces has no resources that could be named."""
    found = stack(**EVERYTHING, ModelKeySecret=secret)
    allowed = [
        (name, statement)
        for name, document in documents(found)
        for statement in document["Statement"]
        if statement["Effect"] == "Allow"
    ]
    assert len(allowed) > 20
    assert [(name, action) for name, one in allowed for action in actions(one) if "*" in action] == []
    unnamed = {name: actions(one) for name, one in allowed if "*" in listed(one["Resource"])}
    assert unnamed.pop("NetworkPolicy") == ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"]
    assert unnamed == {}
    assert [name for name, one in allowed if "NotAction" in one or "NotResource" in one] == []
    assert [name for name, one in allowed if one.get("Principal") in ("*", {"AWS": "*"})] == []


def test_every_role_is_assumed_by_the_one_service_that_needs_it() -> None:
    services = {
        name: [statement["Principal"]["Service"] for statement in role["AssumeRolePolicyDocument"]["Statement"]]
        for name, role in stack(Canary="Canary10Percent5Minutes", Alarms="all").of("AWS::IAM::Role").items()
    }
    assert services.pop("CanaryRole") == ["codedeploy.amazonaws.com"]
    assert services.pop("GatewayLogRoleForAccount") == ["apigateway.amazonaws.com"]
    assert services.pop("CleanupFunctionHourlyRole") == [["scheduler.amazonaws.com"]]
    assert services == {name: ["lambda.amazonaws.com"] for name in ROLES}


THREADS = [
    partition(Principal(tenant, user), "one")
    for tenant, user in [("acme", "anna"), ("APIKEYS", "APIKEYS"), ("CLEANUP", "x"), ("*", "?"), ("a#b/c", "ü")]
]
NOT_THREADS = [API_KEYS, WATERMARK["PK"]]
ITEM_ACTIONS = ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"]
CHECK = "ConditionCheckItem"
USED = usage_of(user_key(Principal("acme", "anna")))
TABLE_ACTIONS = ["Scan", "DeleteTable", "UpdateTable", "ExportTableToPointInTime", "PartiQLSelect", "CreateBackup"]


def may(role: str, action: str, *keys: str, on: str = TABLE) -> bool:
    context = {"dynamodb:LeadingKeys": list(keys)} if keys else {}
    return allows(statements_of(stack(), role), f"dynamodb:{action}", on, context)


@pytest.mark.parametrize("role", RUNNING)
def test_a_turn_reaches_every_thread_and_nothing_else_of_the_table(role: str) -> None:
    for action in [*ITEM_ACTIONS, CHECK]:
        assert all(may(role, action, key) for key in [*THREADS, USED]), action
        assert not any(may(role, action, key) for key in NOT_THREADS), action
        assert not may(role, action, THREADS[0], API_KEYS), action
    assert may(role, "Query", user_key(Principal("acme", "anna")), on=INDEX + BY_USER)
    assert not may(role, "Query", expiry_bucket(0, THREADS[0]), on=INDEX + BY_EXPIRY)
    assert not any(may(role, action) for action in TABLE_ACTIONS)


def test_the_authorizer_reads_single_keys_and_nothing_else() -> None:
    assert may("AuthorizerRole", "GetItem", API_KEYS)
    assert not any(may("AuthorizerRole", "GetItem", key) for key in [*THREADS, WATERMARK["PK"]])
    for action in {*ITEM_ACTIONS, *TABLE_ACTIONS} - {"GetItem"}:
        assert not may("AuthorizerRole", action, API_KEYS), action


def test_the_cleanup_reaches_threads_and_its_watermark_and_no_key() -> None:
    for action in ITEM_ACTIONS:
        assert all(may("CleanupRole", action, key) for key in (THREADS[0], USED)), action
        assert may("CleanupRole", action, WATERMARK["PK"]), action
        assert not may("CleanupRole", action, API_KEYS), action
    assert may("CleanupRole", "Query", expiry_bucket(0, THREADS[0]), on=INDEX + BY_EXPIRY)
    assert may("CleanupRole", "DescribeTable")
    assert may("CleanupRole", "Query", user_key(Principal("acme", "anna")), on=INDEX + BY_USER)
    assert not any(may("CleanupRole", action) for action in TABLE_ACTIONS)


def test_a_condition_on_keys_applies_only_to_requests_with_keys() -> None:
    """`ForAllValues` holds of a request without any, so no such action may stand beside it."""
    guarded = [
        action
        for _, document in documents(stack())
        for statement in document["Statement"]
        if "dynamodb:LeadingKeys" in str(statement.get("Condition"))
        for action in actions(statement)
    ]
    assert guarded
    assert set(guarded) <= {f"dynamodb:{action}" for action in [*ITEM_ACTIONS, CHECK]}


def test_the_documents_role_deletes_nothing_and_calls_no_model() -> None:
    for action in ("GetItem", "Query", "PutItem", "UpdateItem", "BatchGetItem", CHECK):
        assert all(may("DocumentsRole", action, key) for key in [*THREADS, USED]), action
        assert not any(may("DocumentsRole", action, key) for key in NOT_THREADS), action
    assert not any(may("DocumentsRole", action, THREADS[0]) for action in ("DeleteItem", "BatchWriteItem"))
    assert not any(may("DocumentsRole", action) for action in TABLE_ACTIONS)
    found = stack(**EVERYTHING, ModelKeySecret=SECRET)
    asked = {action for one in statements_of(found, "DocumentsRole") for action in actions(one)}
    assert not [action for action in asked if action.startswith(("bedrock", "secretsmanager", "ssm:Put", "lambda"))]


def test_what_runs_turns_invokes_the_worker_whose_failures_are_queued() -> None:
    """The worker continues a long queue in another invocation of its own."""
    found, invoke = stack(), "lambda:InvokeFunction"
    worker, others = "<WorkerFunction.Arn>", ["<ApiFunction.Arn>", "<CleanupFunction.Arn>"]
    assert [role for role in ROLES if allows(statements_of(found, role), invoke, worker)] == RUNNING
    assert not any(allows(statements_of(found, role), invoke, other) for role in ROLES for other in others)
    functions = found.of("AWS::Lambda::Function")
    named = [name for name, each in functions.items() if each["Environment"]["Variables"].get("WORKER")]
    assert named == ["ApiFunction", "StreamFunction"]
    (kept,) = [
        each
        for each in found.of("AWS::Lambda::EventInvokeConfig").values()
        if each["FunctionName"] == "<WorkerFunction>"
    ]
    assert kept["DestinationConfig"]["OnFailure"]["Destination"] == "<WorkerFailures.Arn>"
    assert allows(statements_of(found, "WorkerRole"), "sqs:SendMessage", "<WorkerFailures.Arn>")
    assert kept["MaximumRetryAttempts"] == TRIES - 1
    assert kept["MaximumEventAgeInSeconds"] * 1000 <= STALE_MS
    timeout = functions["WorkerFunction"]["Timeout"]
    assert TRIES * float(timeout) < kept["MaximumEventAgeInSeconds"]
    assert float(functions["WorkerFunction"]["Environment"]["Variables"]["TURN__SECONDS"]) < float(timeout)


ALL = {"GetObject", "PutObject", "DeleteObject"}


@pytest.mark.parametrize(
    ("role", "blobs", "uploads", "exports"),
    [
        ("ApiRole", ALL, {"PutObject", "DeleteObject"}, ALL),
        ("StreamRole", ALL, set(), set()),
        ("WorkerRole", ALL, set(), set()),
        ("DocumentsRole", {"GetObject"}, {"GetObject", "DeleteObject"}, ALL),
        ("CleanupRole", {"DeleteObject"}, {"DeleteObject"}, {"DeleteObject"}),
        ("AuthorizerRole", set(), set(), set()),
    ],
)
def test_objects_are_reached_under_their_prefix_alone(role, blobs, uploads, exports):
    statements = statements_of(stack(), role)
    for folder, taken in {"blobs": blobs, "uploads": uploads, "exports": exports, "other": set[str]()}.items():
        for action in [*ALL, "PutObjectAcl"]:
            assert allows(statements, f"s3:{action}", f"<Objects.Arn>/{folder}/ab12") is (action in taken), action
    may_list = allows(statements, "s3:ListBucket", "<Objects.Arn>", {"s3:prefix": ["blobs/ab12"]})
    assert may_list is (role != "AuthorizerRole")


def test_the_bucket_expires_what_was_left() -> None:
    rules = stack().of("AWS::S3::Bucket")["Objects"]["LifecycleConfiguration"]["Rules"]
    days = {rule.get("Prefix"): rule.get("ExpirationInDays") for rule in rules}
    assert days == {"blobs/": 32, "uploads/": 1, "exports/": 1, None: None}


def test_only_uploads_and_export_requests_invoke_the_documents_function() -> None:
    (rule,) = stack().of("AWS::Events::Rule").values()
    assert rule["EventPattern"]["detail"] == {
        "bucket": {"name": ["<Objects>"]},
        "object": {"key": [{"prefix": "uploads/"}, {"suffix": ".request"}]},
    }
    (target,) = rule["Targets"]
    transformer = target["InputTransformer"]
    assert target["Arn"] == "<DocumentsFunction.Arn>"
    event = transformer["InputTemplate"].replace("<key>", '"uploads/ab/cd"')
    assert json.loads(event) == {"Records": [{"s3": {"object": {"key": "uploads/ab/cd"}}}]}
    assert transformer["InputPathsMap"] == {"key": "$.detail.object.key"}
    (kept,) = [
        each["DestinationConfig"]["OnFailure"]["Destination"]
        for each in stack().of("AWS::Lambda::EventInvokeConfig").values()
        if each["FunctionName"] == "<DocumentsFunction>"
    ]
    assert kept == target["DeadLetterConfig"]["Arn"] == "<DocumentFailures.Arn>"
    (statement,) = stack().of("AWS::SQS::QueuePolicy")["DocumentFailuresPolicy"]["PolicyDocument"]["Statement"]
    assert (statement["Principal"], statement["Action"]) == ({"Service": "events.amazonaws.com"}, "sqs:SendMessage")
    assert statement["Condition"] == {"ArnEquals": {"aws:SourceArn": "<DocumentsFunctionArrived.Arn>"}}


def test_the_bucket_is_private_and_requires_tls() -> None:
    bucket = stack().of("AWS::S3::Bucket")["Objects"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    (statement,) = stack().of("AWS::S3::BucketPolicy")["ObjectsPolicy"]["PolicyDocument"]["Statement"]
    everybody = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    for secure, allowed in (("true", True), ("false", False)):
        context = {"aws:SecureTransport": [secure]}
        assert allows([everybody, statement], "s3:GetObject", "<Objects.Arn>/blobs/ab12", context) is allowed


SSM = "arn:aws:ssm:eu-west-1:123456789012:parameter"


@pytest.mark.parametrize(("role", "may_make"), [("ApiRole", True), ("StreamRole", True), ("AuthorizerRole", False)])
def test_the_signing_key_is_created_once_and_never_replaced(role: str, may_make: bool) -> None:
    statements, name = statements_of(stack(), role), f"{SSM}/turnkeep/turnkeep-test/seal-key"
    assert allows(statements, "ssm:GetParameter", name)
    assert allows(statements, "ssm:PutParameter", name, {"ssm:Overwrite": ["false"]}) is may_make
    assert not allows(statements, "ssm:PutParameter", name, {"ssm:Overwrite": ["true"]})
    assert not allows(statements, "ssm:GetParameter", f"{SSM}/turnkeep/another/seal-key")


IN_SSM = ["ModelKeyParameter", "DatabaseUrlParameter", "DatabaseSealParameter", "WarehouseUrlParameter"]
IN_SECRETS_MANAGER = ["ModelKeySecret", "DatabaseSecret", "WarehouseSecret"]
GIVEN = [*product(IN_SSM, ["/a/b", "/b"]), *product(IN_SECRETS_MANAGER, [SECRET])]


@pytest.mark.parametrize(("parameter", "place"), GIVEN)
def test_a_secret_is_readable_only_by_functions_that_run_agents(parameter: str, place: str) -> None:
    action = "ssm:GetParameter" if parameter in IN_SSM else "secretsmanager:GetSecretValue"
    resource = f"{SSM}{place}" if parameter in IN_SSM else place
    found = stack(**{parameter: place})
    assert [role for role in ROLES if allows(statements_of(found, role), action, resource)] == RUNNING
    assert not allows(statements_of(found, "ApiRole"), action, f"{resource}x")
    assert not allows(statements_of(stack(), "ApiRole"), action, resource)


INTERFACE = "arn:aws:ec2:eu-west-1:123456789012:network-interface/eni-1"


def test_only_lambda_itself_may_create_network_interfaces() -> None:
    inside = {"lambda:SourceFunctionArn": ["arn:aws:lambda:eu-west-1:123456789012:function:api"]}
    for given, expected in (({}, []), ({"SubnetIds": "subnet-1", "SecurityGroupIds": "sg-1"}, RUNNING)):
        statements = {role: statements_of(stack(**given), role) for role in ROLES}
        for action in ("CreateNetworkInterface", "DeleteNetworkInterface", "DescribeSubnets"):
            who = [role for role in ROLES if allows(statements[role], f"ec2:{action}", INTERFACE)]
            assert sorted(who) == expected, action
            assert not any(allows(statements[role], f"ec2:{action}", INTERFACE, inside) for role in ROLES), action


def test_a_boundary_is_on_every_role() -> None:
    bounds = {name: role.get("PermissionsBoundary") for name, role in stack(**EVERYTHING).of("AWS::IAM::Role").items()}
    assert len(bounds) > len(ROLES)
    assert set(bounds.values()) == {EVERYTHING["PermissionsBoundary"]}
    assert not [name for name, role in stack().of("AWS::IAM::Role").items() if "PermissionsBoundary" in role]
