"""`turnkeep dev`: store, table, objects, cleanup, and the API on this machine's loopback address only.

The port is taken first and the database ends last, so a second start fails before it changes anything.
"""

import functools
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import uvicorn
from fastapi import FastAPI

from turnkeep.agents import read_settings
from turnkeep.api.app import create_app
from turnkeep.api.auth import local_principal
from turnkeep.api.browsers import ON_THIS_MACHINE
from turnkeep.api.loopback import serve_nodes
from turnkeep.bootstrap import build
from turnkeep.errors import StoreUnavailable
from turnkeep.graphfile import read_graph_file
from turnkeep.locations import is_location
from turnkeep.observability import guard_output, logger
from turnkeep.settings import UNUSABLE, DataSource, Settings, UnusableFile, explain
from turnkeep.storage.blobs import Objects
from turnkeep.storage.cleanup import Cleanup
from turnkeep.storage.opening import make_table
from turnkeep.storage.uploads import KeptUploads
from turnkeep.texts import printable
from turnkeep_local import LocalError
from turnkeep_local.clients import TABLE_SECONDS, dynamodb_client, open_objects
from turnkeep_local.dynamodb import Store, open_store
from turnkeep_local.home import Home, open_home, sole_server
from turnkeep_local.hosts import OwnHosts
from turnkeep_local.objects import FolderObjects
from turnkeep_local.workers import take_files

STOP_SECONDS = 15
BACKLOG = 128


def serve(environ: Mapping[str, str], port: int, config: Path | None = None) -> None:
    """Run until the process is stopped, with the graphs of the langgraph.json `config`, else the installed agents.
    Raise LocalError or UnusableGraphFile, which name the remedy."""
    signal.signal(signal.SIGTERM, stop)
    with take_port(port) as listener:
        home = open_home(environ)
        if config:
            _serve_graphs(config, home, environ, listener)
        else:
            _serve_agents(home, environ, listener)


def _serve_graphs(config: Path, home: Home, environ: Mapping[str, str], listener: socket.socket) -> None:
    from turnkeep_local.reloading import serve_folder  # noqa: PLC0415

    file = read_graph_file(config)
    if not environ.get("SEAL_KEY"):
        home.seal_key()  # before the store exists, whose threads are signed with it
    with sole_server(home, url_of(listener)), open_store(home, environ, say) as store:
        serve_folder(file, home, store, listener)


def _serve_agents(home: Home, environ: Mapping[str, str], listener: socket.socket) -> None:
    settings = local_settings(home, environ)
    _check_files(settings)
    with sole_server(home, url_of(listener)), open_store(home, environ, say) as store:
        app = assemble(settings, home, environ, store)
        log_to(home.log("requests"))
        guard_output()
        tell_warnings()
        listen(app, listener, welcome(listener, home, store, _TURNS))


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def take_port(port: int) -> socket.socket:
    """Return a listening socket, where callers wait until the server is up; raise LocalError if the port is in use."""
    listener = socket.socket()
    try:
        _bind(listener, port)
    except OSError as error:
        listener.close()
        advice = f"Stop what runs there, or choose another: turnkeep dev --port {port + 1}"
        raise LocalError(f"Port {port} cannot be used: {error.strerror}. {advice}") from error
    return listener


def _bind(listener: socket.socket, port: int) -> None:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(BACKLOG)


def local_settings(home: Home, environ: Mapping[str, str]) -> Settings:
    """Return the settings of the environment, completed from the folder; raise LocalError."""
    found = {} if environ.get("SEAL_KEY") else {"seal_key": home.seal_key()}
    try:
        settings = read_settings(home.path, **found)
    except UNUSABLE as error:
        raise LocalError(f"A setting in the environment cannot be used. {explain(error)}") from error
    if settings.model_key:
        raise LocalError("MODEL_KEY is read on AWS only. Unset it, and set OPENAI_API_KEY instead.")
    if kept_by_aws := _kept_by_aws(settings):
        raise LocalError(f"{kept_by_aws[0]} names a place of AWS, which is read there only. Set the secret itself.")
    return settings


def _kept_by_aws(settings: Settings) -> list[str]:
    """Return the settings that only name a secret's location in AWS."""
    places = {f"{own.agent}__login".upper(): own.login for own in settings.agents if isinstance(own, DataSource)}
    for own in settings.agents:
        places |= {f"{own.agent}__{name}".upper(): value.get_secret_value() for name, value in own.secrets.items()}
    return [name for name, place in places.items() if is_location(place)]


