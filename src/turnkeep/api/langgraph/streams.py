"""Answers that last as long as a run: its frames, or newlines until its values are there."""

from typing import TYPE_CHECKING

from turnkeep.api.langgraph.frames import FinalValues, RunFrames
from turnkeep.api.sse import RunStream, RunStreamResponse

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn


def places(thread_id: str | None, run_id: str, again: str) -> dict[str, str]:
    """Where a run is found, without host and stage: clients put those before it. One that is not kept is nowhere."""
    if thread_id is None:
        return {"Content-Location": f"/runs/{run_id}"}
    place = f"/threads/{thread_id}/runs/{run_id}"
    return {"Content-Location": place, "Location": f"{place}/{again}"}


def answer(
    running: "RunningTurn",
    run_id: str,
    shown: RunFrames | FinalValues,
    *,
    heartbeat_seconds: float,
    goes_on: bool = False,
) -> RunStreamResponse:
    """Begins at once, with the run's id in the headers."""
    headers = {"Content-Type": shown.media_type, **places(running.thread_id, run_id, shown.again)}
    if running.replayed:
        headers["Idempotency-Replayed"] = "true"
    stream = RunStream(
        running,
        render=lambda turn: {"turn": turn},
        heartbeat_seconds=heartbeat_seconds,
        frame=shown,
        goes_on=goes_on,
        head=shown.head(),
        heartbeat=shown.heartbeat,
    )
    return RunStreamResponse(stream, headers)
