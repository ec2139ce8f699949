"""The local server: table, objects, cleanup and the API."""

import functools
import socket
import sys
import threading
import time
from collections.abc import Mapping
from types import FrameType
from typing import NoReturn

import uvicorn
from botocore.config import Config
from fastapi import FastAPI

from turnkeep.bootstrap import build, store_config
from turnkeep.errors import StoreUnavailable
from turnkeep.graphs.building import read_settings
from turnkeep.http.app import create_app
from turnkeep.http.auth import local_principal
from turnkeep.http.edge import ON_THIS_MACHINE
from turnkeep.http.loopback import serve_nodes
from turnkeep.observability import logger
from turnkeep.settings import UNUSABLE, DataSource, Settings, explain, is_location
from turnkeep.store.blobs import Objects
from turnkeep.store.cleanup import Cleanup
from turnkeep.store.opening import make_table
from turnkeep.store.uploads import KeptUploads
from turnkeep.texts import printable
from turnkeep_local import LocalError
from turnkeep_local.clients import dynamodb_client, open_objects, open_session
from turnkeep_local.deployment import explained
from turnkeep_local.dynamodb import Store
from turnkeep_local.home import Home
from turnkeep_local.hosts import OwnHosts
from turnkeep_local.objects import FolderObjects
from turnkeep_local.workers import take_files

STOP_SECONDS = 15


def local_settings(home: Home, environ: Mapping[str, str]) -> Settings:
    """Return the settings of the environment, completed from the folder; raise LocalError."""
    found = {} if environ.get("SEAL_KEY") else {"seal_key": home.seal_key()}
    try:
        settings = read_settings(home.path, **found)
    except UNUSABLE as error:
        raise LocalError(f"A setting in the environment is invalid. {explain(error)}") from error
    if settings.model_key:
        raise LocalError("MODEL_KEY is read on AWS only. Unset it, and set OPENAI_API_KEY instead.")
    for own in settings.agents:
        values = {name: value.get_secret_value() for name, value in own.secrets.items()}
        values |= {"login": own.login} if isinstance(own, DataSource) else {}
        for name, value in values.items():
            if is_location(value):
                variable = f"{own.agent}__{name}".upper()
                raise LocalError(f"{variable} is a location in AWS, which is read there only. Set the secret itself.")
    return settings


def assemble(settings: Settings, home: Home, environ: Mapping[str, str], store: Store) -> FastAPI:
    """Build the app over the local store, and clean up once in the background."""
    with explained():
        make_table(dynamodb_client(store, environ), settings.table_name)
        objects = open_objects(home, environ, settings.bucket_name)
    session, config = open_session(store, environ), Config(**store_config(settings))
    client = session.client("dynamodb", endpoint_url=store.url, config=config)
    uploads = KeptUploads(objects)
    services = build(settings, dynamodb=client, credentials=session.get_credentials(), objects=objects, uploads=uploads)
    # In parallel with the server: after a week away there are thousands of hours to clean up.
    threading.Thread(target=_clean_up, args=(services.cleanup, objects), daemon=True).start()
    app = create_app(services, authenticate=local_principal)
    serve_nodes(lambda: app)
    take_files(app, services, uploads, objects)
    app.state.cors_pattern = None if app.state.cors_origins else ON_THIS_MACHINE
    app.add_middleware(OwnHosts, origins=app.state.cors_origins, pattern=app.state.cors_pattern)
    app.router.on_shutdown.append(functools.partial(services.runs.stop, STOP_SECONDS))
    return app


def _clean_up(cleanup: Cleanup, objects: Objects) -> None:
    try:
        cleanup.sweep()
    except StoreUnavailable:
        logger.warning("cleanup interrupted")
    if isinstance(objects, FolderObjects):
        objects.sweep(time.time())


def listen(app: FastAPI, listener: socket.socket, message: str) -> None:
    """Serve, and print the message at the start."""
    app.router.on_startup.append(lambda: report(message))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=STOP_SECONDS)
    uvicorn.Server(config).run(sockets=[listener])


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Exit through every `finally`; uvicorn raises the signal again when it has shut down."""
    sys.exit(0)


def report(line: str) -> None:
    """Print a line for the person at the terminal."""
    print(printable(line), file=sys.stderr, flush=True)
