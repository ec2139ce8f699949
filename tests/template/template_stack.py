"""template.yaml as a stack would be, with the one inside it: translated by SAM, parameters and conditions resolved.
What only AWS knows stays readable: the ARN of the table is `<Table.Arn>`, its name `<Table>`."""

import functools
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "template.yaml"
SAM_PYTHON = ROOT / ".tools/sam/bin/python"
TRANSLATE = Path(__file__).with_name("template_translate.py")
PSEUDO = {
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::Region": "eu-west-1",
    "AWS::StackName": "turnkeep-test",
    "AWS::URLSuffix": "amazonaws.com",
}
KEY = "arn:aws:kms:eu-west-1:123456789012:key/abcd"
SECRET = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf"
EVERYTHING = {
    "AlarmEmail": "ops@example.org",
    "Alarms": "all",
    "Canary": "Canary10Percent5Minutes",
    "BedrockModels": "arn:aws:bedrock:eu-west-1::foundation-model/one",
    "CorsOrigins": "https://example.org",
    "DailyCostAlarm": "5",
    "DatabaseSealParameter": "/database/seal",
    "DatabaseSecret": SECRET,
    "DatabaseUrl": "mysql+pymysql://db.example.org/field",
    "FilesLayer": "arn:aws:lambda:eu-west-1:123456789012:layer:files:3",
    "Graphs::Built::File": "/opt/graphs/langgraph.json",
    "KmsKeyArn": KEY,
    "ModelKeyParameter": "/models/openai",
    "PermissionsBoundary": "arn:aws:iam::123456789012:policy/boundary",
    "SecurityGroupIds": "sg-1",
    "SubnetIds": "subnet-1,subnet-2",
    "Tracing": "Active",
    "WarehouseUrlParameter": "/warehouse/url",
}
"""Parameters with which every condition holds, but for second places of the same secret. What a mapping holds is named
with all of its keys."""

INNER = "Template"
"""Where the translation puts the template of a stack inside the stack."""

_NOTHING = object()
_HOLE = re.compile(r"\$\{([^!}][^}]*)\}")


class Stack:
    def __init__(self, template: dict[str, Any], given: Mapping[str, str]) -> None:
        """`given` are parameters, and pseudo parameters such as AWS::StackName."""
        self._template = template
        self.parameters = {name: str(each.get("Default", "")) for name, each in template["Parameters"].items()}
        assert {name for name in given if "::" not in name} <= self.parameters.keys(), given
        self.parameters |= given
        self.names: set[str] = set(template["Resources"])
        """Of all resources, those whose condition does not hold too."""
        self.resources: dict[str, dict[str, Any]] = {
            name: self._resolved({key: value for key, value in resource.items() if key not in ("Condition", INNER)})
            for name, resource in template["Resources"].items()
            if "Condition" not in resource or self._holds({"Condition": resource["Condition"]})
        }
        for name, properties in self.of("AWS::CloudFormation::Stack").items():
            called = {"AWS::StackName": f"{self._ref('AWS::StackName')}-{name}-1A2B"}
            inner = Stack(template["Resources"][name][INNER], properties["Parameters"] | called)
            self.resources |= inner.resources
            self.names |= inner.names

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """The properties of the resources of one type, by logical id."""
        return {name: found["Properties"] for name, found in self.resources.items() if found["Type"] == kind}

    def _resolved(self, node: Any) -> Any:
        if isinstance(node, list):
            return [value for value in map(self._resolved, node) if value is not _NOTHING]
        if not isinstance(node, dict):
            return node
        if len(node) == 1 and (name := next(iter(node))) in (*_FUNCTIONS, "Ref"):
            return self._ref(node["Ref"]) if name == "Ref" else _FUNCTIONS[name](self, node[name])
        resolved = {name: self._resolved(value) for name, value in node.items()}
        return {name: value for name, value in resolved.items() if value is not _NOTHING}

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return _NOTHING
        if name not in self.parameters:
            return PSEUDO.get(name) or f"<{name}>"
        kind, value = self._template["Parameters"].get(name, {}).get("Type"), self.parameters[name]
        return value.split(",") if kind == "CommaDelimitedList" else value

    def _sub(self, given: Any) -> str:
        text, own = (given, {}) if isinstance(given, str) else given
        return _HOLE.sub(lambda at: str(self._resolved(own[at[1]]) if at[1] in own else self._ref(at[1])), text)

    def _if(self, given: list[Any]) -> Any:
        name, yes, no = given
        return self._resolved(yes if self._holds({"Condition": name}) else no)

    def _holds(self, condition: dict[str, Any]) -> bool:
        ((function, given),) = condition.items()
        match function:
            case "Condition":
                return self._holds(self._template["Conditions"][given])
            case "Fn::Not":
                return not self._holds(given[0])
            case "Fn::And":
                return all(map(self._holds, given))
            case "Fn::Or":
                return any(map(self._holds, given))
            case "Fn::Equals":
                left, right = map(self._resolved, given)
                return str(left) == str(right)
        raise NotImplementedError(function)

    def _find_in_map(self, keys: list[Any]) -> Any:
        mapping, first, second = map(self._resolved, keys)
        given = self.parameters.get("::".join((mapping, first, second)))
        return given if given is not None else self._template["Mappings"][mapping][first][second]


