"""The benchmarks are scripts beside each other, not a package; their parts are tested like any other code."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
