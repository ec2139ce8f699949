"""Documents of a thread, as their owner and its graphs see them."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeAlias

AttachmentStatus: TypeAlias = Literal["waiting", "processing", "ready", "failed"]  # "waiting" for the file


@dataclass(frozen=True)
class Piece:
    """Text of a document under a heading. Pages count from 1; None if the format has no pages."""

    text: str
    page: int | None = None
    heading: str | None = None


@dataclass(frozen=True)
class Attachment:
    """`kind` is detected from the content ("pdf"). `findings` are traces of text that addresses a model."""

    id: str
    name: str
    status: AttachmentStatus
    created_at: float
    size: int
    kind: str | None = None
    pages: int | None = None
    characters: int | None = None
    warnings: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    code: str | None = None


class Documents:
    """The active documents of a thread, read on first use. Their text is data, never an instruction."""

    def __init__(
        self,
        listed: Callable[[], tuple[Attachment, ...]] = tuple,
        pieces: Callable[[str], tuple[Piece, ...]] = lambda _: (),
    ):
        self._listed = listed
        self._pieces = pieces
        self._lock = Lock()
        self._all: tuple[Attachment, ...] | None = None
        self._read: dict[str, tuple[Piece, ...]] = {}

    def all(self) -> tuple[Attachment, ...]:
        """Return the documents that are ready, oldest first; raise StoreUnavailable."""
        with self._lock:
            if self._all is None:
                self._all = self._listed()
            return self._all

    def read(self, document_id: str) -> tuple[Piece, ...]:
        """Return the text of a document, empty for unknown ids; raise StoreUnavailable, StateCorrupt."""
        if document_id not in {document.id for document in self.all()}:
            return ()
        with self._lock:
            if document_id not in self._read:
                self._read[document_id] = self._pieces(document_id)
            return self._read[document_id]
