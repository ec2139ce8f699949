"""CloudFormation's judgement of parameters, before it changes anything: their constraints, and the rules over them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def refusals(template: Mapping[str, Any], given: Mapping[str, str]) -> list[str]:
    """Return the parameters and rules that refuse these values; other parameters have their defaults."""
    parameters = template["Parameters"]
    values = {name: str(each["Default"]) for name, each in parameters.items()} | given
    unfit = [name for name, each in parameters.items() if not is_allowed(each, values[name])]
    return unfit + [name for name, rule in template["Rules"].items() if not _holds(rule, values)]


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


def _holds(rule: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    applies = "RuleCondition" not in rule or _value(rule["RuleCondition"], values)
    return not applies or all(_value(each["Assert"], values) for each in rule["Assertions"])


def _value(node: Any, values: Mapping[str, str]) -> Any:
    """Of a function that rules may call; KeyError for any other."""
    if isinstance(node, list):
        return [_value(each, values) for each in node]
    if not isinstance(node, dict):
        return node
    ((name, argument),) = node.items()
    return values[argument] if name == "Ref" else _FUNCTIONS[name](_value(argument, values))


_FUNCTIONS: Mapping[str, Any] = {
    "Fn::And": all,
    "Fn::Contains": lambda given: given[1] in given[0],
    "Fn::Equals": lambda given: given[0] == given[1],
    "Fn::Not": lambda given: not given[0],
    "Fn::Or": any,
}


def refs(node: Any) -> Iterator[str]:
    """Yield the parameters that a rule names."""
    if isinstance(node, list):
        for each in node:
            yield from refs(each)
    elif isinstance(node, dict):
        for name, value in node.items():
            yield from [value] if name == "Ref" else refs(value)
