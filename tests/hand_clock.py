"""A clock that stands still until a test moves it."""


class HandClock:
    """Gives `now`, in seconds, wherever code asks for the time."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = self.began = now

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
