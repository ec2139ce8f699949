"""The simulation finds each one-line mutant of the protocol in mutants.txt, except those that are explained there.

A block of the list is a header, `family, module: name`, the lines of the module after "- ", and after "+ " those that
replace them. "@ " names the kept schedule or the seed that finds the mutant; a seed that no longer does is only slow.
A line "= " explains why no run can find it. `-k applies` only checks that the quoted lines are those of the source.
"""

import gc
import importlib
import re
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

from simulation.scenarios import plan_of
from simulation.shrink import read
from simulation.test_simulation import RUNS, SCHEDULES
from simulation.world import play


def mutants(*, explained):
    for block in Path(__file__).with_name("mutants.txt").read_text().strip().split("\n\n"):
        header, *lines = block.splitlines()
        family, module, name = re.fullmatch(r"(\w+), ([\w.]+): (.+)", header).groups()
        old, new, hint, reason = ("\n".join(line[2:] for line in lines if line.startswith(mark)) for mark in "-+@=")
        if explained or not reason:
            yield pytest.param(family, module, old, new, hint, id=name)


@contextmanager
def applied(module, old, new):
    """Let the loaded module run the code and the constants of its changed source."""
    module = importlib.import_module(module)
    source = Path(module.__file__).read_text()
    assert source.count(old) == 1, f"{source.count(old)} places in {module.__file__}"
    code, changed = compile(source.replace(old, new), module.__file__, "exec"), ModuleType(module.__name__)
    exec(code, vars(changed))
    codes, is_changed = dict(functions(code)), False
    with pytest.MonkeyPatch.context() as patch:
        gc.unfreeze()  # what a cold start of a function in this process froze would not be listed
        for each in gc.get_objects():
            is_of_module = type(each) is FunctionType and each.__globals__ is vars(module)
            if is_of_module and (code := codes.get(each.__qualname__, each.__code__)) != each.__code__:
                patch.setattr(each, "__code__", code)
                is_changed = True
        for name, value in vars(changed).items():
            if isinstance(value, str | tuple) and value != getattr(module, name, value) and name[:2] != "__":
                patch.setattr(module, name, value)
                is_changed = True
        assert is_changed, "nothing that runs has changed"
        yield


def functions(code):
    yield code.co_qualname, code
    for each in code.co_consts:
        if isinstance(each, CodeType) and "<" not in each.co_qualname:
            yield from functions(each)


@pytest.mark.parametrize(("family", "module", "old", "new", "hint"), [*mutants(explained=True)])
def test_each_mutant_applies(family, module, old, new, hint):
    with applied(module, old, new):
        pass


@pytest.mark.parametrize(("family", "module", "old", "new", "hint"), [*mutants(explained=False)])
def test_a_mutant_is_found(family, module, old, new, hint):
    kept = {path.stem: path for path in SCHEDULES}
    first = read(kept[hint].read_text()) if hint in kept else plan_of(family, int(hint or 0))
    plans = chain([first], (plan_of(family, seed) for seed in range(RUNS[family])))
    with applied(module, old, new):
        plan, found = next(((plan, found) for plan in plans if (found := play(plan)[0])), (None, None))
    assert plan, "no run finds it"
    assert "NameError" not in found.kind, "the mutant is not Python"
    assert play(plan)[0] is None, "it is found without the mutant too"
