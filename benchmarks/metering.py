"""A counting proxy before DynamoDB Local: capacity by AWS's rules, as Local's figures for transactions are wrong.

It looks an item up before and after each write, over connections of its own, so it is slow; what is timed goes through
a `delayed` proxy that only waits. Two writers of one item at one moment may be charged for each other's sizes.
"""

import argparse
import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from capacity_rules import TRANSACTION, Cost, Schema, WireItem, item_bytes, item_units, query_units, read_schema
from capacity_rules import read_units as units_of_read

Wire: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[[str, Wire], Wire]

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}
FREE = {"CreateTable", "DeleteTable", "DescribeTable", "DescribeTimeToLive", "ListTables", "UpdateTimeToLive"}
_VERSION = "DynamoDB_20120810."
_REFUSED = ("ConditionalCheckFailedException", "TransactionCanceledException")
_PLACEHOLDER = re.compile(r"[#:]\w+")
_NOT_PASSED_ON = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "x-amz-target"}


@dataclass(frozen=True)
class Call:
    """One request with its units and the items that it touched: (sort key or key, bytes)."""

    operation: str
    wcu: float = 0
    rcu: float = 0
    items: tuple[tuple[str, int], ...] = ()
    refused: bool = False


def total(calls: Sequence[Call]) -> Cost:
    return Cost(len(calls), sum(call.wcu for call in calls), sum(call.rcu for call in calls))


@dataclass
class _Write:
    """One item on its way: `after` is what the request says will stand there, unless only the store knows."""

    table: str
    key: Wire
    factor: int = 1
    after: WireItem | None = None
    is_known: bool = True
    before: WireItem | None = None


class Biller:
    """Charges requests. `ask` calls the store past the meter."""

    def __init__(self, ask: Ask):
        self._ask = ask
        self._schemas: dict[str, Schema] = {}

    def begin(self, operation: str, request: Wire) -> list[_Write]:
        """To be called before the request is passed on; gives what `end` needs."""
        writes = self._writes(operation, request)
        for write in writes:
            write.before = self._item(write.table, write.key)
        return writes

    def end(self, operation: str, request: Wire, writes: list[_Write], status: int, answer: Wire) -> Call:
        if status == 200:
            return self._written(operation, writes, answer) if operation in WRITES else self._read(operation, request)
        kind = str(answer.get("__type", "")).rpartition("#")[2]
        if operation in WRITES and kind in _REFUSED:
            return self._refused(operation, writes)
        return Call(operation, refused=True)

    def _written(self, operation: str, writes: list[_Write], answer: Wire) -> Call:
        units, items = 0, []
        late = [self._key_of(table, one) for table, each in answer.get("UnprocessedItems", {}).items() for one in each]
        for write in writes:
            if (write.table, write.key) in late:
                continue
            after = write.after if write.is_known else self._item(write.table, write.key)
            units += item_units(self._schema(write.table), write.before, after, factor=write.factor)
            items.append((_name(write.key), max(item_bytes(write.before), item_bytes(after))))
        return Call(operation, wcu=units, items=tuple(items))

    def _refused(self, operation: str, writes: list[_Write]) -> Call:
        """A condition that does not hold is charged for the item; no index is touched."""
        units = sum(item_units(Schema(()), write.before, write.after, factor=write.factor) for write in writes)
        items = tuple((_name(write.key), item_bytes(write.before)) for write in writes)
        return Call(operation, wcu=units, items=items, refused=True)

    def _writes(self, operation: str, request: Wire) -> list[_Write]:
        match operation:
            case "PutItem" | "UpdateItem" | "DeleteItem":
                return [self._one(operation.removesuffix("Item"), request)]
            case "BatchWriteItem":
                return [
                    self._one(kind.removesuffix("Request"), {"TableName": table, **body})
                    for table, requests in request["RequestItems"].items()
                    for one in requests
                    for kind, body in one.items()
                ]
            case "TransactWriteItems":
                return [
                    self._one(kind, body, TRANSACTION) for one in request["TransactItems"] for kind, body in one.items()
                ]
        return []

    def _one(self, kind: str, body: Wire, factor: int = 1) -> _Write:
        table = body["TableName"]
        if kind == "Put":
            return _Write(table, self._keys_in(table, body["Item"]), factor, after=body["Item"])
        return _Write(table, body["Key"], factor, is_known=kind == "Delete")

    def _key_of(self, table: str, request: Wire) -> tuple[str, Wire]:
        if "PutRequest" in request:
            return table, self._keys_in(table, request["PutRequest"]["Item"])
        return table, request["DeleteRequest"]["Key"]

    def _read(self, operation: str, request: Wire) -> Call:
        if operation in ("Query", "Scan"):
            return self._ranged(operation, request)
        factor = TRANSACTION if operation == "TransactGetItems" else 1
        units, items = 0.0, []
        for table, key, consistent in _gets(operation, request):
            size = item_bytes(self._item(table, key))
            units += units_of_read(size, consistent=consistent, factor=factor)
            items.append((_name(key), size))
        return Call(operation, rcu=units, items=tuple(items))

    def _ranged(self, operation: str, request: Wire) -> Call:
        """Asked again without filter and projection: what it went through is charged, not what it gave."""
        kept = ("TableName", "IndexName", "KeyConditionExpression", "ScanIndexForward", "ConsistentRead", "Limit")
        again = {name: request[name] for name in (*kept, "ExclusiveStartKey") if name in request}
        used = set(_PLACEHOLDER.findall(again.get("KeyConditionExpression", "")))
        for placeholders in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
            some = {name: value for name, value in request.get(placeholders, {}).items() if name in used}
            again |= {placeholders: some} if some else {}
        found = self._ask(operation, again)["Items"]
        units = query_units(found, consistent=request.get("ConsistentRead", False))
        keys = self._schema(request["TableName"]).keys
        items = tuple((_name({key: item[key] for key in keys}), item_bytes(item)) for item in found)
        return Call(operation, rcu=units, items=items)

    def _item(self, table: str, key: Wire) -> WireItem | None:
        found: WireItem | None = self._ask("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get(
            "Item"
        )
        return found

    def _keys_in(self, table: str, item: Wire) -> Wire:
        return {name: item[name] for name in self._schema(table).keys}

    def _schema(self, table: str) -> Schema:
        if table not in self._schemas:
            self._schemas[table] = read_schema(self._ask("DescribeTable", {"TableName": table})["Table"])
        return self._schemas[table]


