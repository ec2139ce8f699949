"""Items and writes in plain Python values and with DynamoDB's type tags. Numbers are integers; times are epoch ms."""

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Item: TypeAlias = dict[str, Any]
_WITH_ITEM = "ReturnValuesOnConditionCheckFailure"


def encode(item: Item) -> Any:
    return {name: _encode(value) for name, value in item.items()}


def decode(item: Item) -> Item:
    return {name: _decode(value) for name, value in item.items()}


def _encode(value: Any) -> Item:
    match value:
        case bool():
            return {"BOOL": value}
        case str() | bytes():
            return {"S" if isinstance(value, str) else "B": value}
        case int():
            return {"N": str(value)}
        case list():
            return {"L": [_encode(each) for each in value]}
        case dict():
            return {"M": encode(value)}
        case frozenset():  # of strings, never empty
            return {"SS": sorted(value)}
    raise TypeError(f"no DynamoDB type for {type(value).__name__}")


def _decode(value: Item) -> Any:
    ((tag, content),) = value.items()
    match tag:
        case "N":  # foreign numbers are returned as text, so that the item's check rejects them
            return int(content) if content.lstrip("-").isdigit() else content
        case "B":
            return bytes(content)
        case "L":
            return [_decode(each) for each in content]
        case "M":
            return decode(content)
        case "SS":
            return frozenset(content)
    return content


@dataclass(frozen=True)
class Write:
    """One write, alone or in a transaction. A ConditionCheck writes nothing. Reserved words are written `#word`."""

    kind: Literal["Put", "Update", "Delete", "ConditionCheck"]
    key: Item
    condition: str | None = None
    values: Item | None = None
    expression: str | None = None

    def request(self, table: str) -> Item:
        """Return the request of a single write. If its condition fails, the response contains the stored item."""
        words = re.findall(r"#\w+", f"{self.expression} {self.condition}")
        parts = {
            "TableName": table,
            "Item" if self.kind == "Put" else "Key": encode(self.key),
            "UpdateExpression": self.expression,
            "ConditionExpression": self.condition,
            "ExpressionAttributeValues": self.values and encode(self.values),
            "ExpressionAttributeNames": {word: word[1:] for word in words},
            _WITH_ITEM: "ALL_OLD" if self.condition else None,
        }
        return {name: value for name, value in parts.items() if value}

    def step(self, table: str) -> Item:
        """Return a part of a transaction. Its response contains the stored item for a Put only."""
        parts = self.request(table)
        return {self.kind: {name: parts[name] for name in parts if name != _WITH_ITEM or self.kind == "Put"}}
