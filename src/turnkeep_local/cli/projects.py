"""Commands for your own project: create it, and build what `sam deploy` sends."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path


def add_projects(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    new = commands.add_parser("new", help="make a folder with an agent that runs, is tested and deploys")
    new.add_argument("name", metavar="NAME", help="of the folder and of the stack")
    new.set_defaults(run=_new)

    build = commands.add_parser("build", help="make what `sam deploy` sends, of a langgraph.json")
    build.add_argument(
        "-c", "--config", type=Path, default=Path("langgraph.json"), metavar="FILE", help="langgraph.json"
    )
    build.add_argument("--arch", help="x86_64 or arm64, as the parameter Architecture; default: ARCH, else x86_64")
    build.add_argument(
        "--extra", action="append", default=[], metavar="NAME", help="of turnkeep, such as bedrock; default: EXTRAS"
    )
    build.set_defaults(run=_build)


def _new(options: argparse.Namespace) -> None:
    from turnkeep_local.project.new import make_project  # noqa: PLC0415

    folder = make_project(options.name, Path.cwd())
    print(f"{folder.name}/ is there: cd {folder.name} && turnkeep dev")


def _build(options: argparse.Namespace) -> None:
    from turnkeep_local.project.build import build  # noqa: PLC0415
    from turnkeep_local.project.tools import Tools  # noqa: PLC0415

    tools = Tools.find(options.arch or os.environ.get("ARCH") or "x86_64")
    extras = options.extra or os.environ.get("EXTRAS", "").split()
    build(options.config, Path.cwd(), tools, extras, partial(print, file=sys.stderr, flush=True))
