"""Waits for the documents that a turn names, before its thread is locked."""

from dataclasses import dataclass, replace
from functools import partial
from math import inf

from turnkeep.attachments import AttachmentStatus, Documents
from turnkeep.errors import DocumentNotFound, NotFound
from turnkeep.storage.attachments import Attachments
from turnkeep.storage.head import Head, key_digest
from turnkeep.storage.store import Store
from turnkeep.turns.request import TurnRequest
from turnkeep.turns.threads import in_thread, looks, monotonic

WAIT_SECONDS = 60
FIRST_LOOK_SECONDS = 0.2
IN_WORK, OF_NO_USE = "attachment_processing", "attachment_failed"


@dataclass(frozen=True)
class Attached:
    """`attachments` is None if documents are not stored; `commit_seconds` are reserved for COMMIT."""

    attachments: Attachments | None
    store: Store
    commit_seconds: float

    def documents(self, head: Head) -> Documents:
        """Return the documents that a run on this thread may read."""
        if self.attachments is None:
            return Documents()
        return Documents(partial(self.attachments.active, head), partial(self.attachments.pieces, head.pk))

    async def waited(self, request: TurnRequest) -> TurnRequest:
        """Return the request once its documents are read or time is up, then with warnings.
        Raise NotFound, DocumentNotFound, StoreUnavailable."""
        if not request.attachments:
            return request
        if request.thread_id is None or self.attachments is None:
            raise DocumentNotFound
        try:
            head = await in_thread(self.store.heads.read, request.principal, request.thread_id)
        except NotFound as error:
            raise (DocumentNotFound if request.create else NotFound) from error
        if head.turn_of_key(key_digest(head.pk, str(request.key))) is not None:
            return request  # it is answered from the store, whatever became of its documents
        found: list[AttachmentStatus] = []
        async for _ in looks(FIRST_LOOK_SECONDS, monotonic() + self._seconds(request)):
            if not _are_in_work(found := await _found(self.attachments, head, request.attachments)):
                break
        return replace(request, warnings=(*request.warnings, *_warnings(found)))

    def _seconds(self, request: TurnRequest) -> float:
        """Return the longest wait in seconds: at most half of the time, so that the run has the rest."""
        left = (request.deadline or inf) - monotonic() - self.commit_seconds
        return min(WAIT_SECONDS, left / 2)


async def _found(attachments: Attachments, head: Head, named: tuple[str, ...]) -> list[AttachmentStatus]:
    found = await in_thread(attachments.statuses, head, named)
    if found.keys() != set(named):
        raise DocumentNotFound
    return list(found.values())


def _are_in_work(found: list[AttachmentStatus]) -> bool:
    return "waiting" in found or "processing" in found


def _warnings(found: list[AttachmentStatus]) -> list[str]:
    warnings = [IN_WORK] if _are_in_work(found) else []
    return [*warnings, OF_NO_USE] if "failed" in found else warnings
