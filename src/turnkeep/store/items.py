"""DynamoDB with plain Python values. Only this module knows the client and its errors."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from itertools import chain, islice
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from turnkeep.errors import StoreUnavailable
from turnkeep.store.attributes import Item, Write, decode, encode
from turnkeep.store.keys import INDEX_KEYS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from turnkeep.store.direct import Direct

T = TypeVar("T")

_BETWEEN = "SK BETWEEN :low AND :high"
BATCH_WRITES = 25
BATCH_READS = 100
BATCH_ROUNDS = 6
_RETRY_AFTER_SECONDS = 2
_PASSING = {"InternalServerError", "InternalFailure", "RequestLimitExceeded", "RequestTimeout", "ServiceUnavailable"}
_PASSING |= {"ProvisionedThroughputExceededException", "ThrottlingException", "TransactionInProgressException"}
_CONFLICTS = {"TransactionConflictException", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
CONFLICT_PAUSES = (0.02, 0.05, 0.1, 0.2)


class Refused(Exception):
    """A condition did not hold. `item` is the stored item, or None if there is none."""

    def __init__(self, item: Item | None):
        super().__init__("condition refused")
        self.item = item


@dataclass(eq=False)
class Items:
    """One table. Reads are strongly consistent unless the caller asks for others. Those on indexes never are. `direct`
    sends requests with less CPU than `client`."""

    client: "DynamoDBClient"
    table_name: str
    _: KW_ONLY
    direct: "Direct | None" = None
    sleep: Callable[[float], None] = time.sleep

    def close(self) -> None:
        """Close the connections; the next request opens others."""
        self.client.close()
        if self.direct:
            self.direct.close()

    def created(self) -> int:
        """Return when the table was created, in epoch milliseconds."""
        at: datetime = self._call("describe_table", TableName=self.table_name)["Table"]["CreationDateTime"]
        return int(at.timestamp() * 1000)

    def get(self, pk: str, sk: str) -> Item | None:
        answer = self._call(
            "get_item", TableName=self.table_name, Key=encode({"PK": pk, "SK": sk}), ConsistentRead=True
        )
        return decode(answer["Item"]) if "Item" in answer else None

    def get_many(self, keys: Iterable[tuple[str, str]]) -> list[Item]:
        """Return the items that exist, in any order."""
        found: list[Item] = []
        for some in batched((encode({"PK": pk, "SK": sk}) for pk, sk in keys), BATCH_READS):
            request = {self.table_name: {"Keys": list(some), "ConsistentRead": True}}
            for answer in self._in_rounds("batch_get_item", request, "UnprocessedKeys"):
                found += [decode(item) for item in answer["Responses"].get(self.table_name, [])]
        return found

    def put(self, item: Item, *, condition: str | None = None, values: Item | None = None) -> None:
        """Put an item. Raises Refused, unless the same item is stored: then only the first answer was lost."""
        try:
            self._call("put_item", **Write("Put", item, condition, values).request(self.table_name))
        except Refused as refused:
            if refused.item != item:
                raise

    def update(self, pk: str, sk: str, expression: str, values: Item, *, condition: str) -> Item:
        """Return the whole item after the update. Raises Refused."""
        write = Write("Update", {"PK": pk, "SK": sk}, condition, values, expression)
        answer = self._call("update_item", ReturnValues="ALL_NEW", **write.request(self.table_name))
        return decode(answer.get("Attributes", {}))

    def delete(self, pk: str, sk: str, *, condition: str, values: Item) -> None:
        """Delete an item. Raises Refused."""
        self._call("delete_item", **Write("Delete", {"PK": pk, "SK": sk}, condition, values).request(self.table_name))

    def transact(self, *writes: Write) -> None:
        """Write all or none, at most 4 MB. Raises Refused, with the item only if the first refused write is a Put."""
        steps = [write.step(self.table_name) for write in writes]
        self._call("transact_write_items", TransactItems=steps, ClientRequestToken=token_hex(16))  # one for all tries

    def between(self, pk: str, low: str, high: str, *, consistent: bool = True) -> list[Item]:
        """Return all items with low <= SK <= high, in order. Without `consistent` it costs half and may miss some."""
        return list(self._within(pk, _BETWEEN, {":low": low, ":high": high}, ConsistentRead=consistent))

    def between_by_key(self, pk: str, low: str, high: str, *, consistent: bool = True) -> dict[str, Item]:
        """Return the items of `between` by their sort key."""
        return {item["SK"]: item for item in self.between(pk, low, high, consistent=consistent)}

    def below(self, pk: str, prefix: str, *, page: int | None = None) -> Iterator[Item]:
        """Yield the items whose SK begins with `prefix`, in order, by pages (of `page` items) on demand."""
        return self._within(pk, "begins_with(SK, :prefix)", {":prefix": prefix}, **({"Limit": page} if page else {}))

    def backward(self, pk: str, low: str, high: str, page: int) -> Iterator[Item]:
        """Yield the items of `between` in reverse order, by pages of `page` items on demand."""
        return self._within(pk, _BETWEEN, {":low": low, ":high": high}, ScanIndexForward=False, Limit=page)

    def _within(self, pk: str, condition: str, values: Item, **more: Any) -> Iterator[Item]:
        asked = {"KeyConditionExpression": f"PK = :pk AND {condition}", "ConsistentRead": True, **more}
        return chain.from_iterable(self._pages(ExpressionAttributeValues=encode({":pk": pk, **values}), **asked))

    def pages_of(self, pk: str, *attributes: str) -> Iterator[list[Item]]:
        """Yield the whole partition by pages, with the named attributes only."""
        return self._pages(
            KeyConditionExpression="PK = :pk",
            ExpressionAttributeValues=encode({":pk": pk}),
            ProjectionExpression=", ".join(f"#{name}" for name in attributes),
            ExpressionAttributeNames={f"#{name}": name for name in attributes},
            ConsistentRead=True,
        )

    def index(
        self, name: str, value: str, *, newest_first: bool = False, after: Item | None = None, page: int | None = None
    ) -> Iterator[Item]:
        """Yield keys of an index after the entry `after`, by pages on demand. It may be a moment behind the table."""
        asked: Item = {"IndexName": name, "KeyConditionExpression": f"{INDEX_KEYS[name][0]} = :value"}
        asked |= {"ScanIndexForward": not newest_first, **({"Limit": page} if page else {})}
        pages = self._pages(start=after, ExpressionAttributeValues=encode({":value": value}), **asked)
        return chain.from_iterable(pages)

    def write_many(self, puts: Iterable[Item] = (), deletes: Iterable[tuple[str, str]] = ()) -> None:
        """Write without conditions, with retries until all is done. Raises StoreUnavailable."""
        requests: list[Item] = [{"PutRequest": {"Item": encode(item)}} for item in puts]
        requests += [{"DeleteRequest": {"Key": encode({"PK": pk, "SK": sk})}} for pk, sk in deletes]
        for some in batched(requests, BATCH_WRITES):
            for _ in self._in_rounds("batch_write_item", {self.table_name: list(some)}, "UnprocessedItems"):
                pass

    def _in_rounds(self, operation: str, request: Item, rest: str) -> Iterator[Item]:
        for attempt in range(BATCH_ROUNDS):
            answer = self._call(operation, RequestItems=request)
            yield answer
            request = answer.get(rest) or {}
            if not request:
                return
            self.sleep(0.05 * 2**attempt)
        raise StoreUnavailable(retry_after=_RETRY_AFTER_SECONDS)

    def _pages(self, *, start: Item | None = None, **arguments: Any) -> Iterator[list[Item]]:
        at = {"ExclusiveStartKey": encode(start)} if start else {}
        while True:
            answer = self._call("query", TableName=self.table_name, **arguments, **at)
            yield [decode(item) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                return
            at = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _call(self, operation: str, **arguments: Any) -> Item:
        """Send the request; repeat it while a transaction has the item locked, which takes milliseconds."""
        for pause in CONFLICT_PAUSES:
            try:
                found = self.direct.send(operation, arguments) if self.direct else None
                answer: Item = getattr(self.client, operation)(**arguments) if found is None else found
                return answer
            except ClientError as error:
                if ours := _as_ours(error):
                    raise ours from error
            except BotoCoreError as error:
                raise StoreUnavailable(retry_after=_RETRY_AFTER_SECONDS) from error
            self.sleep(pause)
        raise StoreUnavailable(retry_after=_RETRY_AFTER_SECONDS)


def batched(values: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Yield tuples of `size` values, as `itertools.batched` does from Python 3.12 on."""
    left = iter(values)
    while some := tuple(islice(left, size)):
        yield some


def _as_ours(error: ClientError) -> Exception | None:
    """Return the exception to raise, None for a write that conflicted with a transaction: no part of it was applied."""
    answer: Any = error.response
    code, steps = answer["Error"]["Code"], answer.get("CancellationReasons", [])
    failed = [step for step in steps if step.get("Code") == "ConditionalCheckFailed"]
    if failed or code == "ConditionalCheckFailedException":
        item = (failed[0] if failed else answer).get("Item")
        return Refused(decode(item) if item else None)
    if {code, *(step.get("Code") for step in steps)} & _CONFLICTS:
        return None
    if code in _PASSING or answer["ResponseMetadata"].get("HTTPStatusCode", 0) >= 500:
        return StoreUnavailable(retry_after=_RETRY_AFTER_SECONDS)
    return error
