"""What the tests run beside Python, from the registry of npm: Node with the clients' packages, and a headless Chromium
for Playwright. `make .tools/clients/ready` brings them; a test that lacks them fails."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

TOOLS = Path(__file__).parents[1] / ".tools"
CLIENTS = TOOLS / "clients"
NODE = TOOLS / "node" / "bin" / "node"
MODULES = CLIENTS / "node_modules"
MISSING = "is missing: `make .tools/clients/ready` fetches Node, the clients' packages and Chromium"
OWN_CHROMIUM = CLIENTS / "chromium" / "chromium"
OF_THE_MACHINE = ("chromium", "chromium-browser", "google-chrome")


def module(name: str) -> Path:
    """A file of a package, such as "axe-core/axe.min.js"."""
    path = MODULES / name
    if not path.exists():
        raise FileNotFoundError(f"{path} {MISSING}")
    return path


def node() -> str:
    if not NODE.exists():
        raise FileNotFoundError(f"{NODE} {MISSING}")
    return str(NODE)


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Playwright's browser; `browser.new_page()` has a profile of its own."""
    program, environ = _program()
    arguments = ["--no-sandbox", "--disable-dev-shm-usage", *flags]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments, env=environ)
        try:
            yield browser
        finally:
            browser.close()


def _program() -> tuple[str, dict[str, str | float | bool]]:
    """The package's, made for x86-64 Linux, before that of the machine."""
    if OWN_CHROMIUM.exists() and os.uname().sysname == "Linux" and os.uname().machine == "x86_64":
        folder = OWN_CHROMIUM.parent
        own = {"FONTCONFIG_FILE": str(folder / "fonts.conf"), "LD_LIBRARY_PATH": str(folder / "al2023" / "lib")}
        return str(OWN_CHROMIUM), {**os.environ, **own}
    for name in OF_THE_MACHINE:
        if found := shutil.which(name):
            return found, {**os.environ}
    raise FileNotFoundError(f"{OWN_CHROMIUM} {MISSING}")
