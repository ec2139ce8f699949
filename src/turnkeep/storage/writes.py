"""The steps of a transaction."""

from dataclasses import dataclass
from typing import Literal

from turnkeep.storage.attributes import Item, encode, names_in


@dataclass(frozen=True)
class Write:
    """One step of a transaction. A Put has its `item` for `key`; a ConditionCheck writes nothing."""

    kind: Literal["Put", "Update", "Delete", "ConditionCheck"]
    key: Item
    condition: str | None = None
    values: Item | None = None
    expression: str | None = None

    def request(self, table: str) -> Item:
        parts = {
            "TableName": table,
            "Item" if self.kind == "Put" else "Key": encode(self.key),
            "UpdateExpression": self.expression,
            "ConditionExpression": self.condition,
            "ExpressionAttributeValues": self.values and encode(self.values),
            "ExpressionAttributeNames": names_in(f"{self.expression} {self.condition}"),
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD" if self.kind == "Put" and self.condition else None,
        }
        return {self.kind: {name: value for name, value in parts.items() if value}}
