"""What readers have read of the logs of runs."""

from collections import Counter
from typing import Any

from fastapi import FastAPI

from awaiting import until
from turnkeep.records import Principal


class Reading:
    """Counts the parts that readers of an application get, by attempt."""

    def __init__(self, app: FastAPI):
        self._read = Counter[int]()
        self._after = app.state.store.events.after
        app.state.store.events.after = self._count

    def _count(self, *given: Any) -> Any:
        found = self._after(*given)
        for segment in found:
            self._read[segment.start.attempt] += sum(event.name == "part" for event in segment.events)
        return found

    async def until(self, attempt: int, parts: int) -> None:
        await until(lambda: self._read[attempt] >= parts)


def end_lease(app: FastAPI) -> None:
    """End the lease of the run that is active on the thread `t`, as if its process had died."""
    heads = app.state.store.heads
    lost = heads.read(Principal("local", "local"), "t").pk
    heads.items.update(lost, "HEAD", "SET #lease.#t = :t", {":t": 0}, condition="attribute_exists(PK)")
