"""`make simulate`: runs seeds; prints the shortest schedule of each kind of violation, and keeps it as a file."""

import argparse
import time
from collections import Counter
from pathlib import Path

from simulation.scenarios import FAMILIES, plan_of
from simulation.shrink import schedule, shrink, written
from simulation.world import play

args = argparse.ArgumentParser(prog="make simulate")
args.add_argument("-n", type=int, default=1000, help="runs of each family")
args.add_argument("--family", choices=FAMILIES, help="all by default")
args.add_argument("--seed", type=int, default=0, help="the only seed, or the first")
args.add_argument("--direct", type=int, choices=(0, 1), help="with `Direct` or without; by default every second seed")
args.add_argument("--out", type=Path, help="a folder for schedules")
given = args.parse_args()
kinds = Counter()
for family in [given.family] if given.family else FAMILIES:
    began = time.process_time()
    for plan in (plan_of(family, seed) for seed in range(given.seed, given.seed + given.n)):
        if given.direct is not None:
            plan.is_direct = bool(given.direct)
        found, _ = play(plan)
        if not found:
            continue
        kinds[f"{family}: {found.kind}"] += 1
        if kinds[f"{family}: {found.kind}"] == 1:
            least = shrink(plan)
            print(schedule(least), flush=True)
            if given.out:
                given.out.mkdir(parents=True, exist_ok=True)
                (given.out / f"{family}-{plan.seed}.json").write_text(written(least, found))
    print(f"{family}: {given.n / (time.process_time() - began):.0f} runs a second", flush=True)
for kind, count in kinds.most_common():
    print(f"{count:6} {kind}")
raise SystemExit(kinds.total() > 0)
