"""`make simulate`: runs seeds; shows the shortest schedule of what it finds, and keeps it as a file."""

import argparse
import time
from collections import Counter
from pathlib import Path

from simulation.scenarios import FAMILIES, plan_of
from simulation.shrink import schedule, shrink, written
from simulation.world import play


def campaign(families, first, runs, out, most):
    """Runs `runs` seeds of each family, and stops after `most` violations of one kind; returns how many it found."""
    kinds = Counter()
    for family in families:
        began, calls = time.process_time(), 0
        for seed in range(first, first + runs):
            found, world = play(plan_of(family, seed))
            calls += world.sim.network.calls
            if found:
                kinds[family, found.kind] += 1
                if kinds[family, found.kind] <= most:
                    show(plan_of(family, seed), found, out)
        seconds = time.process_time() - began
        print(f"{family}: {runs} runs, {runs / seconds:.0f} a second, {calls / runs:.0f} calls each", flush=True)
    for (family, kind), count in kinds.most_common():
        print(f"{count:6} {family}: {kind}")
    return sum(kinds.values())


def show(plan, found, out):
    print(f"{plan.family}, seed {plan.seed}: {found}", flush=True)
    least = shrink(plan)
    print(schedule(least), flush=True)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{plan.family}-{plan.seed}.json").write_text(written(least, found))


def main():
    args = argparse.ArgumentParser(prog="make simulate")
    args.add_argument("-n", type=int, default=1000, help="runs of each family")
    args.add_argument("--family", choices=FAMILIES, help="all by default")
    args.add_argument("--seed", type=int, help="the only seed, or the first")
    args.add_argument("--out", type=Path, help="a folder for schedules")
    args.add_argument("--most", type=int, default=1, help="schedules of one kind")
    given = args.parse_args()
    families = [given.family] if given.family else FAMILIES
    raise SystemExit(campaign(families, given.seed or 0, given.n, given.out, given.most) > 0)


main()
