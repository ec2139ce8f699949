"""template.yaml as a stack would be, with the one inside it: translated by SAM, parameters and conditions resolved.
What only AWS knows stays readable: the ARN of the table is `<Table.Arn>`, its name `<Table>`."""

import functools
import json
import re
import subprocess
from collections.abc import Mapping
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
        return _HOLE.sub(lambda found: str(self._fill(found[1], own)), text)

    def _fill(self, name: str, own: Mapping[str, Any]) -> Any:
        if name in own:
            return self._resolved(own[name])
        return self._ref(name)

    def _attribute(self, given: Any) -> str:
        return f"<{given if isinstance(given, str) else '.'.join(given)}>"

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

    def _join(self, given: list[Any]) -> str:
        return str(given[0]).join(map(str, self._resolved(given[1])))

    def _split(self, given: list[Any]) -> list[str]:
        return str(self._resolved(given[1])).split(given[0])


_FUNCTIONS: Mapping[str, Any] = {
    "Fn::FindInMap": Stack._find_in_map,
    "Fn::GetAtt": Stack._attribute,
    "Fn::If": Stack._if,
    "Fn::Join": Stack._join,
    "Fn::Split": Stack._split,
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
