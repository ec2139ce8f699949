"""Personal data in a text that is still being written."""

from collections.abc import Callable

from turnkeep.blocks.pii.stretches import Stretches


class Held:
    """Lets out what cannot be part of personal data or of a placeholder any more, hidden; holds back at most
    `stretches.LONGEST` characters. Fed in whatever pieces, it gives what `hide` gives of the whole text."""

    def __init__(self, hide: Callable[[str], str]):
        """`hide` gets finished stretches, in their order."""
        self._hide = hide
        self._stretches = Stretches()

    def feed(self, piece: str) -> str:
        """What may leave now, perhaps nothing."""
        whole = "".join(self._stretches.feed(piece))
        return self._hide(whole) if whole else ""

    def end(self) -> str:
        """The rest."""
        rest = self._stretches.end()
        return self._hide(rest) if rest else ""
