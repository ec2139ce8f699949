"""How a function loads its code. Import it first; it loads nothing itself."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """For the imports of a function and what it builds from them: nothing of that is garbage, so it is neither looked
    through while it grows, which takes a quarter of a start, nor ever again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
