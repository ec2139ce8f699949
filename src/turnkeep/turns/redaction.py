"""Redacts personal data before it is stored, queued or sent to a model; restores it for the thread's owner.
A failed detection ends the request before anything is stored."""

import hmac
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from threading import Lock

from turnkeep.errors import PrivacyUnavailable, StoreUnavailable
from turnkeep.observability import count, logger, place
from turnkeep.placeholders import PLACEHOLDER, restored
from turnkeep.records import Event, Turn
from turnkeep.store.head import Head
from turnkeep.store.vault import TAG_BYTES, Vault, has_placeholder, reworded
from turnkeep.texts import reworded_in
from turnkeep.turns.threads import in_thread

LINE_CHARACTERS = 4_096  # of the sent text that is searched for the beginning of a link
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, OSError, ImportError)


class Redactor:
    """`made`: values by placeholder of this run; `older`: returns those of earlier turns, called at most once.
    `tag`: returns a placeholder's digits for a kind and a value. Thread-safe."""

    def __init__(self, tag: Callable[[str, str], str], older: Callable[[], Mapping[str, str]] = dict):
        self.made: dict[str, str] = {}
        self._tag = tag
        self.older = older
        self._known: Mapping[str, str] | None = None
        self._redacted: dict[str, str] = {}
        self._names: set[str] = set()
        self._lock = Lock()
        self._sent = ""

    @classmethod
    def of_thread(cls, vault: Vault, pk: str, head: Callable[[], Head]) -> "Redactor":
        return cls(lambda kind, value: vault.tag(pk, kind, value), lambda: vault.values(head()))

    @classmethod
    def of_run(cls, secret: bytes) -> "Redactor":
        """Return the redactor of a run that stores nothing."""
        return cls(lambda kind, value: hmac.digest(secret, f"{kind}|{value}".encode(), sha256)[:TAG_BYTES].hex())

    def redact(self, text: str) -> str:
        """Redact a text. Raise PrivacyUnavailable."""
        with self._lock:
            names = len(self._names)
            if text not in self._redacted:
                safe = self._redact(text)
                if len(self._names) > names:  # an earlier text may contain a new name by itself
                    self._redacted.clear()
                self._redacted[text] = safe
            return self._redacted[text]

    def _redact(self, text: str) -> str:
        try:
            from turnkeep.pii import redacted  # noqa: PLC0415 - only PII redaction needs it

            safe, values = redacted(text, self._tag, names=self._names)
        except _BROKEN as error:
            logger.error("personal data not hidden", error=type(error).__name__, place=place(error))
            raise PrivacyUnavailable from error
        self.made |= {name: value for name, value in values.items() if name not in self.made}
        return safe

    async def redact_events(self, events: AsyncIterator[Event]) -> AsyncIterator[Event]:
        """Hold tokens back while they may be the beginning of personal data."""
        from turnkeep.pii import Held  # noqa: PLC0415 - only PII redaction needs it

        held, pieces = Held(self.redact), Held(self.redact)
        last: Event | None = None
        async for event in events:
            if event.name == "node":
                yield event
            elif text := _piece_of(event):
                last = event
                if text := pieces.feed(text):
                    yield _with_piece(event, text)
            elif event.name != "token":
                yield Event(event.name, reworded_in(dict(event.data), self.redact))
            elif text := held.feed(event.data["content"]):
                yield Event("token", {"content": text})
        if rest := held.end():
            yield Event("token", {"content": rest})
        if last and (rest := pieces.end()):
            yield _with_piece(last, rest)

    def redact_turn(self, turn: Turn) -> Turn:
        return replace(reworded(turn, self.redact), private=True)

    def reveal(self, text: str, before: str = "") -> str:
        """Restore a text for its owner; `before` is the preceding text of a stream. May query the store."""
        if any(at[0] not in self.made for at in PLACEHOLDER.finditer(text)):
            return restored(text, {**self._earlier(), **self.made}, before=before)
        return restored(text, self.made, before=before)

    async def restore(self, event: Event) -> Event:
        """Restore an event for the thread's owner; pass events in their order."""
        before = ""
        if event.name == "token":
            before, self._sent = self._sent, (self._sent + event.data["content"])[-LINE_CHARACTERS:]
        if not has_placeholder(event.data):
            return event
        reveal = partial(self.reveal, before=before)
        return Event(event.name, await in_thread(reworded_in, dict(event.data), reveal))

    async def restore_turn(self, turn: Turn) -> Turn:
        return await in_thread(reworded, turn, self.reveal) if turn.private else turn

    def _earlier(self) -> Mapping[str, str]:
        """Return nothing if the store is unavailable: a placeholder in a reply is better than no reply."""
        if self._known is None:
            try:
                self._known = self.older()
            except StoreUnavailable:
                logger.warning("placeholders of earlier turns not restored")
                count("PlaceholdersLost")
                self._known = {}
        return self._known


def _piece_of(event: Event) -> str:
    """Return the text of a streamed piece of a model's message."""
    data = event.data["data"] if event.name == "part" and event.data["mode"] == "messages-tuple" else [{}]
    content = data[0].get("content")
    return content if isinstance(content, str) else ""


def _with_piece(event: Event, text: str) -> Event:
    message, metadata = event.data["data"]
    return Event("part", {**event.data, "data": [{**message, "content": text}, metadata]})
