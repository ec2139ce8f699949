"""Where the pages of a statement's rows begin. A page holds fewer rows than the most where these are long, so each
begins where the one before it really ended."""

from collections.abc import Sequence

from turnkeep_agents.database.state import Last

MOST_KNOWN = 100  # pages whose beginnings are kept: the state of a thread has to stay small


def row_of(page: int, last: Last, max_rows: int) -> int:
    """The row that `page` begins with, both from 0; beyond the pages that are known as if those between were full."""
    if page == last["page"] + 1:
        return last["end"]
    return _start(page, last["starts"], max_rows)


def with_page(starts: Sequence[int], page: int, start: int, end: int, max_rows: int) -> list[int]:
    """The beginnings of the pages that are known when `page` has shown the rows from `start` up to `end`."""
    before = [_start(number, starts, max_rows) for number in range(min(page, MOST_KNOWN))]
    behind = starts[page + 2 :] if list(starts[page + 1 : page + 2]) == [end] else []
    return [*before, start, end, *behind][:MOST_KNOWN]


def _start(page: int, starts: Sequence[int], max_rows: int) -> int:
    known = [0, *starts[1:]]
    return known[page] if page < len(known) else known[-1] + (page - len(known) + 1) * max_rows
