"""CSV with any delimiter: the one that gives most rows the same number of cells."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from itertools import islice

DELIMITERS = "\t;|,"  # the first wins a tie; the comma loses it, because cells contain commas too
_DECLARED = re.compile(r'"?sep=([^"\r])"?\n', re.IGNORECASE)  # a first line for Excel


class BadQuotes(ValueError):
    """The row that begins on `line` has quotes within a cell or quotes that are never closed."""

    def __init__(self, line: int, message: object):
        super().__init__(message)
        self.line = line


def read_table(text: str, *, is_strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank, with the number of its first line. Raises BadQuotes."""
    declared = _DECLARED.match(text)
    body = text[declared.end() :] if declared else text
    fits = {sign: _fit(body, sign) for sign in DELIMITERS}
    best = max(DELIMITERS, key=fits.__getitem__) if any(fits.values()) else ","
    sign = declared[1] if declared else best
    rows = csv.reader(StringIO(body, newline=""), delimiter=sign, strict=is_strict)
    above = begins = 2 if declared else 1
    try:
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = rows.line_num + above
    except csv.Error as error:
        raise BadQuotes(begins, error) from error


def _fit(text: str, sign: str) -> float:
    """Return the share of rows with the usual number of cells; 0 if that number is one."""
    widths: Counter[int] = Counter()
    with suppress(csv.Error):  # quotes that another delimiter may explain
        for cells in islice(csv.reader(StringIO(text, newline=""), delimiter=sign, strict=True), 200):
            widths[len(cells)] += any(cell.strip() for cell in cells)
    [(width, count)] = widths.most_common(1) or [(1, 0)]
    return count / widths.total() if count and width > 1 else 0.0
