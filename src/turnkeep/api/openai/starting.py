"""Chooses a request's thread and detects retries. OpenAI's clients send no key; they count their tries, and some bodies
name what they follow."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from turnkeep.api.auth import name_thread
from turnkeep.api.openai.bodies import ChatRequest
from turnkeep.api.openai.words import Words
from turnkeep.api.routes import Routes
from turnkeep.api.sse import compact, open_stream
from turnkeep.api.turns import key_of, replay_headers
from turnkeep.errors import NotFound, ThreadExists, ThreadMoved
from turnkeep.records import JSON, Principal, Turn
from turnkeep.storage.head import run_digest
from turnkeep.storage.links import turn_of
from turnkeep.turns import TurnRequest
from turnkeep.turns.request import GraphCall

if TYPE_CHECKING:
    from turnkeep.storage.retries import Repeat
    from turnkeep.turns import RunningTurn

RETRY_HEADER, THREAD_HEADER = "X-Stainless-Retry-Count", "X-Turnkeep-Thread"
_RESPONSE = re.compile(r"resp_(\d{1,8})_([0-9a-f]{12})_([A-Za-z0-9_-]{1,64})", re.ASCII)
_NO_RESPONSE = "There is no such response; it goes with its thread, 24 hours after the last turn."


class ResponseId(NamedTuple):
    """Leads back to the turn, and is known when its run begins. `run` tells the turn from one that has its number in a
    thread made anew, or on another branch."""

    number: int
    run: str
    thread_id: str

    def __str__(self) -> str:
        return f"resp_{self.number}_{self.run}_{self.thread_id}"

    def check(self, turn: Turn) -> Turn:
        """Return the turn; raise NotFound if it is another one."""
        if turn.run_id is None or run_digest(turn.run_id).hex() != self.run:
            raise NotFound(_NO_RESPONSE)
        return turn


def read_response_id(text: str) -> ResponseId:
    """Parse the id; raise NotFound, also for the id of a response that was not stored."""
    found = _RESPONSE.fullmatch(text)
    if found is None:
        raise NotFound(_NO_RESPONSE)
    return ResponseId(int(found[1]), found[2], found[3])


def repeat_of(request: Request) -> "Repeat":
    return "first" if request.headers.get(RETRY_HEADER, "0") == "0" else "again"


def digest(messages: list[JSON]) -> str:
    return hashlib.sha256(compact({"messages": messages}).encode()).hexdigest()


def turns_before(running: "RunningTurn") -> list[Turn]:
    """Return the turns before the run, as far as they were read; none for a replay. Redacted text stays redacted."""
    links = running.loaded.links if running.loaded else ()
    return [turn_of(link, {}) for link in links if "turn" in link.payload]


async def _only_after(previous: ResponseId, running: "RunningTurn") -> "RunningTurn":
    """Raise NotFound if the newest turn has the response's number but is on another branch."""
    if before := turns_before(running):
        try:
            previous.check(before[-1])
        except NotFound:
            await running.close()
            raise
    return running


class Starting(Routes):
    """Starts runs, finding or creating their thread if needed, and answers with them."""

    def _now(self) -> int:
        return self._turns.budget.now()

    def _wanted(
        self, request: Request, caller: Principal, body: ChatRequest, messages: list[JSON], told: list[str]
    ) -> TurnRequest:
        """Return the request as both wires send it; `told` are warnings."""
        return TurnRequest(
            principal=caller,
            message=messages[-1]["content"],
            agent=body.model,
            key=key_of(request),
            deadline=getattr(request.state, "deadline", None),
            warnings=tuple(dict.fromkeys(told)),
            call=GraphCall(input={"messages": messages}) if len(messages) > 1 else None,
            streamed=bool(body.stream),
        )

    async def _start(self, request: Request, wanted: TurnRequest, **changes: Any) -> "RunningTurn":
        wanted = replace(wanted, **changes)
        if wanted.thread_id:
            name_thread(request, wanted.thread_id)
        elif wanted.key:  # nothing is stored under it, so it is not returned
            del request.state.idempotency_key
        return await self._turns.start(replace(wanted, repeat=None) if wanted.key else wanted)

    async def _start_after(self, request: Request, wanted: TurnRequest, previous: ResponseId) -> "RunningTurn":
        """Start after the turn of an earlier response: in its thread if that is the newest turn, else in a copy that
        ends there. The body names what it follows, so the same body again is a retry in both."""
        wanted = replace(wanted, after=previous.number, repeat="exact")
        try:
            running = await self._start(request, wanted, thread_id=previous.thread_id)
        except ThreadMoved:
            copy = self._derived(wanted.principal, "copy", str(previous), wanted.key or wanted.body().decode())
        else:
            return await _only_after(previous, running)
        await run_in_threadpool(self._copy, wanted.principal, previous, copy)
        return await self._start(request, wanted, thread_id=copy)

    def _copy(self, principal: Principal, previous: ResponseId, copy: str) -> None:
        previous.check(self._store.turns.read(principal, previous.thread_id, previous.number))
        try:
            self._store.fork(principal, previous.thread_id, copy, turn=previous.number)
        except ThreadExists:  # made by the first try
            return

    async def _start_new(self, request: Request, wanted: TurnRequest) -> "RunningTurn":
        """Start a new thread. Its id follows from the key, if there is one, so that a retry finds it."""
        new = self._derived(wanted.principal, "key", wanted.key) if wanted.key else f"conv_{self._new_id()}"
        return await self._start(request, replace(wanted, after=0, create=True), thread_id=new)

    def _derived(self, principal: Principal, *parts: str) -> str:
        """Return an id that does not reveal the parts."""
        made = self._services.codec.digests(16, "openai", principal.tenant, principal.user, *parts)
        return f"conv_{made[0].hex()}"

    async def _answer(
        self,
        running: "RunningTurn",
        words: Words,
        wanted: TurnRequest,
        *,
        stream: bool | None,
        seen: Callable[[Turn], Turn] = lambda turn: turn,
    ) -> Response:
        """Answer with the headers known before the run ends; `seen` adds to the turn what is known after it."""
        told = {THREAD_HEADER: running.thread_id, "X-Turnkeep-Warnings": ", ".join(wanted.warnings)}
        headers = {name: value for name, value in told.items() if value} | replay_headers(running)
        if not stream:
            return JSONResponse(words.whole(seen(await running.finish())), headers=headers)

        def frame(number: int, name: str, data: Mapping[str, Any]) -> bytes:
            return words(number, name, {"turn": seen(data["turn"])} if name == "complete" else data)

        seconds = self._settings.turn.heartbeat_seconds
        return await open_stream(running, frame, headers=headers, heartbeat_seconds=seconds)
