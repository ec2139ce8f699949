"""`python -m turnkeep_local.cli`."""

import sys

from turnkeep_local.cli import main

if __name__ == "__main__":
    sys.exit(main())
