"""RUN: drives a graph to its end and makes a turn of the result. For agents with PII redaction, everything sent from
here to the store, the event queue or a model is redacted. Importing this module loads LangGraph."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from langgraph.errors import EmptyInputError, InvalidUpdateError
from langgraph.store.base import BaseStore

from turnkeep.attachments import Documents
from turnkeep.errors import AgentFault, InvalidRequest
from turnkeep.models.outgoing import redacting
from turnkeep.models.usage import UsageMeter
from turnkeep.observability import measure
from turnkeep.placeholders import PLACEHOLDER
from turnkeep.records import Event, RunContext, Turn, Usage
from turnkeep.storage.elements import changed
from turnkeep.storage.plans import Saved
from turnkeep.turns.calls import called_input
from turnkeep.turns.graph import GraphRun, NothingDone, Outcome, first_input
from turnkeep.turns.request import ACTING, TurnContext
from turnkeep.turns.running import RunningTurn
from turnkeep.turns.threads import in_thread, monotonic

STATELESS = "stateless"
_AMBIGUOUS = "When there are multiple pending interrupts"
"""Beginning of a LangGraph error that does not have its own class."""
NAME_THE_QUESTION = (
    "command.resume: Several questions are pending. Send an object from the id of each interrupt to its \
answer; GET /threads/{thread_id}/state lists them."
)
NOTHING_TO_DO = "The graph cannot go on from here with this input or command. Read the thread's state, send an input."


async def drive(
    hold: TurnContext,
    running: RunningTurn,
    now: datetime,
    documents: Documents,
    *,
    max_steps: int,
    store: BaseStore | None,
) -> tuple[Saved, Turn]:
    """Run the graph. Return what COMMIT stores and the turn, still without a number. `store` is the caller's memory.
    Raises what a node raises."""
    ACTING.set(hold.request.principal)
    window = hold.request.conversation_window or hold.agent.prompt_window
    call = hold.request.call
    of_try = hold.request.key or running.run_id or "", hold.begun.head.seq if hold.begun else 0
    context = RunContext(window, now, hold.request.principal, documents, call.context if call else {}, *of_try)
    hold.tally.meter = meter = UsageMeter()
    redactor = hold.redactor
    given = _given(hold)
    if redactor and call:
        given = await in_thread(changed, given, redactor.redact)
    thread_id, run_id = hold.request.thread_id or STATELESS, running.run_id
    ways: Any = {"max_steps": max_steps, "store": store, "call": call, "run_id": run_id}
    ways["is_addressed"] = hold.request.base is not None
    run = GraphRun(hold.agent, hold.loaded, thread_id, streamed=hold.request.streamed, **ways)
    try:
        async with run.opened(context):
            events = run.events(given, context, [meter])
            with redacting(redactor.redact, redactor.made) if redactor else redacting(None):
                async for event in redactor.redact_events(events) if redactor else events:
                    hold.tally.see(event)
                    running.emit(event)
            outcome = await run.outcome(redactor)
            if outcome.end:
                running.emit(Event("end", outcome.end))
    except (EmptyInputError, InvalidUpdateError, NothingDone) as error:
        raise (InvalidRequest(NOTHING_TO_DO) if call else AgentFault) from error
    except RuntimeError as error:
        if str(error).startswith(_AMBIGUOUS):
            raise InvalidRequest(NAME_THE_QUESTION) from error
        raise
    turn = _turn(hold, outcome, meter.usage(), created=running.thread_created)
    if redactor is None:
        return outcome.saved, replace(turn, private=PLACEHOLDER.search(turn.reply) is not None)
    turn = await in_thread(redactor.redact_turn, turn)
    measure({"PlaceholdersMade": len(redactor.made)}, agent=hold.agent.name)
    return replace(outcome.saved, pii=redactor.made), turn


def _given(hold: TurnContext) -> Any:
    head, loaded = hold.begun and hold.begun.head, hold.loaded
    name = f"m-{head.gen}-{head.seq}" if head else f"m-{hold.request.key}"
    waits = loaded.is_interrupted if loaded.is_branch else bool(head and head.interrupted)
    call = hold.request.call
    if call is None:
        return first_input(hold.agent, hold.request.message, name, interrupted=waits)
    if call.command and call.command.keys() == {"resume"} and not waits:
        raise InvalidRequest(NOTHING_TO_DO)
    return called_input(hold.agent, call, name)


def _turn(hold: TurnContext, outcome: Outcome, usage: Usage, *, created: bool) -> Turn:
    request, reply = hold.request, outcome.reply
    return Turn(
        thread_id=request.thread_id,
        number=0,
        agent=hold.agent.name,
        message=request.message,
        reply=reply.text,
        status="interrupted" if outcome.interrupted else "complete",
        created_at=round(hold.started_at, 3),
        duration_ms=int((monotonic() - hold.started) * 1000),
        provider=reply.provider or hold.agent.provider,
        model=reply.model or hold.agent.model,
        usage=usage,
        route=reply.route,
        confidence=reply.confidence,
        standalone_query=reply.standalone_query,
        sources=reply.sources,
        warnings=(*request.warnings, *reply.warnings),
        details={**reply.details, **request.named()},
        thread_created=created,
    )
