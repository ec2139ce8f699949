"""IAM's decisions: enough of its rules for the policies of template.yaml, and an error for any other."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from template_stack import Stack

type Context = Mapping[str, list[str]]

ROLES = ["ApiRole", "AuthorizerRole", "CleanupRole", "DocumentsRole", "StreamRole", "WorkerRole"]
"""Those of the functions."""
TRACES = "arn:aws:iam::aws:policy/AWSXRayDaemonWriteAccess"
"""AWS's own: traces, and nothing else."""


def documents(stack: Stack) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every policy of the stack that grants permissions, with its resource."""
    for name, role in stack.of("AWS::IAM::Role").items():
        yield from ((name, policy["PolicyDocument"]) for policy in role.get("Policies", []))
    for kind in ("AWS::IAM::ManagedPolicy", "AWS::S3::BucketPolicy", "AWS::SNS::TopicPolicy"):
        yield from ((name, policy["PolicyDocument"]) for name, policy in stack.of(kind).items())


def statements_of(stack: Stack, role: str) -> list[dict[str, Any]]:
    """What a role may do by its own policies and by those that it shares."""
    properties = stack.of("AWS::IAM::Role")[role]
    named = [arn for arn in properties.get("ManagedPolicyArns", []) if arn != TRACES]
    shared = [stack.resources[arn.strip("<>")]["Properties"] for arn in named]
    shared += [each for each in stack.of("AWS::IAM::ManagedPolicy").values() if f"<{role}>" in each.get("Roles", ())]
    found = [policy["PolicyDocument"] for policy in [*properties.get("Policies", []), *shared]]
    return [statement for document in found for statement in document["Statement"]]


def allows(statements: Iterable[dict[str, Any]], action: str, resource: str, context: Context | None = None) -> bool:
    """Allowed by one statement and denied by none."""
    effects = {
        statement["Effect"]
        for statement in statements
        if any(_matches(pattern, action.lower()) for pattern in map(str.lower, listed(statement["Action"])))
        and any(_matches(pattern, resource) for pattern in listed(statement["Resource"]))
        and all(_holds(test, wanted, context or {}) for test, wanted in statement.get("Condition", {}).items())
    }
    return effects == {"Allow"}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _holds(test: str, wanted: Mapping[str, Any], context: Context) -> bool:
    """Several values of one key are alternatives. `ForAllValues` holds where the request has no such key at all."""
    if test == "Null":
        return all((key in context) is (is_null == "false") for key, is_null in wanted.items())
    kind, _, operator = test.rpartition(":")
    compare = {"StringEquals": str.__eq__, "StringLike": _matches, "ArnLike": _matches, "Bool": str.__eq__}[operator]
    assert kind in ("", "ForAllValues"), test
    for key, patterns in wanted.items():
        given = [any(compare(pattern, value) for pattern in listed(patterns)) for value in context.get(key, [])]
        if not all(given) or (kind == "" and not given):
            return False
    return True


def _matches(pattern: str, value: str) -> bool:
    parts = re.split(r"([*?])", pattern)
    return re.fullmatch("".join({"*": ".*", "?": "."}.get(part, re.escape(part)) for part in parts), value) is not None
