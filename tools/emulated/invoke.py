"""`make invoke`: one event through one function, as Lambda would run it, over the store of `turnkeep dev`. The answer
goes to standard output, what the function logs to standard error."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from emulated.bucket import serve_bucket
from emulated.sandbox import find_runtime_emulator, sandbox
from turnkeep.graphs.building import read_settings
from turnkeep.settings import Settings
from turnkeep.store.opening import LOCAL_REGION, make_table
from turnkeep_local import LocalError
from turnkeep_local.clients import dynamodb_client, open_objects
from turnkeep_local.dynamodb import Store, open_store, running_store
from turnkeep_local.home import Home, open_home, sole_server
from turnkeep_local.objects import FolderObjects
from turnkeep_local.server import local_settings

ROOT = Path(__file__).parents[2]
END_OF_PRELUDE = bytes(8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 after one clear message if something is missing."""
    parser = argparse.ArgumentParser("invoke", description=__doc__)
    parser.add_argument("function", metavar="FUNCTION", help="the name of its folder: api, stream ...")
    parser.add_argument("event", type=Path, metavar="EVENT.json", help="such as events/api-chat.json")
    options = parser.parse_args(arguments)
    try:
        invoke(options.function, options.event, os.environ)
    except LocalError as error:
        print(f"invoke: {error}", file=sys.stderr)
        return 1
    return 0


def invoke(function: str, file: Path, environ: Mapping[str, str]) -> None:
    """Print the answer; raise LocalError if something is missing, and if the function ended in an error."""
    folder, event, emulator = find_function(function), read_event(file), find_runtime_emulator(ROOT)
    home = open_home(environ)
    settings = local_settings(home, environ)
    log = home.log(f"invoke-{function}")
    with _facts(home, environ, settings) as facts:
        try:
            with sandbox(emulator, folder, facts, log=log) as call:
                answer = call(event)
        finally:
            sys.stderr.write(log.read_text(errors="replace") if log.is_file() else "")
    print(readable(answer))
    if kind := failure_of(answer):
        raise LocalError(f"The function ended in an error: {kind}")


def find_function(name: str) -> Path:
    known = sorted(file.parent.name for file in ROOT.glob("functions/*/app.py"))
    if name not in known:
        raise LocalError(f"There is no function {name}. Choose one of {', '.join(known)}.")
    return ROOT / "functions" / name


def read_event(file: Path) -> bytes:
    """Return the event in a file, after checking that it is JSON."""
    try:
        event = file.read_bytes()
    except OSError as error:
        raise LocalError(f"The event {file} cannot be read: {error.strerror}.") from error
    try:
        json.loads(event)
    except ValueError as error:
        raise LocalError(f"The event {file} is not valid JSON: {error}.") from error
    return event


def readable(answer: bytes) -> str:
    """Return status, headers and body of an answer to a request, streamed or whole; other answers unchanged."""
    prelude, is_streamed, rest = answer.partition(END_OF_PRELUDE)
    told = _parsed(prelude)
    if not isinstance(told, dict) or "statusCode" not in told:
        return _pretty(answer)
    headers = "\n".join(f"{name}: {value}" for name, value in told["headers"].items())
    body = _pretty(rest if is_streamed else told["body"].encode())
    return f"{told['statusCode']}\n{headers}\n\n{body}"


def failure_of(answer: bytes) -> str | None:
    """Return the class of the function's error, None without one."""
    told = _parsed(answer)
    return str(told["errorType"]) if isinstance(told, dict) and "errorType" in told else None


def _pretty(text: bytes) -> str:
    value = _parsed(text)
    return text.decode(errors="replace") if value is None else json.dumps(value, indent=2, ensure_ascii=False)


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@contextmanager
def _facts(home: Home, environ: Mapping[str, str], settings: Settings) -> Iterator[dict[str, str]]:
    """Yield the function's environment: this process's, and the locations of the stores, made if missing."""
    with _store(home, environ) as store, _objects_url(home, environ, settings) as s3_url:
        make_table(dynamodb_client(store, environ), settings.table_name)
        region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or LOCAL_REGION
        key = store.access_key or environ.get("AWS_ACCESS_KEY_ID") or "local"
        yield {
            **environ,
            "AWS_REGION": region,
            "AWS_DEFAULT_REGION": region,
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": environ.get("AWS_SECRET_ACCESS_KEY") or "local",
            "AWS_ENDPOINT_URL_DYNAMODB": store.url,
            "AWS_ENDPOINT_URL_S3": s3_url,
            "TABLE_NAME": settings.table_name,
            "BUCKET_NAME": settings.bucket_name,
            "SEAL_KEY": settings.seal_key.get_secret_value(),
            **_own_data(home),
        }


def _own_data(home: Home) -> dict[str, str]:
    """Return the data that was loaded into the folder, as variables."""
    own = read_settings(home.path).agents
    return {f"{each.agent}__{name}".upper(): value for each in own for name, value in each.own_data(home.path).items()}


@contextmanager
def _store(home: Home, environ: Mapping[str, str]) -> Iterator[Store]:
    """Yield the store of the server that runs for this folder, else one for this event."""
    running = running_store(home, environ)
    if running:
        yield running
        return
    with sole_server(home, "the terminal, as `make invoke`"), open_store(home, environ, _say) as store:
        yield store


@contextmanager
def _objects_url(home: Home, environ: Mapping[str, str], settings: Settings) -> Iterator[str]:
    objects = open_objects(home, environ, settings.bucket_name)
    if isinstance(objects, FolderObjects):
        with serve_bucket(objects) as url:
            yield url
    else:
        yield environ.get("AWS_ENDPOINT_URL_S3") or environ["AWS_ENDPOINT_URL"]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
