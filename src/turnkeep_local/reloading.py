"""`turnkeep dev` over a langgraph.json. This process owns the port, the folder and the store; a worker process serves
the graphs and is replaced when a file changes. A worker that dies is replaced immediately. If it died while loading the
graphs, its successor answers 503 until a file changes."""

import ctypes
import functools
import logging
import os
import signal
import socket
import threading
import traceback
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, TextIO, cast

import uvicorn

from turnkeep.errors import AgentUnavailable
from turnkeep.graphfile import GraphFile, UnusableGraphFile, read_graph_file
from turnkeep.http.errors import respond
from turnkeep_local import LocalError
from turnkeep_local.dynamodb import Store
from turnkeep_local.home import Home
from turnkeep_local.server import STOP_SECONDS, assemble, listen, local_settings, report, stop, url_of
from turnkeep_local.welcome import commands_of, welcome

NOT_WATCHED = (".venv", "venv", ".turnkeep", ".aws-sam", "node_modules")
_END_SECONDS = 2 * STOP_SECONDS + 5
"""Time for a worker to end its turns before it is killed."""
_CHECK_MS = 500
"""Pause between two checks of the worker."""
_FRAMES = 4
_PLAIN = vars(logging.makeLogRecord({})).keys() | {"message", "taskName"}


def serve_folder(file: GraphFile, home: Home, store: Store, listener: socket.socket) -> None:
    """Serve until the process is stopped."""
    from uvicorn.supervisors.watchfilesreload import WatchFilesReload  # noqa: PLC0415 - other starts do not need it
    from watchfiles import watch  # noqa: PLC0415

    class Reload(WatchFilesReload):
        def should_restart(self) -> list[Path] | None:
            changes = super().should_restart()
            if not changes and not self.process.is_alive():
                code = self.process.exitcode or 0
                self.replace_dead(signal.Signals(-code).name if code < 0 else f"exit code {code}")
            return changes

        def replace_dead(self, ending: str) -> None:
            if loaded.value:
                report(f"error: The process that served the graphs died ({ending}). It is replaced.")
                self.restart()
            else:
                self.restart(f"The process that loads the graphs of {file.path} died ({ending}).")

        def restart(self, refusal: str = "") -> None:
            self.end_worker()
            loaded.value = False
            self.target = functools.partial(serve, again=True, refusal=refusal)
            super().restart()

        def shutdown(self) -> None:
            self.end_worker()
            super().shutdown()

        def end_worker(self) -> None:
            self.process.terminate()
            self.process.join(_END_SECONDS)
            self.process.kill()

    os.environ["TURNKEEP_GRAPHS"] = str(file.path)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")  # output of graphs appears immediately
    folders = file.folders()
    names = [file.path.name, *([Path(file.env).name] if isinstance(file.env, str) else [])]
    others = [str(folder / name) for folder in folders for name in NOT_WATCHED if (folder / name).is_dir()]
    watched: Any = {"reload_dirs": list(map(str, folders)), "reload_includes": names, "reload_excludes": others}
    config = uvicorn.Config("turnkeep", reload=True, log_level="warning", **watched)
    loaded = get_context("spawn").RawValue(ctypes.c_bool)  # no lock, which a dying worker could leave locked
    serve = functools.partial(_serve, file.path, home, store, loaded)
    reload = Reload(config, target=serve, sockets=[listener])
    how: Any = {"watch_filter": None, "yield_on_timeout": True, "ignore_permission_denied": True}
    reload.watcher = watch(*folders, stop_event=reload.should_exit, rust_timeout=_CHECK_MS, **how)
    reload.run()


def _serve(
    path: Path,
    home: Home,
    store: Store,
    loaded: ctypes.c_bool,
    sockets: list[socket.socket],
    *,
    again: bool = False,
    refusal: str = "",
) -> None:
    """Serve in a separate process, which reads everything again."""
    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if refusal:
        _refuse(refusal, sockets[0])
        return
    _redirect_logs(home.log("requests").open("a" if again else "w"))
    try:
        file = read_graph_file(path)
        file.use(over=True)
        settings = local_settings(home, os.environ)
        for warning in file.warnings:
            report(f"warning: {warning}")
        from turnkeep.graphs.own import build_all  # noqa: PLC0415 - LangGraph reads what `use` has set

        graphs, faults = build_all(file)
        for fault in faults:
            report(f"error: {fault}")
        app = assemble(settings, home, os.environ, store)
    except (LocalError, UnusableGraphFile) as error:
        _refuse(str(error), sockets[0])
        return
    loaded.value = True
    message = "The change is served." if again else welcome(url_of(sockets[0]), home, store, commands_of(graphs))
    listen(app, sockets[0], message)


def _refuse(reason: str, listener: socket.socket) -> None:
    """Answer every request with 503 and the reason."""
    report(f"turnkeep: {reason}\n  Fix the file to start serving; changes are picked up automatically.")
    uvicorn.run(respond(AgentUnavailable(reason)), fd=listener.fileno(), log_level="critical")


def _end_with_parent() -> None:
    parent = parent_process()
    if parent:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


class _Terminal(logging.Handler):
    """Prints problems to the terminal; everything else is in the log."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and (error := record.exc_info[1]):
            lines = traceback.format_exception(type(error), error, error.__traceback__, limit=-_FRAMES)
            return report("".join(lines).rstrip())
        more = ", ".join(f"{name}={value}" for name, value in vars(record).items() if name not in _PLAIN)
        report(f"{record.levelname.lower()}: {record.getMessage()}" + f" ({more})" * bool(more))
        return None


def _redirect_logs(log: TextIO) -> None:
    """Write only our own lines into the log: the graphs' own output belongs in the terminal."""
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    ours, raised = logging.getLogger("turnkeep"), logging.getLogger("graph_errors")
    cast("logging.StreamHandler[TextIO]", ours.handlers[0]).setStream(log)
    ours.addHandler(_Terminal(logging.WARNING))
    raised.propagate = False
    raised.setLevel(logging.DEBUG)
    raised.addHandler(_Terminal())
