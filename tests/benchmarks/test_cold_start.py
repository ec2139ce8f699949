"""The benchmark of cold starts counts what it says; that functions start from their layers, tests/deployed shows."""

from pathlib import Path

import pytest

from cold_start import STARTED, Row, Start, cpu_ms
from stacks import Stacks

BUSY = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\n"
IDLE = "import time\ntime.sleep(0.3)\n"


@pytest.fixture
def stacks(tmp_path: Path) -> Stacks:
    (tmp_path / "busy.py").write_text(BUSY)
    (tmp_path / "idle.py").write_text(IDLE)
    (tmp_path / "broken.py").write_text("raise ValueError\n")
    return Stacks(layers=(), plain=tmp_path / "plain", runtime=tmp_path)


def test_time_is_counted_that_the_processor_spent_and_no_other(stacks: Stacks) -> None:
    busy, idle = (cpu_ms(Start(name, name), stacks) for name in ("busy", "idle"))
    assert busy >= 300 > idle


def test_a_start_that_fails_ends_the_benchmark(stacks: Stacks) -> None:
    with pytest.raises(SystemExit, match="broken did not start"):
        cpu_ms(Start("broken", "broken"), stacks)


@pytest.mark.parametrize(("ratio", "allowed", "missed"), [(0.6, 0.6, False), (0.61, 0.6, True), (9.0, None, False)])
def test_a_start_over_its_budget_is_missed(ratio: float, allowed: float | None, missed: bool) -> None:
    assert Row("api", 1, 1, 1, ratio, allowed).is_missed is missed


def test_every_function_is_held_against_a_plain_start() -> None:
    names = {start.name for start in STARTED}
    ours = [start for start in STARTED if start.function not in (None, "plain")]
    assert {start.function for start in ours} == {"api", "stream", "cleanup", "authorizer"}
    assert all(start.plain in names for start in ours)
