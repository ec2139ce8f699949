"""Fits the weights of `blocks/followups.py` to cast_followup, whose labels people made for this question: log-odds with
a ridge, each sign held to its direction. mtrag_followup only tests them. Folds keep conversations together.

    python benchmarks/fit_followups.py --data ../shared/data
"""

import json
import math
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conversations import SETS, Said, data_option, load, shifts
from turnkeep.blocks import followups
from turnkeep.blocks.pointers import what_points_back

type Signs = tuple[str, ...]
type Weights = dict[str, float]

RIDGE = 1.0
SHIFT_WEIGHT = 0.25  # of a change of subject in the fit: rarer than the labelled messages, but not to be forgotten
LENIENCE = 0.15  # added to the bias: a message that loses its topic costs more than one that gets a topic too many
FOLDS, SHUFFLES = 5, 4
STEPS, RATE = 3_000, 0.02
BIAS = "bias"
NOT_FITTED = "nothing of it was asked or answered before"  # the sets hold no replies


@dataclass(frozen=True)
class Seen:
    """The signs of a message; None where a pointer decides."""

    signs: Signs | None
    is_follow_up: bool
    opening: str
    weight: float = 1.0


def main() -> None:
    data = data_option(__doc__)
    said = {name: load(data / name) for name in SETS}
    if not all(said.values()):
        sys.exit(f"needs *.jsonl in {' and '.join(SETS)} under {data}; name a folder with --data")
    training = [*map(_seen, _later(said[SETS[0]]))]
    changes = [_seen(one, SHIFT_WEIGHT) for one in shifts(said[SETS[0]])]
    weights = fit([*training, *changes])
    for sign, weight in weights.items():
        print(f"{sign:46}{weight:>7.2f}{_current(sign):>7.2f}")
    rows = [_validated(training, changes, shuffle, fold) for shuffle in range(SHUFFLES) for fold in range(FOLDS)]
    found = {
        "cast_followup, other folds": _spread(rows),
        "cast_followup, itself": _scores(training, weights),
        "mtrag_followup": _scores([*map(_seen, _later(said[SETS[1]]))], weights),
    }
    for name, scores in found.items():
        print(f"{name:30}", "  ".join(f"{measure} {score:.3f}" for measure, score in scores.items()))
    print(json.dumps({"benchmark": "fit_followups", "weights": weights, "later_messages": found}))


def fit(seen: Sequence[Seen]) -> Weights:
    """Projected gradient descent on the penalised likelihood."""
    counts: Counter[tuple[Signs, bool]] = Counter()
    for one in seen:
        if one.signs is not None:
            counts[one.signs, one.is_follow_up] += one.weight  # type: ignore[assignment]  # a Counter of floats
    weights = dict.fromkeys([BIAS, *_fitted()], 0.0)
    for _ in range(STEPS):
        slopes = {sign: weight / RIDGE for sign, weight in weights.items() if sign != BIAS} | {BIAS: 0.0}
        for (signs, is_follow_up), count in counts.items():
            error = count * (_chance(signs, weights) - is_follow_up)
            for sign in (BIAS, *signs):
                slopes[sign] += error
        weights = {sign: _held(sign, weight - RATE * slopes[sign]) for sign, weight in weights.items()}
    weights[BIAS] += LENIENCE
    return {sign: round(weight, 3) for sign, weight in weights.items()}


def _held(sign: str, weight: float) -> float:
    """The weight, not across zero from where the sign points."""
    if sign == BIAS:
        return weight
    return max(weight, 0.0) if followups.SIGNS[sign].weight > 0 else min(weight, 0.0)


def _chance(signs: Signs, weights: Mapping[str, float]) -> float:
    return 1 / (1 + math.exp(-weights[BIAS] - sum(weights[sign] for sign in signs)))


def _fitted() -> list[str]:
    return [sign for sign in followups.SIGNS if sign != NOT_FITTED]


def _current(sign: str) -> float:
    return followups.BIAS if sign == BIAS else followups.SIGNS[sign].weight


def _later(said: Sequence[Said]) -> list[Said]:
    return [one for one in said if one.history]


def _seen(one: Said, weight: float = 1.0) -> Seen:
    said = followups.Said(one.message, one.history, ())
    is_decided = what_points_back(said.message) is not None
    signs = None if is_decided else tuple(sign for sign in _fitted() if followups.SIGNS[sign].applies(said))
    return Seen(signs, one.is_follow_up, one.opening, weight)


def _validated(training: Sequence[Seen], changes: Sequence[Seen], shuffle: int, fold: int) -> dict[str, float]:
    """Scores on one fold of weights that were fitted to the others."""

    def is_held_back(one: Seen) -> bool:
        return zlib.crc32(f"{shuffle} {one.opening}".encode()) % FOLDS == fold

    weights = fit([one for one in [*training, *changes] if not is_held_back(one)])
    return _scores([one for one in training if is_held_back(one)], weights)


def _scores(seen: Sequence[Seen], weights: Weights) -> dict[str, float]:
    pairs = Counter((one.is_follow_up, one.signs is None or _chance(one.signs, weights) > 0.5) for one in seen)
    hits, misses, false, passed = pairs[True, True], pairs[True, False], pairs[False, True], pairs[False, False]
    return {
        "f1": round(2 * hits / max(1, 2 * hits + misses + false), 4),
        "negatives": round(passed / max(1, passed + false), 4),
    }


def _spread(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean, least and most of each measure over all folds."""
    columns = {measure: [row[measure] for row in rows] for measure in rows[0]}
    means = {measure: round(sum(column) / len(column), 4) for measure, column in columns.items()}
    least = {f"least {measure}": min(column) for measure, column in columns.items()}
    return means | least | {f"most {measure}": max(column) for measure, column in columns.items()}


if __name__ == "__main__":
    main()
