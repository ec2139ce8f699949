"""How well rules without a model tell follow-ups from messages that stand alone, beside two peers in the same run.
A change of subject is the opening of one conversation put behind another. Last line: JSON.

    python benchmarks/followups.py --data ../shared/data
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from conversations import CHATS, SETS, Said, data_option, load, load_chats, shifts
from turnkeep.blocks.followups import depends_on_history

type Judge = Callable[[Said], bool]

SEED_PHRASES = (
    *("that", "this", "it", "they", "them", "those", "these", "the one", "the same", "which one"),
    *("tell me more", "more about", "what about", "how about", "how does it", "how do they", "can you compare"),
    *("what's the difference", "is it better", "any other", "similar to", "like that", "another option"),
)
"""Seed 001's references and phrases, which it looks for as substrings: "it" is found in "with" too."""


@dataclass(frozen=True)
class Row:
    """`negatives` is the accuracy on messages that stand alone, `later_negatives` on those that open no conversation,
    `shifts` on changes of subject; None where there are none."""

    set: str
    system: str
    messages: int
    share: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    negatives: float | None
    later_negatives: float | None
    accuracy: float | None
    shifts: float | None


def main() -> None:
    data = data_option(__doc__)
    sets = {name: said for name in SETS if (said := load(data / name))}
    if not sets:
        sys.exit(f"no *.jsonl in {' or '.join(SETS)} under {data}; name a folder with --data")
    rows = [row for name, said in sets.items() for row in measure(name, said)]
    if len(sets) > 1:
        rows += measure("all", [one for said in sets.values() for one in said])
    _print([*rows, *measure_replies(load_chats(data / CHATS))])


def measure(name: str, said: Sequence[Said]) -> Iterator[Row]:
    """One row for each judge over the messages of a set."""
    yield _row(name, "turnkeep", said, _by_rules)
    yield _row(name, "turnkeep, where sure", said, _by_rules, counts=_is_sure)
    yield _row(name, "seed's phrases", said, _by_phrases)
    yield _row(name, "every later message", said, _by_place)


def measure_replies(said: Sequence[Said]) -> Iterator[Row]:
    """What the replies add; nothing where there are no chats."""
    if said:
        yield _row(CHATS, "turnkeep", said, _by_rules)
        yield _row(CHATS, "turnkeep, with replies", said, _by_rules_and_replies)


def _row(name: str, system: str, everything: Sequence[Said], judge: Judge, *, counts: Judge = lambda _: True) -> Row:
    said = [one for one in everything if counts(one)]
    changes = [one for one in shifts(everything) if counts(one)]
    taken = [one for one in said if judge(one)]
    negatives = [one for one in said if not one.is_follow_up]
    hits = [one for one in taken if one.is_follow_up]
    precision = _share(hits, taken)
    recall = _share(hits, [one for one in said if one.is_follow_up])
    return Row(
        name,
        system,
        len(said),
        _share(said, everything),
        precision,
        recall,
        _f1(precision, recall),
        _right(negatives, judge),
        _right([one for one in negatives if one.history], judge),
        _right(said, judge),
        _right(changes, judge),
    )


def _right(said: Sequence[Said], judge: Judge) -> float | None:
    return _share([one for one in said if judge(one) == one.is_follow_up], said)


def _share(part: Sequence[object], whole: Sequence[object]) -> float | None:
    return round(len(part) / len(whole), 4) if whole else None


def _f1(precision: float | None, recall: float | None) -> float | None:
    return round(2 * precision * recall / (precision + recall), 4) if precision and recall else None


def _by_rules(said: Said) -> bool:
    return depends_on_history(said.message, said.history).is_follow_up


def _by_rules_and_replies(said: Said) -> bool:
    return depends_on_history(said.message, said.history, replies=said.replies).is_follow_up


def _is_sure(said: Said) -> bool:
    return depends_on_history(said.message, said.history).is_sure


def _by_phrases(said: Said) -> bool:
    return bool(said.history) and any(phrase in said.message.lower() for phrase in SEED_PHRASES)


def _by_place(said: Said) -> bool:
    return bool(said.history)


def _print(rows: Sequence[Row]) -> None:
    heads = ("share", "prec.", "recall", "F1", "neg.", "later neg.", "accuracy", "shifts")
    print(f"{'set':16}{'system':24}{'messages':>9}" + "".join(f"{head:>11}" for head in heads))
    for row in rows:
        figures = list(asdict(row).values())[3:]
        shown = ("-" if figure is None else f"{figure:.3f}" for figure in figures)
        print(f"{row.set:16}{row.system:24}{row.messages:>9}" + "".join(f"{figure:>11}" for figure in shown))
    print(json.dumps({"benchmark": "followups", "rows": [asdict(row) for row in rows]}))


if __name__ == "__main__":
    main()
