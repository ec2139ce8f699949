"""Starts runs for OpenAI's clients: chooses the thread and detects retries. These clients send no idempotency key. They
count their retries, and some bodies name the turn that they follow."""

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from turnkeep.errors import NotFound, ThreadExists, ThreadMoved
from turnkeep.http.auth import name_thread
from turnkeep.http.native.turns import key_of, replay_headers
from turnkeep.http.openai.bodies import ChatRequest
from turnkeep.http.openai.frames import Frames
from turnkeep.http.routes import Routes
from turnkeep.http.sse import RunStream
from turnkeep.http.views import fault_of
from turnkeep.records import JSON, Principal, Turn
from turnkeep.store.head import run_digest
from turnkeep.store.leases import Repeat
from turnkeep.store.links import turn_of
from turnkeep.turns import RunningTurn, TurnRequest
from turnkeep.turns.request import GraphCall

RETRY_HEADER, THREAD_HEADER = "X-Stainless-Retry-Count", "X-Turnkeep-Thread"
_RESPONSE = re.compile(r"resp_(\d{1,8})_([0-9a-f]{12})_([A-Za-z0-9_-]{1,64})", re.ASCII)
_NO_RESPONSE = "The response does not exist. Responses expire with their thread, 24 hours after its last turn."


class ResponseId(NamedTuple):
    """Id of a response, known when its run begins. `run` distinguishes it from a turn with the same number on another
    branch, or in a later thread with the same id."""

    number: int
    run: str
    thread_id: str

    def __str__(self) -> str:
        return f"resp_{self.number}_{self.run}_{self.thread_id}"

    def check(self, turn: Turn) -> Turn:
        """Return the turn; raise NotFound if another run made it."""
        if turn.run_id is None or run_digest(turn.run_id).hex() != self.run:
            raise NotFound(_NO_RESPONSE)
        return turn


def read_response_id(text: str) -> ResponseId:
    """Parse the id; raise NotFound, also for a response that was not stored."""
    found = _RESPONSE.fullmatch(text)
    if found is None:
        raise NotFound(_NO_RESPONSE)
    return ResponseId(int(found[1]), found[2], found[3])


def repeat_of(request: Request) -> Repeat:
    return "first" if request.headers.get(RETRY_HEADER, "0") == "0" else "again"


def turns_before(running: RunningTurn) -> list[Turn]:
    """Return the turns before the run that were read one by one, still redacted; none for a replay."""
    links = running.loaded.tail if running.loaded else ()
    return [turn_of(link, {}) for link in links if "turn" in link.payload]


class OpenAIRoutes(Routes):
    """Base class of the routes that run turns."""

    def _now(self) -> int:
        return self._turns.budget.now()

    def _wanted(
        self, request: Request, caller: Principal, body: ChatRequest, messages: list[JSON], warnings: list[str]
    ) -> TurnRequest:
        return TurnRequest(
            principal=caller,
            message=messages[-1]["content"],
            agent=body.model,
            key=key_of(request),
            deadline=getattr(request.state, "deadline", None),
            warnings=tuple(dict.fromkeys(warnings)),
            call=GraphCall(input={"messages": messages}) if len(messages) > 1 else None,
            streamed=bool(body.stream),
        )

    async def _start(self, request: Request, wanted: TurnRequest, **changes: Any) -> RunningTurn:
        wanted = replace(wanted, **changes)
        if wanted.thread_id:
            name_thread(request, wanted.thread_id)
        elif wanted.key:  # nothing is stored under it, so it is not returned
            del request.state.idempotency_key
        return await self._turns.start(replace(wanted, repeat=None) if wanted.key else wanted)

    async def _start_after(self, request: Request, wanted: TurnRequest, previous: ResponseId) -> RunningTurn:
        """Start after the turn of an earlier response. If that is not the newest turn, start in a copy that ends there.
        The body names the turn it follows, so the same body again is a retry."""
        wanted = replace(wanted, after=previous.number, repeat="exact")
        try:
            running = await self._start(request, wanted, thread_id=previous.thread_id)
        except ThreadMoved:
            copy = self._derived(wanted.principal, "copy", str(previous), wanted.key or wanted.body().decode())
            await run_in_threadpool(self._copy, wanted.principal, previous, copy)
            return await self._start(request, wanted, thread_id=copy)
        try:
            for newest in turns_before(running)[-1:]:
                previous.check(newest)  # a turn of this number may be on another branch
        except NotFound:
            await running.close()
            raise
        return running

    def _copy(self, principal: Principal, previous: ResponseId, copy: str) -> None:
        previous.check(self._store.turns.read(principal, previous.thread_id, previous.number))
        with suppress(ThreadExists):  # created by the first attempt
            self._store.fork(principal, previous.thread_id, copy, turn=previous.number)

    def _derived(self, principal: Principal, *parts: str) -> str:
        """Return an id that does not reveal the parts."""
        [digest, *_] = self._store.heads.codec.digests(16, "openai", principal.tenant, principal.user, *parts)
        return f"conv_{digest.hex()}"

    async def _answer(self, running: RunningTurn, frames: Frames, wanted: TurnRequest) -> Response:
        named = {THREAD_HEADER: running.thread_id, "X-Turnkeep-Warnings": ", ".join(wanted.warnings)}
        headers = {name: value for name, value in named.items() if value} | replay_headers(running)
        if not wanted.streamed:
            turn = await running.finish()
            if error := fault_of(turn):  # OpenAI's clients retry it
                raise error
            return JSONResponse(frames.whole(turn), headers=headers)
        seconds = self._settings.turn.heartbeat_seconds
        return await RunStream(running, frames, headers=headers, heartbeat_seconds=seconds).opened()
