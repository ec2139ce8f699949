"""The table as template.yaml describes it, made in any DynamoDB, so that the table under test is the one deployed."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from turnkeep_local import LocalError

try:
    from yaml import CSafeLoader as SafeLoader  # ten times as fast, where PyYAML was built with it
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "Table"
_COPIED = ("KeySchema", "AttributeDefinitions", "BillingMode", "GlobalSecondaryIndexes")


class _TemplateLoader(SafeLoader):
    """YAML with CloudFormation's short tags: `!Ref X` becomes {"Ref": X}, `!Sub X` {"Fn::Sub": X}."""


def _tagged(loader: SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    name = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        return {name: loader.construct_scalar(node)}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.MappingNode)  # noqa: S101 - YAML has no fourth kind of node
    return {name: loader.construct_mapping(node, deep=True)}


_TemplateLoader.add_multi_constructor("!", _tagged)


def find_template() -> Path:
    """template.yaml inside the installed package, beside the sources, or in the current directory."""
    package = Path(__file__).parent
    places = (package / "project" / "stack", package.parents[1], Path.cwd())
    found = next((place / "template.yaml" for place in places if (place / "template.yaml").is_file()), None)
    if found is None:
        raise LocalError(f"template.yaml is in none of {', '.join(map(str, places))}. Start from the project's folder.")
    return found


@cache
def read_template(path: Path) -> dict[str, Any]:
    """The parsed template, read once and to be left as it is; raises LocalError where it is missing, not YAML or
    describes no resources."""
    try:
        text = path.read_text()
    except OSError as error:
        raise LocalError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        template = yaml.load(text, _TemplateLoader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise LocalError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(template, dict) or "Resources" not in template:
        raise LocalError(f"{path} is no CloudFormation template: it has no Resources.")
    return template


def table_properties(path: Path) -> dict[str, Any]:
    """The properties of the resource `Table`."""
    resource = read_template(path)["Resources"].get(TABLE)
    if resource is None or resource.get("Type") != "AWS::DynamoDB::Table":
        raise LocalError(f"{path} describes no AWS::DynamoDB::Table called {TABLE}.")
    properties: dict[str, Any] = resource["Properties"]
    return properties


def create_table(client: "DynamoDBClient", name: str, template: Path) -> bool:
    """Makes the table with its indexes and its TTL; False where one of this name is there already."""
    properties = table_properties(template)
    arguments: Any = {key: properties[key] for key in _COPIED if key in properties}
    try:
        client.create_table(TableName=name, **arguments)
    except client.exceptions.ResourceInUseException:
        return False
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    client.update_time_to_live(TableName=name, TimeToLiveSpecification=properties["TimeToLiveSpecification"])
    return True
