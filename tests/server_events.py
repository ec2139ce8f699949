"""Server-sent events of an answer that still arrives."""

import json
from collections.abc import Iterable, Iterator
from typing import Any


def read_events(lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yield the name and data of each event as soon as its last line is read; skip comments."""
    name, data = "", ""
    for line in lines:
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line and data:
            yield name, json.loads(data)
            name, data = "", ""
