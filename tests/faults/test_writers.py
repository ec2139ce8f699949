"""Several processes write to one thread: each acknowledged turn is stored once, in one history."""

from pathlib import Path

import pytest
from fault_site import Site
from writer_crew import Drill, run_drill

DRILLS = {
    "two": Drill(writers=2, turns=80, each=20),
    "two under faults": Drill(writers=2, turns=30, each=5, fault_share=0.15),
    "eight under faults": Drill(writers=8, turns=30, each=2, fault_share=0.15),
    "eight under faults, four of them killed": Drill(
        writers=8, turns=30, each=1, fault_share=0.15, killed=4, lease_seconds=1
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRILLS)
def test_writers_lose_and_double_nothing(site: Site, tmp_path: Path, name: str) -> None:
    drill = DRILLS[name]

    report = run_drill(site, drill, tmp_path, seed=11)

    assert (report.lost, report.doubled, report.half, report.wrong) == (0, 0, 0, [])
    assert report.acknowledged >= drill.turns
    assert report.fewest >= drill.each
    assert (report.faults > 0) == (drill.fault_share > 0)
    assert (report.deaths > 0) == (drill.killed > 0)
