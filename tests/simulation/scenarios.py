"""The plan that a seed means: operations, their times and machines, and the kinds of faults, by family."""

import random

from simulation import network
from simulation.world import Op, Plan

WEIGHTS = {
    "threads": {"turn": 45, "again": 22, "branch": 12, "edit": 8, "read": 12, "delete": 10, "sweep": 5, "fork": 5}
    | {"create": 4, "meta": 3, "erase": 2, "ttl": 1},
    "serving": {"serve": 60, "again": 15, "delete": 10, "read": 8, "sweep": 3, "enqueue": 12, "cancel": 6, "runs": 6}
    | {"document": 6, "documents": 4, "drop_document": 2, "create": 6, "erase": 2},
    "saver": {"invoke": 40, "state": 10, "prune": 8, "delete": 8, "serve": 10, "copy": 4, "read": 4, "history": 3}
    | {"sweep": 3, "drop_runs": 3},
    "imports": {"import": 30, "turn": 30, "old": 14, "read": 8, "delete": 6, "edit": 4, "sweep": 4},
    "memory": {"put": 50, "get": 30, "forget": 20, "search": 10, "ttl": 10},
}
FAMILIES = tuple(WEIGHTS)
SPANS = {"serving": (0.02, 0.3, 4, 60, 150), "threads": (0.02, 0.3, 4, 60, 150)}
TWO_HOURS = 7200.0
AIMS = ((), (), ("update_item",), ("update_item", "put_item", "delete_item"), ("batch_write_item", "put_object"))
_KINDS = (*range(1, len(network.FAULTS)), network.CUT, network.STRAY)


def plan_of(family, seed):
    """The plan of a seed. The same seed is the same plan for as long as this module does not change."""
    rng = random.Random(f"{family} {seed}")
    span = rng.choice(SPANS.get(family, (0.02, 0.3, 4, 60)))
    names = ["x", "y"] if family == "memory" else ["a", "b"]
    names = names[: rng.choice((1, 1, 1, 2))] if family != "imports" else ["a"]
    ops = _first(family)
    for n in range(len(ops), len(ops) + rng.randint(2, 8)):
        kind = rng.choices(*zip(*WEIGHTS[family].items(), strict=True))[0]
        kind, args = _operation(rng, kind, f"k{n + 1}", rng.choice(names), ops)
        ops.append(Op(n + 1, kind, round(rng.random() * span, 3), rng.randrange(3), args))
    hours = rng.choice((24, 24, 24, 0.02, 0.01))
    far = [TWO_HOURS] if hours == 24 and family != "memory" and rng.random() < 0.1 else []
    return Plan(
        seed,
        family,
        sorted(ops, key=lambda op: op.at),
        offset=float(rng.choice((0, 100, 3500, 3590))),
        skews=(*(rng.choice((0.0, 0.0, 0.7, -0.9)) for _ in range(rng.choice((1, 2, 3)))), *far),
        hours=hours,
        page=rng.choice((1000, 1000, 3, 1)),
        lag=rng.choice((0.0, 1.0, 4.0)),
        slow=rng.choice((0.1, 0.3, 0.6)),
        **_faults(rng),
    )


def _first(family):
    """What a run of the family begins with."""
    if family == "imports":
        return [Op(1, "old", 0.0, 0, {"thread": "a"}), Op(2, "import", 0.0, 0, {"thread": "a"})]
    if family == "memory":
        return []
    return [
        Op(
            1,
            {"saver": "invoke", "serving": "create"}.get(family, "turn"),
            0.0,
            0,
            _FIRST.get(family, {}) | {"thread": "a"},
        )
    ]


_FIRST = {"threads": {"key": "k1"}}


def _faults(rng):
    """A few kinds of faults, and often, rather than all of them seldom; oftener where they befall few operations."""
    aim = rng.choice(AIMS)
    if rng.random() < 0.12:
        return {"faults": {network.TORN: 50, network.STALLED: 60}}
    kinds = sorted({rng.choice(_KINDS) for _ in range(rng.choice((1, 1, 2, 3)))})
    rates = (600, 1800, 4400) if aim else (300, 900, 2200)
    return {"faults": {kind: rng.choice(rates) for kind in kinds}, "aim": aim}


def _operation(rng, kind, key, thread, ops):
    """The operation's name and its arguments; "again" repeats an earlier turn with its key."""
    turns = [op for op in ops if op.kind in ("turn", "serve") and not op.args.get("is_edit")]
    if kind == "again" and turns:
        first = rng.choice(turns)
        body = rng.choice((first.args.get("of", first.id),) * 4 + (None,))  # None: the same key for another message
        return first.kind, {**first.args, "of": body}
    kind = "read" if kind == "again" else kind
    args = {"thread": thread} if kind not in _OF_ALL else {}
    if kind in ("turn", "edit", "branch", "serve", "enqueue"):
        args["key"] = key
    if kind in ("put", "get", "forget"):
        args = {"key": thread}
    args |= {name: draw(rng) for name, draw in _ARGUMENTS.get(kind, {}).items()}
    return {"branch": "turn", "edit": "turn"}.get(kind, kind), args


def _one(*values):
    return lambda rng: rng.choice(values)


_TURN = {"is_long": _one(True, *[False] * 6), "patience": _one(90.0, 20.0, 2.0)}
_NUMBER = {"of": _one(*range(1, 7))}
_ARGUMENTS = {
    "turn": _TURN,
    "branch": _TURN | {"base": _one(0, 1, 1, 2)},
    "edit": _TURN | {"is_edit": _one(True)},
    "serve": {"pause": _one(0.01, 0.01, 3.0, 12.0, 33.0), "patience": _one(60.0, 60.0, 3.0)}
    | {"acts": _one(True, False, False), "base": _one(None, None, None, None, None, None, None, 0, 1)},
    "invoke": {"mode": _one("sync", "exit")},
    "fork": {"to": _one("f"), "turn": _one(None, None, 1)},
    "copy": {"to": _one("f")},
    "cancel": _NUMBER,
    "drop_document": _NUMBER,
    "drop_runs": _NUMBER,
    "put": {"is_large": _one(True, False), "life": _one(None, None, None, 30.0, 120.0)},
    "get": {"refreshes": _one(True, False, False)},
}
_OF_ALL = ("drop_runs", "sweep", "erase", "ttl", "search")