_FUNCTIONS: Mapping[str, Any] = {
    "Fn::FindInMap": Stack._find_in_map,
    "Fn::GetAtt": lambda _, given: f"<{given if isinstance(given, str) else '.'.join(given)}>",
    "Fn::If": Stack._if,
    "Fn::Join": lambda stack, given: str(given[0]).join(map(str, stack._resolved(given[1]))),
    "Fn::Split": lambda stack, given: str(stack._resolved(given[1])).split(given[0]),
    "Fn::Sub": Stack._sub,
}


@functools.cache
def translated(auth: str = "keys", canary: str = "None", built: str = "s3://bucket/built") -> dict[str, Any]:
    """By SAM. Two parameters change what it makes; `built` is where the layers lie."""
    assert SAM_PYTHON.exists(), "SAM is not there: make .tools/sam/ready"
    given = [f"Auth={auth}", f"Canary={canary}"]
    command = [str(SAM_PYTHON), str(TRANSLATE), str(TEMPLATE), built, *given]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@functools.cache
def stack(**parameters: str) -> Stack:
    return Stack(translated(parameters.get("Auth", "keys"), parameters.get("Canary", "None")), parameters)


# IAM's decisions: enough of its rules for the policies of template.yaml, and an error for any other

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


# CloudFormation's judgement of parameters, before it changes anything: their constraints, and the rules over them

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def refusals(template: Mapping[str, Any], given: Mapping[str, str]) -> list[str]:
    """Return the parameters and rules that refuse these values; other parameters have their defaults."""
    parameters = template["Parameters"]
    values = {name: str(each["Default"]) for name, each in parameters.items()} | given
    unfit = [name for name, each in parameters.items() if not is_allowed(each, values[name])]
    return unfit + [name for name, rule in template["Rules"].items() if not _rule_holds(rule, values)]


def is_allowed(parameter: Mapping[str, Any], value: object) -> bool:
    text, is_number = str(value), parameter["Type"] == "Number"
    if text not in map(str, parameter.get("AllowedValues", [text])):
        return False
    if is_number:
        low, high = parameter.get("MinValue", "-inf"), parameter.get("MaxValue", "inf")
        return NUMBER.fullmatch(text) is not None and float(low) <= float(text) <= float(high)
    items = text.split(",") if parameter["Type"] == "CommaDelimitedList" else [text]
    fits = all(re.fullmatch(parameter.get("AllowedPattern", "(?s:.*)"), item) for item in items)
    return fits and len(text) <= parameter.get("MaxLength", 4096)


def _rule_holds(rule: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    applies = "RuleCondition" not in rule or _value(rule["RuleCondition"], values)
    return not applies or all(_value(each["Assert"], values) for each in rule["Assertions"])


def _value(node: Any, values: Mapping[str, str]) -> Any:
    """Of a function that rules may call; KeyError for any other."""
    if isinstance(node, list):
        return [_value(each, values) for each in node]
    if not isinstance(node, dict):
        return node
    ((name, argument),) = node.items()
    return values[argument] if name == "Ref" else _OF_RULES[name](_value(argument, values))


_OF_RULES: Mapping[str, Any] = {
    "Fn::And": all,
    "Fn::Contains": lambda given: given[1] in given[0],
    "Fn::Equals": lambda given: given[0] == given[1],
    "Fn::Not": lambda given: not given[0],
    "Fn::Or": any,
}
