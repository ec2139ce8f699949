"""Our saver, bare, beside the two that exist: what LangGraph asks of one, what a turn costs by AWS's rules, a state
past 400 KB, and two writers of one thread. Last line: JSON.

    python benchmarks/savers.py --data ../shared/data
    python benchmarks/savers.py --cpu   milliseconds of CPU of this process for a `put` and a `get_tuple`, in rounds
"""

import argparse
import asyncio
import json
import os
import secrets
import statistics
import time
import uuid
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance.initializer import RegisteredCheckpointer
from langgraph.checkpoint.conformance.report import ProgressCallbacks
from langgraph.checkpoint.conformance.validate import validate
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

import six_nodes
from metering import metered, total
from peers import AWS, DYNAMODB, KEY, REGION, create_tables
from subjects import client, store
from texts import DEFAULT_DATA, prose_or_exit
from turnkeep import DynamoDBSaver
from turnkeep.records import JSON
from turnkeep.store.opening import make_table

if TYPE_CHECKING:
    from metering import Meter

Make: TypeAlias = Callable[[str, str], Any]
"""From the URL of a store and the name of a table to a saver."""
TURNS = (1, 10, 100)
LARGE_BYTES = 50_000
PAIRS, ROUNDS = 20, 15


def ours(url: str, table: str) -> Any:
    return DynamoDBSaver(table, client=client(url), seal_key=KEY)


def aws(url: str, table: str) -> Any:
    import boto3  # noqa: PLC0415
    from langgraph_checkpoint_aws import DynamoDBSaver as AwsSaver  # noqa: PLC0415

    return AwsSaver(f"{table}-aws", session=boto3.Session(KEY, KEY, region_name=REGION), endpoint_url=url)


def card(url: str, table: str) -> Any:
    from langgraph_checkpoint_dynamodb.saver import DynamoDBSaver as CardSaver  # noqa: PLC0415

    place = {"endpoint_url": url, "region_name": REGION, "aws_access_key_id": KEY, "aws_secret_access_key": KEY}
    names = {"checkpoints_table_name": f"{table}-aws-checkpoints", "writes_table_name": f"{table}-aws-writes"}
    return CardSaver(client_config=place, **names)


SAVERS: dict[str, Make] = {
    "turnkeep": ours,
    AWS.replace("==", " "): aws,
    DYNAMODB.replace("==", " "): card,
}


def new_tables(url: str) -> str:
    name = f"savers-{uuid.uuid4().hex}"
    make_table(client(url), name)
    create_tables(client(url), f"{name}-aws")
    return name


def conformance(make: Make, url: str, table: str) -> str:
    async def factory() -> AsyncGenerator[Any, None]:
        yield make(url, table)

    results: list[bool] = []
    heard = ProgressCallbacks(on_test_result=lambda suite, test, passed, error: results.append(passed))
    asyncio.run(validate(RegisteredCheckpointer("it", factory), progress=heard))
    return f"{sum(results)} of {len(results)}"


def costs(make: Make, durability: Any, meter: "Meter", table: str, data: Path) -> dict[str, JSON | str]:
    """Requests, WCU and RCU of some turns; each turn is a process of its own, as far as the saver knows."""
    texts, found = prose_or_exit(data), dict[str, JSON | str]()
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    for number in range(1, max(TURNS) + 1):
        graph = six_nodes.build(texts).compile(checkpointer=make(meter.url, table))
        given: Any = {**six_nodes.new_turn(), "messages": [HumanMessage(texts.message())]}
        meter.take()
        try:
            graph.invoke(given, config, durability=durability)
        except Exception as error:  # noqa: BLE001 - whatever stops a saver is the finding
            found[f"turn {number}"] = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
            break
        if number in TURNS:
            cost = total(meter.take())
            found[f"turn {number}"] = {"requests": cost.requests, "wcu": cost.wcu, "rcu": cost.rcu}
    return found


class Grown(TypedDict):
    kept: Annotated[list[str], lambda old, new: [*old, *new]]


