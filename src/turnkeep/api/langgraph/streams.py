"""Answers that last as long as a run: its frames, or newlines until its values are there."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from turnkeep.api.langgraph.frames import FinalValues, RunFrames
from turnkeep.api.sse import HEARTBEAT, RunStream, RunStreamResponse

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn


class GraphStream(RunStream):
    """Says which run it is before anything else, so that a client whose connection is cut can ask for it."""

    def __init__(
        self, running: "RunningTurn", shown: RunFrames | FinalValues, *, heartbeat_seconds: float, goes_on: bool
    ) -> None:
        super().__init__(
            running,
            render=lambda turn: {"turn": turn},
            heartbeat_seconds=heartbeat_seconds,
            frame=shown,
            goes_on=goes_on,
        )
        self._shown = shown

    async def frames(self) -> AsyncGenerator[bytes]:
        if head := self._shown.head():
            yield head
        async for frame in super().frames():
            yield self._shown.heartbeat if frame == HEARTBEAT else frame


def answer(
    running: "RunningTurn",
    run_id: str,
    shown: RunFrames | FinalValues,
    *,
    heartbeat_seconds: float,
    goes_on: bool = False,
) -> RunStreamResponse:
    """The headers name where the run is found, without host and stage, which clients put before it. One that is not
    kept is found nowhere."""
    headers = {"Content-Type": shown.media_type, "Content-Location": f"/runs/{run_id}"}
    if running.thread_id:
        place = f"/threads/{running.thread_id}/runs/{run_id}"
        headers |= {"Content-Location": place, "Location": f"{place}/{shown.again}"}
    if running.replayed:
        headers["Idempotency-Replayed"] = "true"
    return RunStreamResponse(GraphStream(running, shown, heartbeat_seconds=heartbeat_seconds, goes_on=goes_on), headers)
