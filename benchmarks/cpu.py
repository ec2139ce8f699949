"""CPU time of the server a turn, of three kinds of requests, beside an earlier checkout: both servers share a DynamoDB
Local in memory, and answer blocks of 25 turns by turns. Prints medians, and the ratio of neighbouring blocks. Last
line: JSON.

    python benchmarks/cpu.py --data ../shared/data --before ../earlier     an earlier checkout with its .venv
    python benchmarks/cpu.py --data ../shared/data --quick                 two short blocks of this one
"""

import argparse
import http.client
import json
import statistics
import tempfile
import uuid
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from servers import TREE, Server, turnkeep_dev
from subjects import store
from texts import DEFAULT_DATA, prose_or_exit

PAIRS, TURNS = 20, 25
Post = Callable[[str, dict[str, Any]], bytes]


def json_turn(post: Post, thread: str, message: str) -> None:
    answer = json.loads(post("/chat", {"session_id": thread, "message": message, "agent": "six"}))
    assert answer["persisted"], answer


def streamed_turn(post: Post, thread: str, message: str) -> None:
    assert b"event: complete" in post("/chat/stream", {"session_id": thread, "message": message, "agent": "six"})


def waited_run(post: Post, thread: str, message: str) -> None:
    given = {"messages": [{"role": "user", "content": message}]}
    body = {"assistant_id": "six", "input": given, "if_not_exists": "create"}
    assert json.loads(post(f"/threads/{thread}/runs/wait", body))["messages"]


KINDS = {"JSON": json_turn, "stream": streamed_turn, "runs/wait": waited_run}


def block(server: Server, kind: str, message: str, turns: int) -> float:
    """Return milliseconds of CPU a turn, ten turns a thread."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:

        def post(path: str, body: dict[str, Any]) -> bytes:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{server.name} answered {answer.status}: {text[:200]!r}")
            return text

        threads = [uuid.uuid4().hex for _ in range(0, turns, 10)]
        begun = server.cpu_seconds()
        for number in range(turns):
            KINDS[kind](post, threads[number // 10], message)
        return 1000 * (server.cpu_seconds() - begun) / turns


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=DEFAULT_DATA)
    arguments.add_argument("--before", type=Path, help="a checkout to compare with")
    arguments.add_argument("--quick", action="store_true")
    options = arguments.parse_args()
    data, found = options.data.resolve(), {}
    message = prose_or_exit(data).message()
    pairs, turns = (1, 10) if options.quick else (PAIRS, TURNS)
    with ExitStack() as stack:
        url = stack.enter_context(store())
        servers = list[Server]()
        for tree in (TREE, options.before.resolve()) if options.before else (TREE,):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            servers.append(stack.enter_context(turnkeep_dev(data, folder, tree=tree, dynamodb_url=url)))
        for kind in KINDS:
            for server in servers:
                block(server, kind, message, 2 * turns)  # warms up
            pairs_of_kind = [[block(server, kind, message, turns) for server in servers] for _ in range(pairs)]
            medians = [round(statistics.median(each), 1) for each in zip(*pairs_of_kind, strict=True)]
            found[kind] = {"cpu_ms": medians[0]}
            if options.before:
                ratios = [ours / theirs for ours, theirs in pairs_of_kind]
                low, middle, high = (round(each, 2) for each in statistics.quantiles(ratios, n=4))
                found[kind] |= {"before_ms": medians[1], "ratio": middle, "quartiles": [low, high]}
            print(f"{kind:12}", found[kind], flush=True)
    print(json.dumps({"benchmark": "cpu", "kinds": found}))


if __name__ == "__main__":
    main()
