"""The command `turnkeep`. Each command imports what it needs when it runs, so that `--help` answers at once."""

from turnkeep_local.cli.main import main

__all__ = ["main"]
