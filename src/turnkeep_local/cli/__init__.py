"""The command `turnkeep`. Commands import what they need when they run, so that `--help` is fast."""

from turnkeep_local.cli.main import main

__all__ = ["main"]
