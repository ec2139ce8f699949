"""`python -m turnkeep.cli`."""

import sys

from turnkeep.cli import main

if __name__ == "__main__":
    sys.exit(main())
