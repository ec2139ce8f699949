"""Serves a bundled page of a chat on its own origin, as an application would, and writes in it."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import environ
from pathlib import Path

from playwright.sync_api import Page, expect

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


def send(page: Page, text: str) -> None:
    page.locator("input").fill(text)
    page.locator("input").press("Enter")


def idle(page: Page) -> None:
    expect(page.locator("main")).to_have_attribute("data-state", "idle", timeout=20_000)
