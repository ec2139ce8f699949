"""The id of a response leads back to its turn; it is known when the run begins."""

import re
from dataclasses import dataclass
from typing import Self

from turnkeep.errors import NotFound
from turnkeep.records import Turn
from turnkeep.storage.head import run_digest

_FORM = re.compile(r"resp_(\d{1,8})_([0-9a-f]{12})_([A-Za-z0-9_-]{1,64})", re.ASCII)
_NONE = "There is no such response; it goes with its thread, 24 hours after the last turn."


@dataclass(frozen=True)
class ResponseId:
    """`run` tells the turn from one that has its number in a thread made anew, or on another branch."""

    number: int
    run: str
    thread_id: str

    @classmethod
    def of(cls, thread_id: str, number: int, run_id: str) -> Self:
        return cls(number, run_digest(run_id).hex(), thread_id)

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises NotFound, also for the id of a response that was not stored."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise NotFound(_NONE)
        return cls(int(found[1]), found[2], found[3])

    def check(self, turn: Turn) -> Turn:
        """Raises NotFound where the turn is another."""
        if turn.run_id is None or run_digest(turn.run_id).hex() != self.run:
            raise NotFound(_NONE)
        return turn

    def __str__(self) -> str:
        return f"resp_{self.number}_{self.run}_{self.thread_id}"