def large(make: Make, url: str, table: str) -> str:
    """How large a state becomes that grows by 50 KB a turn."""
    graph = StateGraph(Grown)
    graph.add_node("keep", lambda state: {})
    graph.add_edge(START, "keep")
    run = graph.compile(checkpointer=make(url, table))
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    for number in range(1, 25):
        try:
            run.invoke({"kept": [secrets.token_hex(LARGE_BYTES // 2)]}, config, durability="exit")
        except Exception as error:  # noqa: BLE001
            return f"dead at {number * LARGE_BYTES // 1000} KB: {type(error).__name__}"
    state = graph.compile(checkpointer=make(url, table)).get_state(config)
    return f"{sum(len(each) for each in state.values['kept']) // 1000} KB, read back"


def writers(make: Make, url: str, table: str) -> str:
    """Two that read the same state, and write one after the other."""
    graph = StateGraph(Grown)
    graph.add_node("keep", lambda state: {})
    graph.add_edge(START, "keep")
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}}
    one, two = (graph.compile(checkpointer=make(url, table)) for _ in range(2))
    one.invoke({"kept": ["zero"]}, config)
    saver: Any = two.checkpointer
    stale = saver.get_tuple(config)
    one.invoke({"kept": ["one"]}, config, durability="exit")
    values = {"kept": ["zero", "two"]}
    late: Any = {**stale.checkpoint, "id": f"9{stale.checkpoint['id'][1:]}", "channel_values": values}
    version = stale.checkpoint["channel_versions"]["kept"]
    late["channel_versions"] = {"kept": saver.get_next_version(version, None)}
    try:
        saver.put(stale.config, late, {"source": "loop", "step": 9}, late["channel_versions"])
    except Exception as error:  # noqa: BLE001
        return f"the second is told: {type(error).__name__}"
    kept = graph.compile(checkpointer=make(url, table)).get_state(config).values["kept"]
    return "both kept" if {"one", "two"} <= set(kept) else f"silently lost: {sorted({'one', 'two'} - set(kept))[0]}"


def by_environment(url: str, table: str) -> Any:
    """Ours as it opens its own client."""
    place = {"AWS_ENDPOINT_URL_DYNAMODB": url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY}
    os.environ |= {**place, "AWS_DEFAULT_REGION": REGION}
    return DynamoDBSaver(table, seal_key=KEY)


def block(saver: Any) -> float:
    """CPU ms for one `put` and the `get_tuple` after it: a new thread of 20 checkpoints with 2 KB of text each."""
    config: Any = {"configurable": {"thread_id": uuid.uuid4().hex, "checkpoint_ns": ""}}
    given, began = config, time.process_time()
    for step in range(PAIRS):
        version = saver.get_next_version(None, None)
        made = {**empty_checkpoint(), "channel_values": {"text": secrets.token_hex(1000)}}
        made |= {"channel_versions": {"text": version}}
        given = saver.put(given, made, {"source": "loop", "step": step}, {"text": version})
        assert saver.get_tuple(config).checkpoint["id"] == made["id"]
    return 1000 * (time.process_time() - began) / PAIRS


def cpu(url: str) -> dict[str, list[float]]:
    """Least, median and most of each saver. They take turns, so that a busy machine is busy for all."""
    table = new_tables(url)
    made: dict[str, Make] = {"turnkeep": by_environment, "turnkeep, client=": ours, **dict(list(SAVERS.items())[1:2])}
    savers, found = {name: make(url, table) for name, make in made.items()}, {name: list[float]() for name in made}
    for number in range(1 + ROUNDS):
        for name, saver in savers.items():
            spent = block(saver)
            found[name] += [spent] if number else []  # the first one loads modules
    return {name: [round(each, 2) for each in (min(f), statistics.median(f), max(f))] for name, f in found.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(description="Three savers on DynamoDB, side by side.")
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA)
    arguments.add_argument("--only", choices=sorted(SAVERS))
    arguments.add_argument("--cpu", action="store_true")
    options = arguments.parse_args()
    if options.cpu:
        with store() as url:
            print(json.dumps(cpu(url)))
        return
    report: dict[str, JSON] = {}
    with store() as url, metered(url) as meter:
        for name, make in SAVERS.items():
            if options.only in (None, name):
                table = new_tables(url)
                report[name] = {"conformance": conformance(make, url, table)}
                report[name] |= {"large": large(make, url, table), "two writers": writers(make, url, table)}
                for durability in ("async", "exit"):
                    report[name][durability] = costs(make, durability, meter, table, options.data)
                print(name, json.dumps(report[name], indent=1), flush=True)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
