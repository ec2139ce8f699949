"""Shrinks a run to fewer operations, faults and delays while it breaks the same promise; prints and keeps schedules."""

import json
from dataclasses import asdict, replace

from simulation.network import FAULTS
from simulation.world import Op, Plan, play


def shrink(plan, limit=400):
    """The smallest plan that was found within `limit` runs. It contains its decisions, so it no longer draws any."""
    found, world = play(plan)
    return _Shrinking(replace(plan, decisions=dict(world.sim.network.decisions)), found.kind, limit).least()


class _Shrinking:
    def __init__(self, plan, kind, limit):
        self.plan, self.kind, self.left = plan, kind, limit

    def tries(self, **changes):
        self.left -= 1
        plan = replace(self.plan, **changes)
        found = play(plan)[0] if self.left > 0 else None
        if found is None or found.kind != self.kind:
            return False
        self.plan = plan
        return True

    def without(self, items, change):
        """Leaves out halves, then quarters and so on of the items (delta debugging)."""
        size = max(1, len(items) // 2)
        while size:
            at = 0
            while at < len(items):
                rest = items[:at] + items[at + size :]
                if self.tries(**change(rest)):
                    items = rest
                else:
                    at += size
            size //= 2

    def least(self):
        for _ in range(2):
            self.without(list(self.plan.ops), lambda ops: {"ops": ops})
            self.without(list(self.plan.decisions.items()), lambda some: {"decisions": dict(some)})
            for key, (fault, out, back, more) in list(self.plan.decisions.items()):
                for simpler in ((0, out, 0.001, 0), (0, 0.001, back, 0), (fault, 0.001, 0.001, more)):
                    if self.tries(decisions={**self.plan.decisions, key: simpler}):
                        break
        for name, simple in (("skews", (0.0,) * len(self.plan.skews)), ("offset", 0.0), ("page", 1000), ("lag", 0.0)):
            if getattr(self.plan, name) != simple:
                self.tries(**{name: simple})
        return self.plan


def schedule(plan):
    """The run in lines: its operations, then each call with what befell it."""
    found, world = play(plan, log=True)
    lines = [f"{plan.family}, seed {plan.seed}: {found}"]
    lines += [f"threads live {plan.hours:g} h, clocks ahead {plan.skews} s, pages of {plan.page}"]
    for op in plan.ops:
        args = " ".join(f"{name}={value!r}" for name, value in op.args.items())
        lines.append(f"{op.at:10.3f}  op{op.id} on machine {op.on}: {op.kind} {args}")
    for at, who, n, what, details, fault in world.sim.network.log:
        mark = f"   <== {fault}" if fault else ""
        lines.append(f"{at - plan.offset:10.3f}  {who:22} {n:3} {what:20} {details}{mark}")
    return "\n".join(lines)


def written(plan, found):
    """The plan as a file that is kept: see tests/README.md."""
    kept = asdict(plan) | {"faults": {}, "violation": str(found)}
    kept["decisions"] = [[*key, FAULTS[fault], *rest] for key, (fault, *rest) in plan.decisions.items()]
    return json.dumps(kept, indent=1)


def read(text):
    kept = json.loads(text)
    kept.pop("violation")
    decisions = {(actor, n): (FAULTS.index(fault), *rest) for actor, n, fault, *rest in kept.pop("decisions")}
    ops = [Op(**op) for op in kept.pop("ops")]
    return Plan(**kept | {"ops": ops, "decisions": decisions, "skews": tuple(kept["skews"]), "aim": ()})
