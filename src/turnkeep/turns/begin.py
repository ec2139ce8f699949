"""BEGIN: before any model is called, the message is stored and its thread is leased. Before that, the turn waits for
the documents that it names, and personal data is redacted if an agent that may run asks for it."""

import asyncio
import secrets
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, TypeVar

from turnkeep.errors import DocumentNotFound, NotFound, StoreUnavailable
from turnkeep.observability import logger
from turnkeep.records import AttachmentStatus, Documents, Principal, Turn
from turnkeep.store.attachments import Attachments
from turnkeep.store.head import Head, key_digest
from turnkeep.store.keys import partition
from turnkeep.store.leases import BeginRequest
from turnkeep.store.plans import Begun
from turnkeep.store.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns.redaction import Redactor
from turnkeep.turns.request import MERGING, TurnRequest
from turnkeep.turns.threads import in_thread, looks, monotonic

T = TypeVar("T")

IN_WORK, OF_NO_USE = "attachment_processing", "attachment_failed"


@dataclass(frozen=True)
class Begin:
    """`attachments` is None if documents are not stored. Agents in `private` run with PII redaction."""

    store: Store
    tuning: TurnTuning
    default_agent: str
    private: frozenset[str]
    attachments: Attachments | None

    async def wait(self, request: TurnRequest) -> TurnRequest:
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
        left = (request.deadline or inf) - monotonic() - self.tuning.commit_seconds
        until = monotonic() + min(60, left / 2)  # seconds; the run has the other half
        found: list[AttachmentStatus] = []
        async for _ in looks(0.2, until):  # seconds until the first
            if not _are_in_work(found := await _found(self.attachments, head, request.attachments)):
                break
        warnings = [IN_WORK] * _are_in_work(found) + [OF_NO_USE] * ("failed" in found)
        return replace(request, warnings=(*request.warnings, *warnings))

    def documents(self, head: Head) -> Documents:
        """Return the documents that a run on this thread may read."""
        if self.attachments is None:
            return Documents()
        return Documents(partial(self.attachments.active, head), partial(self.attachments.pieces, head.pk))

    async def redacting(self, request: TurnRequest) -> Redactor | None:
        """Return the redactor, which has the redacted message from now on; None if no agent that may run needs PII
        redaction. Raise PrivacyUnavailable."""
        agent = request.agent or (None if request.thread_id else self.default_agent)
        if not self.private or agent not in (None, *self.private):
            return None
        redactor = self.redactor(request.principal, request.thread_id)
        await in_thread(redactor.redact, request.message)
        return redactor

    def redactor(self, principal: Principal, thread_id: str | None) -> Redactor:
        """Return what restores stored texts of a thread for its owner."""
        if thread_id is None:
            return Redactor.of_run(secrets.token_bytes(16))
        read = partial(self.store.heads.read, principal, thread_id)
        return Redactor.of_thread(self.store.vault, partition(principal, thread_id), read)

    async def lease(self, request: TurnRequest, redactor: Redactor | None) -> Begun | Turn:
        """Store the message and take the thread, or return the stored turn of a repeated request."""
        asked = BeginRequest(
            key=request.key or "",
            body=request.body(),
            message=redactor.redact(request.message) if redactor else request.message,
            pii=dict(redactor.made) if redactor else None,
            agent=request.agent,
            create=request.create,
            after=request.after,
            incarnation=request.incarnation,
            repeat=request.repeat,
            queue=request.queue if request.incarnation or not request.when_busy else 0,  # that of a queued run
            seq=request.seq,
            answers=request.call is not None or request.when_busy not in ("enqueue", *MERGING),
        )
        begin, at = self.store.leases.begin, (request.principal, str(request.thread_id))
        taking = asyncio.create_task(in_thread(begin, *at, asked))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:  # the client left; the call cannot be stopped, so release what it takes
            await asyncio.wait({taking})
            begun = None if taking.cancelled() or taking.exception() else taking.result()
            if isinstance(begun, Begun):
                await release(begun, self.store)
            raise


async def or_released(work: Coroutine[Any, Any, T], begun: Begun, store: Store) -> T:
    """Release the thread unchanged if an error or a leaving client ends the work early."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(release, begun, store)
        result = await work
        stack.pop_all()
    return result


async def release(begun: Begun, store: Store) -> None:
    try:
        await in_thread(store.leases.release, begun)
    except StoreUnavailable:
        logger.warning("lease left to run out")
    await wake(begun.head, store)


async def wake(head: Head, store: Store) -> None:
    """Start the next queued run if this process has freed a thread for which runs wait."""
    if head.pk in store.heads.awaited and store.queue.launch:
        store.heads.awaited.discard(head.pk)
        await store.queue.launch(head)


async def _found(attachments: Attachments, head: Head, named: tuple[str, ...]) -> list[AttachmentStatus]:
    found = await in_thread(attachments.statuses, head, named)
    if found.keys() != set(named):
        raise DocumentNotFound
    return list(found.values())


def _are_in_work(found: list[AttachmentStatus]) -> bool:
    return "waiting" in found or "processing" in found