def _check_files(settings: Settings) -> None:
    """Check files at the start, while a person is watching; otherwise the first question would fail."""
    try:
        for own in settings.agents:
            own.check()
    except UnusableFile as error:
        raise LocalError(str(error)) from error


def assemble(settings: Settings, home: Home, environ: Mapping[str, str], store: Store) -> FastAPI:
    """Assemble the laptop's server: table, objects, services, one cleanup, the API."""
    make_table(dynamodb_client(store, environ, seconds=TABLE_SECONDS), settings.table_name)
    client = dynamodb_client(store, environ)
    objects = open_objects(home, environ, settings.bucket_name)
    uploads = KeptUploads(objects)
    services = build(settings, dynamodb=client, objects=objects, uploads=uploads)
    # In parallel with the server: after a week away there are thousands of hours to clean up.
    threading.Thread(target=_clean_up, args=(services.cleanup, objects), daemon=True).start()
    app = create_app(services, authenticate=local_principal)
    serve_nodes(lambda: app)
    take_files(app, services, uploads, objects)
    app.state.cors_pattern = None if settings.cors_origins else ON_THIS_MACHINE
    app.add_middleware(OwnHosts, origins=settings.cors_origins, pattern=app.state.cors_pattern)
    app.router.on_shutdown.append(functools.partial(services.runs.stop, STOP_SECONDS))
    return app


def _clean_up(cleanup: Cleanup, objects: Objects) -> None:
    try:
        cleanup.sweep()
    except StoreUnavailable:
        logger.warning("cleanup broken off")
    if isinstance(objects, FolderObjects):
        objects.sweep(time.time())


def log_to(file: Path) -> None:
    """Redirect standard output to the file: log lines and metrics are for CloudWatch, a terminal is for people."""
    with file.open("wb") as stream:
        os.dup2(stream.fileno(), sys.stdout.fileno())


def tell_warnings() -> None:
    """Print each warning of a library here once, with its text. The log, which is stored, never contains it, because it
    may quote a user."""
    log, known = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        text = f"{category.__name__}: {message}"
        if text not in known:
            known.add(text)
            log(message, category, *where, **more)
            say(f"warning: {text}")

    warnings.showwarning = show


def welcome(listener: socket.socket, home: Home, store: Store, turns: str) -> str:
    """Return the welcome; `turns` are commands to try, in which {url} becomes our URL."""
    url = url_of(listener)
    return _WELCOME.format(url=url, home=home.path, store=store.name, turns=turns.replace("{url}", url))


def listen(app: FastAPI, listener: socket.socket, told: str) -> None:
    """Serve, and print `told` once the server listens."""
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=STOP_SECONDS)
    _Server(config, lambda: say(told)).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Calls `when_up` once it listens."""

    def __init__(self, config: uvicorn.Config, when_up: Callable[[], None]):
        super().__init__(config)
        self._when_up = when_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._when_up()


def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Exit through every `finally`; uvicorn raises the signal again when it has shut down."""
    sys.exit(0)


def say(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)


_WELCOME = """
Turnkeep listens on {url}     threads: {store}, {home}

  to talk with         {url}/     or in the terminal: turnkeep chat
  LangGraph's Studio   https://smith.langchain.com/studio/?baseUrl={url}
  LangGraph's clients  {url}
  OpenAI's clients     {url}/v1
  scripts in here      DynamoDBSaver() and DynamoDBStore() use this store
  Any key will do here, and none is looked at.

{turns}
  every route: {url}/openapi.json        one line for each request: {home}/requests.log        stop: Ctrl-C
"""
_TURNS = """  a turn, which starts a thread called "first"
    curl -s {url}/chat --json '{"session_id": "first", "message": "Explain low-rank adaptation"}'
  a follow-up: the server knows what was said, after a restart too
    curl -s {url}/chat --json '{"session_id": "first", "message": "What problem does it solve?"}'
  the same way, as it is written
    curl -sN {url}/chat/stream --json '{"session_id": "first", "message": "Summarise that in a sentence"}'
  what was said
    curl -s {url}/threads/first/turns
"""
