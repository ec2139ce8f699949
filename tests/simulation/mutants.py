"""One-line changes of the protocol, and which family of runs finds each: mutants.txt lists them.

A block of the list is a header, `family, module: name`, the lines of the module after "- ", and after "+ " those that
take their place. "@ " names the kept schedule or the seed that finds it, so that it need not be hunted; a seed that no
longer does is only slow. A line "= " explains why no run can find the mutant; it is then only applied.
"""

import importlib
import re
import types
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simulation.scenarios import plan_of
from simulation.shrink import read
from simulation.world import play

LIST = Path(__file__).with_name("mutants.txt")
SCHEDULES = Path(__file__).with_name("schedules")
_HEADER = re.compile(r"(\w+), ([\w.]+): (.+)")


@dataclass(frozen=True)
class Mutant:
    family: str
    module: str
    name: str
    old: str
    new: str
    hint: str
    reason: str


def mutants():
    for block in LIST.read_text().strip().split("\n\n"):
        header, *lines = block.splitlines()
        parts = {mark: "\n".join(line[2:] for line in lines if line.startswith(mark)) for mark in "-+@="}
        yield Mutant(*_HEADER.fullmatch(header).groups(), parts["-"], parts["+"], parts["@"], parts["="])


@contextmanager
def applied(mutant):
    """The running module with the code and the constants that the change makes."""
    module = importlib.import_module(mutant.module)
    source = Path(module.__file__).read_text()
    if source.count(mutant.old) != 1:
        raise LookupError(f"{mutant.name}: {source.count(mutant.old)} places in {mutant.module}")
    changed = types.ModuleType(module.__name__)
    changed.__file__ = module.__file__
    exec(compile(source.replace(mutant.old, mutant.new), module.__file__, "exec"), changed.__dict__)
    undo = [each for owner, other in _pairs(module, changed) for each in _exchange(owner, other)]
    if not undo:
        raise LookupError(f"{mutant.name} changes nothing that runs")
    try:
        yield
    finally:
        for owner, name, value in undo:
            setattr(owner, name, value)


def _pairs(module, changed):
    yield module, changed
    for name, value in vars(changed).items():
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield getattr(module, name), value


def _exchange(owner, other):
    for name in vars(other):
        real, value = (_function_of(vars(each).get(name)) for each in (owner, other))
        if isinstance(real, types.FunctionType) and isinstance(value, types.FunctionType):
            if real.__code__ != value.__code__ and real.__module__ == value.__module__:
                yield real, "__code__", real.__code__
                real.__code__ = value.__code__
        elif isinstance(value, str | int | float | tuple) and real != value and not name.startswith("__"):
            yield owner, name, real
            setattr(owner, name, value)


def _function_of(attribute):
    parts = (getattr(attribute, name, None) for name in ("fget", "func", "__wrapped__"))
    return next((part for part in parts if part), attribute)


def hunt(mutant, runs):
    """The seed or schedule with which the mutant breaks a promise that is kept without it; None where none does."""
    for hint in filter(None, (mutant.hint, *map(str, range(runs)))):
        with applied(mutant):
            found, _ = play(_plan(mutant, hint))
        if found and play(_plan(mutant, hint))[0] is None:
            return hint
    return None


def _plan(mutant, hint):
    return plan_of(mutant.family, int(hint)) if hint.isdecimal() else read((SCHEDULES / f"{hint}.json").read_text())
