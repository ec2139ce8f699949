"""Any bad argument, file, folder or address ends a command with one sentence and exit code 1, or 2 with the usage."""

import argparse
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnkeep import __version__
from turnkeep_local.cli import _parser, main
from turnkeep_local.processes import free_port

COMMAND = [sys.executable, "-m", "turnkeep_local.cli"]
FULL = Path("/dev/full")
UNREACHABLE = "AWS cannot be used: Could not connect to the endpoint URL"
PROXIES = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
EXCEPTED = ("", "localhost", "127.0.0.0/8")
# Of files and folders; those that exist are made in `place`.
PATHS = [
    *("missing", "file", "bytes", "folder", "dangling", "loop", "empty", "list.json", "deep.json", "rows.jsonl", ""),
    *(".", "file/under", "x" * 300, "/".join(["y" * 200] * 30), "/dev/null", "/proc/self/mem", "\udcff.json"),
]
TEXTS = [
    *("", "x", "-1", "\udce9", "a b", "é" * 1000, "x" * 70_000, "9" * 20, "a/b", "$(x)", "two\nlines", "://"),
    *("http://127.0.0.1:1", "http://[", "sqlite:////nowhere/a.db", "mysql://u:p@127.0.0.1:1/x", "sqlite:///bytes"),
]
HOMES = [
    *("file", "/dev/null", "/dev/null/x", "/proc/nope", "dangling", "loop", "file/x", "z" * 300, "\udcff/", "damaged")
]
ENVIRONMENTS: list[dict[str, str]] = [
    *({"TURNKEEP_HOME": home} for home in HOMES),
    *({"AWS_ENDPOINT_URL": url} for url in ("http://[", "nonsense", "http://a b")),
    *({"AWS_REGION": region} for region in ("", "no such region", "\udcff")),
    *({"TABLE_NAME": name} for name in ("x" * 400, "a b")),
    *({"AWS_PROFILE": "nosuch"}, {"AWS_CONFIG_FILE": "bytes"}, {"SEAL_KEY": "a\nb"}, {"MODEL": "x"}, {"PORT": "x"}),
    *({"DATABASE__URL": "nosuch://x"}, {"DATABASE__JOINS": "bytes"}),
]


def leaves(
    parser: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[argparse.Action]]]:
    """Yield each command with its arguments."""
    inner = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not inner:
        yield path, [each for each in parser._actions if each.dest not in ("help", "version")]
    for name, below in inner[0].choices.items() if inner else ():
        yield from leaves(below, (*path, name))


COMMANDS = dict(leaves(_parser()))


def value_of(action: argparse.Action) -> st.SearchStrategy[str]:
    if action.type is Path:
        return st.sampled_from(PATHS)
    usual = st.sampled_from(TEXTS)
    return st.one_of(usual, st.sampled_from(sorted(map(str, action.choices)))) if action.choices else usual


@st.composite
def invocation(draw: st.DrawFn) -> tuple[list[str], dict[str, str]]:
    """A command that cannot succeed, or has nothing to do. A laptop's server never starts: its folder is unusable."""
    path = draw(st.sampled_from(sorted(COMMANDS)))
    arguments = list(path)
    for action in COMMANDS[path]:
        if action.nargs == 0:
            arguments += draw(st.sampled_from([[], action.option_strings[:1]]))
        elif action.required or not action.option_strings or draw(st.booleans()):
            arguments += [*action.option_strings[-1:], draw(value_of(action))]
    environ = draw(st.sampled_from([{}, *ENVIRONMENTS]))
    return arguments, environ | ({"TURNKEEP_HOME": draw(st.sampled_from(HOMES))} if path == ("dev",) else {})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    (folder / "folder").mkdir()
    (folder / "dangling").symlink_to("nowhere/deep")
    (folder / "loop").symlink_to("loop")
    (folder / "damaged").mkdir()
    for name in ("access.key", "dynamodb.json", "papers.jsonl", "seal.key", "server.json"):
        (folder / "damaged" / name).write_bytes(b"{\xff")
    contents = {"file": b"x", "bytes": b"\xff\xfe\x00caf\xe9{", "empty": b"", "list.json": b"[1]"}
    for name, content in (contents | {"deep.json": b"[" * 100_000, "rows.jsonl": b'{"id": 1}\n[]\n'}).items():
        (folder / name).write_bytes(content)
    return folder


