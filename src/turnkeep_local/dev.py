"""`turnkeep dev`: the server on this machine's loopback address. The port is taken first and the database ends last, so
a second start fails before it changes anything."""

import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from turnkeep.graphfile import read_graph_file
from turnkeep.observability import guard_output
from turnkeep_local import LocalError
from turnkeep_local.dynamodb import open_store
from turnkeep_local.home import Home, open_home, sole_server
from turnkeep_local.reloading import serve_folder
from turnkeep_local.server import assemble, listen, local_settings, report, stop, url_of
from turnkeep_local.welcome import chat_commands, welcome

BACKLOG = 128


def serve(environ: Mapping[str, str], port: int, config: Path | None = None) -> None:
    """Run until the process is stopped, with the graphs of the langgraph.json `config`, else the installed agents.
    Raise LocalError, UnusableFile or UnusableGraphFile, which contain the remedy."""
    signal.signal(signal.SIGTERM, stop)
    with take_port(port) as listener:
        home = open_home(environ)
        if not config:
            _serve_agents(home, environ, listener)
            return
        file = read_graph_file(config)
        if not environ.get("SEAL_KEY"):
            home.seal_key()  # before the store exists, whose threads are signed with it
        with sole_server(home, url_of(listener)), open_store(home, environ, report) as store:
            serve_folder(file, home, store, listener)


def _serve_agents(home: Home, environ: Mapping[str, str], listener: socket.socket) -> None:
    settings = local_settings(home, environ)
    for own in settings.agents:
        own.check()  # now, while a person is watching; otherwise the first question would fail
    with sole_server(home, url_of(listener)), open_store(home, environ, report) as store:
        app = assemble(settings, home, environ, store)
        with home.log("requests").open("wb") as log:
            os.dup2(log.fileno(), sys.stdout.fileno())  # log lines and metrics are for CloudWatch
        guard_output()
        commands = chat_commands(settings.default_agent, "Explain low-rank adaptation", "What problem does it solve?")
        listen(app, listener, welcome(url_of(listener), home, store, commands))


def take_port(port: int) -> socket.socket:
    """Return a listening socket, where callers wait until the server is up; raise LocalError if the port is in use."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so that asyncio sets TCP_NODELAY
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        advice = f"Stop the other process, or choose another port: turnkeep dev --port {port + 1}"
        raise LocalError(f"Port {port} cannot be used: {error.strerror}. {advice}") from error
    listener.listen(BACKLOG)
    return listener