def _gets(operation: str, request: Wire) -> list[tuple[str, Wire, bool]]:
    """Table, key and consistency of every item that is asked for by its key."""
    match operation:
        case "GetItem":
            return [(request["TableName"], request["Key"], request.get("ConsistentRead", False))]
        case "BatchGetItem":
            asked = request["RequestItems"].items()
            return [(table, key, each.get("ConsistentRead", False)) for table, each in asked for key in each["Keys"]]
    gets = [one["Get"] for one in request["TransactItems"]]
    return [(get["TableName"], get["Key"], True) for get in gets]


def _name(key: Mapping[str, Mapping[str, Any]]) -> str:
    return str([next(iter(value.values())) for value in key.values()][-1])


class Meter(ThreadingHTTPServer):
    """Listens on a free port of 127.0.0.1; `count=False` only delays."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, target: str, *, delay_ms: float = 0, count: bool = True):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(target).netloc
        self.delay_seconds = delay_ms / 1000
        self.count = count
        self._calls: list[Call] = []
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def note(self, call: Call) -> None:
        with self._lock:
            self._calls.append(call)

    def take(self) -> list[Call]:
        """The calls since the last time."""
        with self._lock:
            calls, self._calls = self._calls, []
        return calls


@contextmanager
def metered(target: str) -> Iterator[Meter]:
    """A counting proxy that serves until the block ends."""
    meter = Meter(target)
    thread = threading.Thread(target=meter.serve_forever, daemon=True)
    thread.start()
    try:
        yield meter
    finally:
        meter.shutdown()
        meter.server_close()
        thread.join()


@contextmanager
def delayed(target: str, delay_ms: float) -> Iterator[str]:
    """The URL of a proxy in a process of its own that holds every request back for so long."""
    command = [sys.executable, __file__, target, "--delay-ms", str(delay_ms)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.terminate()
        child.wait()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Meter

    def setup(self) -> None:
        super().setup()
        self._upstream = http.client.HTTPConnection(self.server.target, timeout=60)
        self._upstream.connect()
        self._biller = Biller(self._ask)

    def finish(self) -> None:
        super().finish()
        self._upstream.close()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        operation = self.headers["X-Amz-Target"].removeprefix(_VERSION)
        self._passed = {name: value for name, value in self.headers.items() if name.lower() not in _NOT_PASSED_ON}
        if not self.server.count or operation in FREE:
            time.sleep(self.server.delay_seconds)
            self._answer(*self._send(operation, body))
            return
        if operation not in WRITES | READS:
            self._answer(501, [], b"the meter knows no price of " + operation.encode())
            return
        request = json.loads(body)
        writes = self._biller.begin(operation, request)
        status, headers, answer = self._send(operation, body)
        self.server.note(self._biller.end(operation, request, writes, status, json.loads(answer)))
        self._answer(status, headers, answer)

    def _send(self, operation: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        self._upstream.request("POST", "/", body, {**self._passed, "X-Amz-Target": _VERSION + operation})
        answer = self._upstream.getresponse()
        return answer.status, answer.getheaders(), answer.read()

    def _ask(self, operation: str, request: Wire) -> Wire:
        status, _, answer = self._send(operation, json.dumps(request).encode())
        if status != 200:
            raise RuntimeError(f"the meter's own {operation} failed: {answer.decode(errors='replace')}")
        found: Wire = json.loads(answer)
        return found

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _NOT_PASSED_ON:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    arguments = argparse.ArgumentParser(description="A proxy that holds every request back.")
    arguments.add_argument("target")
    arguments.add_argument("--delay-ms", type=float, required=True)
    options = arguments.parse_args()
    proxy = Meter(options.target, delay_ms=options.delay_ms, count=False)
    print(proxy.url, flush=True)
    proxy.serve_forever()


if __name__ == "__main__":
    main()