def outcome(arguments: list[str], environ: dict[str, str], place: Path) -> tuple[Any, str]:
    """Return exit code and standard error of a command in a folder of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors) for errors in ("strict", "backslashreplace"))
    with pytest.MonkeyPatch.context() as shell, redirect_stdout(out), redirect_stderr(err):
        shell.chdir(place)
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            shell.delenv(name)
        usual = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "eu-west-1"}
        closed = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}",
            "AWS_MAX_ATTEMPTS": "1",
            "TURNKEEP_HOME": "home",
        }
        for name, value in (usual | closed | {"NO_PROXY": "", "no_proxy": ""} | environ).items():
            shell.setenv(name, value)
        try:
            code: Any = main(arguments)
        except SystemExit as exit:
            code = exit.code
    err.flush()
    return code, err.buffer.getvalue().decode()


@settings(max_examples=150, deadline=None)
@given(invocation())
def test_bad_input_ends_in_one_sentence(place: Path, given: tuple[list[str], dict[str, str]]) -> None:
    arguments, environ = given
    code, printed = outcome(arguments, environ, place)
    assert code in (0, 1, 2)
    assert "Traceback" not in printed
    if code == 1:
        assert printed.startswith("turnkeep: ")
        assert printed.count("\n") <= 1 + 2 * sum(text.count("\n") for text in (*arguments, *environ.values()))


@pytest.mark.parametrize(
    ("arguments", "environ", "code", "reason"),
    [
        ([], {}, 2, "COMMAND"),
        (["dev", "--port", "0"], {"TURNKEEP_HOME": "dangling"}, 1, "dangling cannot be the folder"),
        (["dev"], {"PORT": "70000"}, 1, "PORT=70000 is not a port. Use a number from 0 to 65535."),
        (["dev"], {"PORT": "http"}, 1, "PORT=http is not a port."),
        (["dev", "--port", "0"], {}, 1, UNREACHABLE),
        *((["dev", "--port", "0"], PROXIES | {"NO_PROXY": name}, 1, UNREACHABLE) for name in EXCEPTED),
    ],
)
def test_a_server_that_cannot_start_gives_the_reason(
    place: Path, arguments: list[str], environ: dict[str, str], code: int, reason: str
) -> None:
    """If a proxy were asked for the store, the error would name the proxy."""
    ended, printed = outcome(arguments, environ, place)
    assert (ended, reason in printed) == (code, True)
    assert code == 2 or printed.count("\n") == 1
    assert not (place / "nowhere").exists()


def command(*arguments: str, cwd: Path, **more: Any) -> tuple[int, str, str]:
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    done = subprocess.run([*COMMAND, *arguments], cwd=cwd, text=True, check=False, **streams)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="needs Linux's /dev/full")
def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    with FULL.open("w") as full:
        code, _, printed = command("new", "one", cwd=tmp_path, stdout=full)
    assert (code, printed) == (1, "turnkeep: The output cannot be used: No space left on device.\n")


@pytest.mark.parametrize("graphs", ["missing", "bytes", "deep.json", "folder", "/dev/null"])
def test_an_unusable_file_of_graphs_ends_in_one_sentence(graphs: str, place: Path) -> None:
    code, _, printed = command("keys", "list", cwd=place, env={**os.environ, "TURNKEEP_GRAPHS": graphs})
    assert (code, printed.count("\n")) == (1, 1)
    assert printed.startswith(f"turnkeep: {graphs}:")


def test_the_version_is_printed(tmp_path: Path) -> None:
    assert command("--version", cwd=tmp_path) == (0, f"turnkeep {__version__}\n", "")
