"""Serves a bundled page on its own origin, as an application would."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import environ
from pathlib import Path

from browser import MODULES, module, node

HERE = Path(__file__).parent
DOCUMENT = '<!doctype html><meta charset="utf-8"><div id="chat"></div><script type="module" src="page.js"></script>'


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def bundle(source: str, folder: Path) -> None:
    command = [node(), str(module("esbuild/bin/esbuild")), str(HERE / source), "--bundle", "--format=esm"]
    command += [f"--outfile={folder / 'page.js'}", '--define:process.env.NODE_ENV="production"', "--log-level=error"]
    subprocess.run(command, env={**environ, "NODE_PATH": str(MODULES)}, check=True)
    (folder / "index.html").write_text(DOCUMENT)


@contextmanager
def page_of(source: str, folder: Path) -> Iterator[str]:
    """Yield the URL."""
    bundle(source, folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
