"""Where the tables of a drawing lie. Linked tables pull each other and all push each other apart; then each takes the
place of a grid that is nearest, and tables change places while that shortens the links. The same graph always gives
the same drawing."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

ROUNDS = 60
SWAPS = 6
"""Rounds in which tables change places, at most."""
GAP_X, GAP_Y = 56.0, 58.0
"""Pixels between two boxes, for the links."""
SHAPE = 1.6
"""Width of a drawing by its height."""
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))

type Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """Its middle and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Link:
    """`strength` from 0 to 1."""

    a: str
    b: str
    strength: float = 1.0


def lay_out(sizes: Mapping[str, Point], links: Iterable[Link]) -> dict[str, Box]:
    """A box for each name; `sizes` are width and height."""
    if not sizes:
        return {}
    pulls = [link for link in links if link.a != link.b]
    width = max(size[0] for size in sizes.values()) + GAP_X
    height = max(size[1] for size in sizes.values()) + GAP_Y
    places = _on_a_grid(_spread(sizes, pulls), width, height)
    _change_places(places, pulls)
    return {name: Box(*places[name], *sizes[name]) for name in sizes}


def _spread(names: Iterable[str], pulls: Sequence[Link]) -> dict[str, Point]:
    """Fruchterman and Reingold's method, from a spiral with the most linked in its middle."""
    degree: defaultdict[str, float] = defaultdict(float)
    for link in pulls:
        degree[link.a] += link.strength
        degree[link.b] += link.strength
    order = sorted(names, key=lambda name: (-degree[name], name))
    at = {name: _spiral(place) for place, name in enumerate(order)}
    for turn in range(ROUNDS):
        _step(at, pulls, 0.6 * (1 - turn / ROUNDS) + 0.01)
    return at


def _spiral(place: int) -> Point:
    radius = 0.7 * math.sqrt(place)
    return radius * math.cos(place * GOLDEN_ANGLE), radius * math.sin(place * GOLDEN_ANGLE)


def _step(at: dict[str, Point], pulls: Iterable[Link], most: float) -> None:
    """One round: everything moves along its force, by `most` at most. A slight pull keeps all together."""
    force = {name: [-0.1 * x, -0.1 * y] for name, (x, y) in at.items()}
    for a, b in combinations(at, 2):
        dx, dy = at[a][0] - at[b][0], at[a][1] - at[b][1]
        push = 1 / (dx * dx + dy * dy + 0.01)
        _apply(force[a], force[b], dx * push, dy * push)
    for link in pulls:
        dx, dy = at[link.a][0] - at[link.b][0], at[link.a][1] - at[link.b][1]
        pull = -link.strength * math.hypot(dx, dy)
        _apply(force[link.a], force[link.b], dx * pull, dy * pull)
    for name, (fx, fy) in force.items():
        length = math.hypot(fx, fy) or 1
        step = min(length, most) / length
        at[name] = at[name][0] + fx * step, at[name][1] + fy * step


def _apply(one: list[float], other: list[float], fx: float, fy: float) -> None:
    one[0] += fx
    one[1] += fy
    other[0] -= fx
    other[1] -= fy


def _on_a_grid(at: Mapping[str, Point], width: float, height: float) -> dict[str, Point]:
    """Rows by height, each in order from left to right."""
    columns = max(1, round(math.sqrt(len(at) * SHAPE * height / width)))
    falling = sorted(at, key=lambda name: (at[name][1], name))
    places = {}
    for start in range(0, len(falling), columns):
        row = sorted(falling[start : start + columns], key=lambda name: (at[name][0], name))
        for place, name in enumerate(row):
            places[name] = place * width, start // columns * height
    return places


def _change_places(places: dict[str, Point], pulls: Iterable[Link]) -> None:
    near: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for link in pulls:
        near[link.a].append((link.b, link.strength))
        near[link.b].append((link.a, link.strength))
    for _ in range(SWAPS):
        before = dict(places)
        for a, b in combinations(sorted(places), 2):
            now = _length(places, near, a, b)
            places[a], places[b] = places[b], places[a]
            if _length(places, near, a, b) >= now:
                places[a], places[b] = places[b], places[a]
        if places == before:
            return


def _length(places: Mapping[str, Point], near: Mapping[str, list[tuple[str, float]]], *names: str) -> float:
    """Of the links of `names`, by strength."""
    return sum(
        strength * math.dist(places[name], places[other]) for name in names for other, strength in near.get(name, ())
    )
