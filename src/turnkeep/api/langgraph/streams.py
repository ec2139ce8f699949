"""Answers that last as long as a run: its frames, or newlines until its values are there."""

from typing import TYPE_CHECKING

from turnkeep.api.langgraph.frames import FinalValues, RunFrames
from turnkeep.api.sse import RunStream, RunStreamResponse

if TYPE_CHECKING:
    from turnkeep.turns import RunningTurn


def answer(
    running: "RunningTurn",
    run_id: str,
    shown: RunFrames | FinalValues,
    *,
    heartbeat_seconds: float,
    goes_on: bool = False,
) -> RunStreamResponse:
    """Begins at once, with the run's id in the headers, which name where it is found, without host and stage: clients
    put those before it. A run that is not kept is found nowhere."""
    headers = {"Content-Type": shown.media_type, "Content-Location": f"/runs/{run_id}"}
    if running.thread_id:
        place = f"/threads/{running.thread_id}/runs/{run_id}"
        headers |= {"Content-Location": place, "Location": f"{place}/{shown.again}"}
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
