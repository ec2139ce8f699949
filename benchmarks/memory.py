"""Memory across threads side by side: Turnkeep, langgraph-checkpoint-aws (both DynamoDBStore) and InMemoryStore.
What each finds of the same items, and what each asks of DynamoDB, billed by AWS's rules:

    uv run --group bench python benchmarks/memory.py
"""

import os
import secrets
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from metering import Meter, metered, total
from turnkeep import DynamoDBStore
from turnkeep_local.dynamodb import dynamodb_local
from turnkeep_local.emulator import JAVA_MISSING, fetch_emulator, find_emulator, find_java

SOME_WORDS = "Ann drinks tea with milk in the morning and coffee after lunch. "
REMEMBERED = 31
PLACE: Any = {"region_name": "eu-west-1", "aws_access_key_id": "benchmark", "aws_secret_access_key": "benchmark"}


def value(number: int) -> dict[str, Any]:
    """1 KB, which compresses to 0.6 KB, as prose does."""
    return {"n": number, "even": number % 2 == 0, "text": SOME_WORDS + secrets.token_hex(450)}


def prefix(store: BaseStore) -> str:
    for number in range(REMEMBERED):
        store.put(("prefix", f"user{number}", "facts"), "k", value(number))
    return f"{len(store.search(('prefix',), limit=100))} of {REMEMBERED}"


def filtered(store: BaseStore) -> str:
    for number in range(20):
        store.put(("filter",), f"{number:02d}", value(number))
    found = [len(store.search(("filter",), filter={"even": True}, limit=5, offset=offset)) for offset in (0, 5)]
    return f"{found[0]} and {found[1]} of 5 and 5"


def collision(store: BaseStore) -> str:
    store.put(("a:b", "c"), "k", {"mine": 1})
    store.put(("a", "b", "c"), "k", {"mine": 2})
    item = store.get(("a:b", "c"), "k")
    return "two places" if item and item.value == {"mine": 1} else "one place"


def expired(store: BaseStore) -> str:
    try:
        store.put(("life",), "k", {"n": 1}, ttl=0.01)
    except NotImplementedError:
        return "no life"
    time.sleep(1.2)
    is_read = bool(store.get(("life",), "k", refresh_ttl=False) or store.search(("life",)))
    return "read" if is_read else "gone"


def large(store: BaseStore) -> str:
    text = secrets.token_hex(500_000)
    store.put(("large",), "k", {"text": text})
    item = store.get(("large",), "k")
    return "kept" if item and item.value == {"text": text} else "lost"


FINDINGS: dict[str, Callable[[BaseStore], str]] = {
    f"search of a prefix, {REMEMBERED} namespaces below it": prefix,
    "a filter that half of 20 fit, limit 5, two pages": filtered,
    '("a:b", "c") and ("a", "b", "c")': collision,
    "after its time to live": expired,
    "a value of 500 KB compressed": large,
}
COSTS: dict[str, Callable[[BaseStore], object]] = {
    "put, 1 KB, new": lambda store: store.put(("cost",), "new", value(1)),
    "put, 1 KB, again": lambda store: store.put(("cost",), "new", value(2)),
    "get": lambda store: store.get(("cost",), "new"),
    "search, limit 10 of 100": lambda store: store.search(("hundred",), limit=10),
    "search, filter, 100 items": lambda store: store.search(("hundred",), filter={"even": True}, limit=10),
    "search by words, 100 items": lambda store: store.search(("hundred",), query="coffee after lunch", limit=10),
    "list namespaces, 1 of 100 items": lambda store: store.list_namespaces(prefix=("hundred",)),
    "delete": lambda store: store.delete(("cost",), "new"),
}


def told(ask: Callable[[BaseStore], str], store: BaseStore) -> str:
    try:
        return ask(store)
    except Exception as error:  # noqa: BLE001 - what a peer raises is the finding
        return f"fails: {type(error).__name__}"


def cost(ask: Callable[[BaseStore], object], store: BaseStore, meter: Meter) -> str:
    meter.take()
    ask(store)
    spent = total(meter.take())
    return f"{spent.requests} requests, {spent.wcu:g} WCU, {spent.rcu:g} RCU"


def ours(url: str) -> BaseStore:
    import boto3  # noqa: PLC0415

    client = boto3.client("dynamodb", endpoint_url=url, **PLACE)
    store = DynamoDBStore(f"t{uuid.uuid4().hex}", client=client, seal_key="benchmark")
    store.setup()
    return store


def theirs(url: str) -> BaseStore:
    import boto3  # noqa: PLC0415
    from langgraph_checkpoint_aws import DynamoDBStore as Peer  # noqa: PLC0415

    store: Any = Peer(f"t{uuid.uuid4().hex}", boto3_session=boto3.Session(**PLACE), endpoint_url=url)
    store.setup()
    return store  # type: ignore[no-any-return]


def main() -> None:
    java = find_java(os.environ)
    if java is None:
        sys.exit(JAVA_MISSING)
    emulator = find_emulator(os.environ) or fetch_emulator(os.environ, print)
    with (
        tempfile.TemporaryDirectory() as folder,
        dynamodb_local(java, emulator, ["-inMemory", "-sharedDb"], log=Path(folder) / "log") as url,
        metered(url) as meter,
    ):
        stores = {"turnkeep": ours(meter.url), "langgraph-checkpoint-aws": theirs(meter.url), "memory": InMemoryStore()}
        print("|", " | ".join(["", *stores]), "|\n|", "---|" * (len(stores) + 1))
        for name, ask in FINDINGS.items():
            print(f"| {name} |", " | ".join(told(ask, store) for store in stores.values()), "|")
        del stores["memory"]
        for store in stores.values():
            for number in range(100):
                store.put(("hundred",), f"{number:02d}", value(number))
        for name, ask_for in COSTS.items():
            print(f"| {name} |", " | ".join(cost(ask_for, store, meter) for store in stores.values()), "| |")


if __name__ == "__main__":
    main()
