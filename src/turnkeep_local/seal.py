"""What `turnkeep seal` does to the seal key of this machine. A server that runs learns of it by itself."""

from collections.abc import Callable
from datetime import date

from turnkeep.ring import Secret, read_ring, today, told, with_new, write_ring
from turnkeep_local import LocalError
from turnkeep_local.home import Home, mint_key, write_atomically


class LocalSeal:
    def __init__(self, home: Home, *, day: Callable[[], date] = today) -> None:
        self._home = home
        self._day = day

    def show(self) -> str:
        return told(self._ring())

    def rotate(self, *, drop_older: bool = False) -> str:
        """Older secrets stay, since what is remembered may lie under any of them; `drop_older` gives it up, with every
        thread, because somebody has seen the key."""
        ring = with_new(self._ring(), mint_key, self._day())
        kept = ring[:1] if drop_older else ring
        self._write(kept)
        return f"{told(kept)}\nDropped: {', '.join(each.id for each in ring if each not in kept) or 'none'}."

    def forget(self) -> str:
        if self._home.seal_file.exists():
            raise LocalError(f"{self._home.seal_file} is there, so nothing is to be forgotten.")
        ring = with_new((), mint_key, self._day())
        self._write(ring)
        return f"{told(ring)}\nA new key. Threads under the one that is lost are unreadable for good."

    def _ring(self) -> tuple[Secret, ...]:
        try:
            return read_ring(self._home.seal_key())
        except ValueError as error:
            raise LocalError(f"{self._home.seal_file} cannot be used: {error}.") from error

    def _write(self, ring: tuple[Secret, ...]) -> None:
        write_atomically(self._home.seal_file, write_ring(ring, self._day()).encode())
