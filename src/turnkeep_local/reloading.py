"""`turnkeep dev` over a langgraph.json. This process owns the port, the folder and the store; a worker process serves
the graphs and is replaced when a file changes. A worker that dies is replaced immediately. If it died while loading the
graphs, its successor answers 503 until a file changes."""

import ctypes
import functools
import json
import logging
import os
import signal
import socket
import threading
import traceback
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import uvicorn

from turnkeep.api.errors import respond
from turnkeep.errors import AgentUnavailable
from turnkeep.graphfile import GraphFile, UnusableGraphFile, read_graph_file
from turnkeep_local import LocalError
from turnkeep_local.dynamodb import Store
from turnkeep_local.home import Home
from turnkeep_local.server import STOP_SECONDS, assemble, listen, local_settings, say, stop, welcome

if TYPE_CHECKING:
    from turnkeep.agents import Agent

APART = (".venv", "venv", ".turnkeep", ".aws-sam", "node_modules")
_END_SECONDS = 2 * STOP_SECONDS + 5
"""Time for a worker to end its turns before it is killed."""
_LOOK_MS = 500
"""Pause between two checks of the worker."""
_FRAMES = 4
_EXAMPLES = {"string": "...", "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
_PLAIN = vars(logging.makeLogRecord({})).keys() | {"message", "taskName"}


def serve_folder(file: GraphFile, home: Home, store: Store, listener: socket.socket) -> None:
    """Serve until the process is stopped."""
    from uvicorn.supervisors.watchfilesreload import WatchFilesReload  # noqa: PLC0415 - other starts do not need it
    from watchfiles import watch  # noqa: PLC0415

    class Reload(WatchFilesReload):
        def should_restart(self) -> list[Path] | None:
            changes = super().should_restart()
            if not changes and not self.process.is_alive():
                self.replace_dead(_ending(self.process.exitcode or 0))
            return changes

        def replace_dead(self, ending: str) -> None:
            if loaded.value:
                say(f"error: The process that served the graphs died ({ending}). Another takes its place.")
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
    beside = [file.path.name, *([Path(file.env).name] if isinstance(file.env, str) else [])]
    apart = [str(folder / name) for folder in folders for name in APART if (folder / name).is_dir()]
    watched: Any = {"reload_dirs": list(map(str, folders)), "reload_includes": beside, "reload_excludes": apart}
    config = uvicorn.Config("turnkeep", reload=True, log_level="warning", **watched)
    loaded = get_context("spawn").RawValue(ctypes.c_bool)  # no lock, which a dying worker could leave locked
    serve = functools.partial(_serve, file.path, home, store, loaded)
    reload = Reload(config, target=serve, sockets=[listener])
    how: Any = {"watch_filter": None, "yield_on_timeout": True, "ignore_permission_denied": True}
    reload.watcher = watch(*folders, stop_event=reload.should_exit, rust_timeout=_LOOK_MS, **how)
    reload.run()


def _ending(code: int) -> str:
    """Return "SIGSEGV" or "exit code 3", for example."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


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
    _tell_here(home.log("requests").open("a" if again else "w"))
    try:
        file = read_graph_file(path)
        file.use(over=True)
        settings = local_settings(home, os.environ)
        for warning in file.warnings:
            say(f"warning: {warning}")
        from turnkeep.owngraphs import build_all  # noqa: PLC0415 - LangGraph reads what `use` has set

        agents, faults = build_all(file)
        for fault in faults:
            say(f"error: {fault}")
        app = assemble(settings, home, os.environ, store)
    except (LocalError, UnusableGraphFile) as error:
        _refuse(str(error), sockets[0])
        return
    loaded.value = True
    listen(app, sockets[0], "The change is served." if again else welcome(sockets[0], home, store, _turns(agents)))


def _refuse(reason: str, listener: socket.socket) -> None:
    """Answer every request with 503 and the reason."""
    say(f"turnkeep: {reason}\n  Fix the file to start serving; changes are picked up automatically.")
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
            return say("".join(lines).rstrip())
        more = ", ".join(f"{name}={value}" for name, value in vars(record).items() if name not in _PLAIN)
        say(f"{record.levelname.lower()}: {record.getMessage()}" + f" ({more})" * bool(more))
        return None


def _tell_here(log: TextIO) -> None:
    """Write only our own lines into the log: the graphs' own output belongs in the terminal."""
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    ours, raised = logging.getLogger("turnkeep"), logging.getLogger("graph_errors")
    cast("logging.StreamHandler[TextIO]", ours.handlers[0]).setStream(log)
    ours.addHandler(_Terminal(logging.WARNING))
    raised.propagate = False
    raised.setLevel(logging.DEBUG)
    raised.addHandler(_Terminal())


def _turns(agents: dict[str, "Agent"]) -> str:
    """Return the welcome's commands that try the first graph."""
    if not agents:
        return "  no graph can be served; mend one of those above\n"
    name, agent = next(iter(agents.items()))
    others = f"     graphs: {', '.join(agents)}" if len(agents) > 1 else ""
    if agent.message is None:
        body = {"assistant_id": name, "if_not_exists": "create", "input": _example(agent.graph.get_input_jsonschema())}
        return _RUN.format(name=name, others=others, body=json.dumps(body))
    return _CHAT.format(name=name, others=others)


def _example(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a value for each required field of the input; if there are none, for every field."""
    fields: dict[str, Any] = schema.get("properties", {})
    return {name: _EXAMPLES.get(fields[name].get("type")) for name in schema.get("required") or fields}


_CHAT = """  a turn of the graph "{name}", which starts a thread called "first"{others}
    curl -s {{url}}/chat --json '{{"session_id": "first", "message": "Hello"}}'
  a follow-up: the server knows what was said, after a restart and a change of the graph too
    curl -s {{url}}/chat --json '{{"session_id": "first", "message": "What did I say?"}}'
  the same way, as it is written
    curl -sN {{url}}/chat/stream --json '{{"session_id": "first", "message": "And now?"}}'
"""
_RUN = """  a run of the graph "{name}", which starts a thread called "first"{others}
    curl -s {{url}}/threads/first/runs/wait --json '{body}'
  its state
    curl -s {{url}}/threads/first/state
"""
