"""Shrinks a run to fewer operations, faults and delays while it breaks the same promise; writes and reads schedules."""

import json
from dataclasses import asdict, replace

from simulation.network import NONE
from simulation.scenarios import Op, Plan
from simulation.world import play

SIMPLE = {"offset": 0.0, "page": 1000, "lag": 0.0}


def shrink(plan, limit=400):
    """The smallest plan that was found within `limit` runs. It contains its decisions, so it no longer draws any."""
    found, world = play(plan)
    return Shrinking(replace(plan, decisions=dict(world.sim.network.decisions)), found.kind, limit).least()


class Shrinking:
    def __init__(self, plan, kind, limit):
        self.plan, self.kind, self.left = plan, kind, limit

    def tries(self, **changes):
        self.left -= 1
        plan = replace(self.plan, **changes)
        found = play(plan)[0] if self.left > 0 else None
        if is_same := found is not None and found.kind == self.kind:
            self.plan = plan
        return is_same

    def without(self, name, kind):
        """Leaves out halves, then quarters and so on of the items (delta debugging)."""
        value = getattr(self.plan, name)
        items = list(value.items() if kind is dict else value)
        size = max(1, len(items) // 2)
        while size:
            at = 0
            while at < len(items):
                rest = items[:at] + items[at + size :]
                if self.tries(**{name: kind(rest)}):
                    items = rest
                else:
                    at += size
            size //= 2

    def least(self):
        for _ in range(2):
            self.without("ops", list)
            self.without("decisions", dict)
            for key, (fault, out, back, more) in list(self.plan.decisions.items()):
                simpler = ((NONE, out, 0.001, 0), (NONE, 0.001, back, 0), (fault, 0.001, 0.001, more))
                any(self.tries(decisions={**self.plan.decisions, key: each}) for each in simpler)
        self.without("rotations", tuple)
        self.without("former", tuple)
        for name, simple in (SIMPLE | {"skews": (0.0,) * len(self.plan.skews)}).items():
            self.tries(**{name: simple})
        return self.plan


def schedule(plan):
    """The run as text: its operations, then each call with its fault."""
    found, world = play(plan, log=True)
    lines = [f"{plan.family}, seed {plan.seed}: {found}"]
    lines += [f"threads live {plan.hours:g} h, clocks ahead {plan.skews} s, pages of {plan.page}"]
    lines += [f"{at:10.3f}  the signing key is replaced" for at in plan.rotations]
    lines += [f"            machine {n} has the layout before" for n in plan.former]
    for op in plan.ops:
        args = " ".join(f"{name}={value!r}" for name, value in op.args.items())
        lines.append(f"{op.at:10.3f}  op{op.id} on machine {op.on}: {op.kind} {args}")
    for at, who, n, what, details, fault in world.sim.network.log:
        lines.append(f"{at - plan.offset:10.3f}  {who:22} {n:3} {what:20} {details}{fault and f'   <== {fault}'}")
    return "\n".join(lines)


def written(plan, found):
    """The plan as the text of a file that is kept: see tests/README.md."""
    decisions = [[*key, *decision] for key, decision in plan.decisions.items()]
    return json.dumps(asdict(plan) | {"faults": {}, "violation": str(found), "decisions": decisions}, indent=1)


def read(text):
    kept = json.loads(text)
    del kept["violation"]
    decisions = {(actor, n): tuple(decision) for actor, n, *decision in kept["decisions"]}
    return Plan(**kept | {"ops": [Op(**op) for op in kept["ops"]], "decisions": decisions})
