"""The plan that a seed means: operations, their times and machines, and the kinds of faults; operations.toml has the
operations of each family."""

import random
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulation import network

OPERATIONS = tomllib.loads(Path(__file__).with_name("operations.toml").read_text())
FAMILIES = tuple(OPERATIONS)
TWO_HOURS = 7200.0
AIMS = ((), (), ("update_item",), ("update_item", "put_item", "delete_item"), ("batch_write_item", "put_object"))
_KINDS = (*network.FAULTS[1:], network.CUT, network.STRAY)


@dataclass
class Op:
    """One operation of a client. `at` seconds, `on` the index of the machine that is asked first."""

    id: int
    kind: str
    at: float
    on: int
    args: dict[str, Any] = field(default_factory=dict)


@dataclass
class Plan:
    """All that determines a run. `family` names the operations; `decisions`, where given, replace what is drawn. At the
    seconds of `rotations` the signing key is replaced. The machines of `former` have the layout before today's. With
    `is_direct`, `Direct` sends the first try of each request to the table."""

    seed: int
    family: str
    ops: list[Op]
    offset: float = 0.0
    skews: tuple[float, ...] = (0.0, 0.0)
    hours: float = 24.0
    page: int = 1000
    lag: float = 1.0
    slow: float = 0.25
    faults: dict[str, int] = field(default_factory=dict)
    aim: tuple[str, ...] = ()
    decisions: dict | None = None
    lease: float = 30.0
    rotations: tuple[float, ...] = ()
    former: tuple[int, ...] = ()
    is_direct: bool = True

    @property
    def is_served(self):
        """Whether requests go through the routes."""
        return self.family in ("serving", "queue")


def plan_of(family, seed):
    """The plan of a seed. The same seed is the same plan for as long as scenarios and operations do not change."""
    rng = random.Random(f"{family} {seed}")
    operations = dict(OPERATIONS[family])
    run = operations.pop("run")
    span, names = rng.choice(run["spans"]), run["names"]
    names = names[: rng.choice((1, 1, 1, 2))] if len(names) > 1 else names
    ops = [Op(n, kind, 0.0, 0, args) for n, (kind, args) in enumerate(run["first"], 1)]
    for n in range(len(ops) + 1, len(ops) + 1 + rng.randint(2, 8)):
        name = rng.choices([*operations], [each["weight"] for each in operations.values()])[0]
        thread = rng.choice(names)
        known = {"thread": thread, "name": thread, "key": f"k{n}"}
        kind, args = _operation(rng, name, operations[name], known, ops)
        ops.append(Op(n, kind, round(rng.random() * span, 3), rng.randrange(3), args))
    hours = rng.choice((24, 24, 24, 0.02, 0.01))
    far = [TWO_HOURS] if hours == 24 and family != "memory" and rng.random() < 0.1 else []
    plan = Plan(seed, family, sorted(ops, key=lambda op: op.at), float(rng.choice((0, 100, 3500, 3590))), hours=hours)
    plan.skews = (*(rng.choice((0.0, 0.0, 0.7, -0.9)) for _ in range(rng.choice((1, 2, 3)))), *far)
    plan.page, plan.lag = rng.choice((1000, 1000, 3, 1)), rng.choice((0.0, 1.0, 4.0))
    plan.is_direct = seed % 2 == 0
    plan.slow = rng.choice((0.1, 0.3, 0.6))
    plan.faults, plan.aim = _faults(rng, rng.choice(AIMS))
    if family == "threads" or plan.is_served:
        # a machine that read the ring in the last 10 s, because a key came with another body, does not read it again
        is_reused = any(op.args.get("of", 0) is None for op in ops)
        plan.rotations = (round(rng.random() * span, 3),) if rng.random() < 0.3 and not is_reused else ()
        plan.former = (rng.randrange(len(plan.skews)),) if rng.random() < 0.08 else ()
    return plan


def _operation(rng, name, choices, known, ops):
    """The operation's kind and its arguments; "again" repeats an earlier turn with its key."""
    turns = [op for op in ops if op.kind in ("turn", "serve") and not op.args.get("is_edit")]
    if name == "again" and turns:
        first = rng.choice(turns)
        body = rng.choice((first.args.get("of", first.id),) * 4 + (None,))  # None: the same key for another message
        return first.kind, {**first.args, "of": body}
    if name == "again":
        return "read", {"thread": known["thread"]}
    args = {each: known[each] for each in choices.get("takes", ())}
    for argument in [each for each in choices if each not in ("weight", "kind", "takes")]:
        value = rng.choice(choices[argument])
        args[argument] = None if value == "none" else value
    return choices.get("kind", name), args


def _faults(rng, aim):
    """A few kinds of faults, and often, rather than all of them seldom; oftener where they meet few operations."""
    if rng.random() < 0.12:
        return {network.TORN: 50, network.STALLED: 60}, ()
    kinds = sorted({rng.choice(_KINDS) for _ in range(rng.choice((1, 1, 2, 3)))}, key=network.FAULTS.index)
    return {kind: rng.choice((600, 1800, 4400) if aim else (300, 900, 2200)) for kind in kinds}, aim
