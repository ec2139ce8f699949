"""RUN: drives a graph to its end within its deadline, while its lease is renewed, and makes a turn of the result. For
agents with PII redaction, everything sent from here to the store, the event queue or a model is redacted. Importing
this module loads LangGraph."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import Any, TypeVar

from langgraph.errors import EmptyInputError, InvalidUpdateError

from turnkeep.errors import AgentFault, InvalidRequest, ModelTimeout, RunCancelled, StoreUnavailable, TurnkeepError
from turnkeep.models.faults import as_fault
from turnkeep.models.outgoing import redacting
from turnkeep.models.usage import UsageMeter
from turnkeep.observability import logger, measure, place
from turnkeep.placeholders import PLACEHOLDER
from turnkeep.records import Event, RunContext, Turn, Usage
from turnkeep.store.plans import Begun, Saved
from turnkeep.store.serde import changed
from turnkeep.store.store import Store
from turnkeep.tuning import TurnTuning
from turnkeep.turns.commit import Commit
from turnkeep.turns.graph import GraphRun, NothingDone, Outcome, first_input
from turnkeep.turns.request import ACTING, GraphCall, TurnContext
from turnkeep.turns.side_effects import Ledger, acting, with_origin
from turnkeep.turns.stream import RunningTurn
from turnkeep.turns.threads import in_thread, monotonic
from turnkeep.turns.wire import called_input

T = TypeVar("T")

LOOK_SECONDS = 1.0  # between looks whether a run is asked to stop
RAISED = logging.getLogger("graph_errors")  # whole exceptions, which may quote a user: enabled on laptops only
NAME_THE_QUESTION = "command.resume: Several questions are pending. Send an object from the id of each interrupt to \
its answer; GET /threads/{thread_id}/state lists them."
NOTHING_TO_DO = "The graph cannot go on from here with this input or command. Read the thread's state, send an input."


async def run_and_commit(context: TurnContext, running: RunningTurn, store: Store, tuning: TurnTuning) -> Turn:
    """Return the stored turn. Raise TurnkeepError."""
    begun, turn = context.begun, None
    until = min(context.started + tuning.seconds, context.request.deadline or inf)  # when its answer must leave
    ledger = Ledger(store, begun, context.loaded, goes_on=context.request.goes_on) if begun else None
    try:
        with acting(ledger):
            work = _drive(context, running, tuning.max_steps)
            hold = _hold(begun, running, store, tuning.renew_seconds)
            saved, drafted = await _watched(work, hold, running, tuning, until)
        context.spending.settle(turns=1)
        if begun is None or ledger is None:
            turn = replace(drafted, persisted=False)
        else:
            saved = with_origin(saved, ledger.origin)
            turn = await running.commit(Commit(store, until).write(begun, context.loaded, saved, drafted))
    finally:
        if turn is None and running.recorder:
            await running.recorder.end()
        await context.spending.end(turn)
    return turn


async def _watched(
    work: Coroutine[Any, Any, T], hold: Coroutine[Any, Any, Any], running: RunningTurn, tuning: TurnTuning, until: float
) -> T:
    """Await the run while its lease is held. End it if it is asked to stop, and so that its answer leaves by `until`,
    in monotonic seconds."""
    task, holding = asyncio.create_task(work), asyncio.create_task(hold)
    try:
        left = max(0, until - tuning.commit_seconds - monotonic())
        await asyncio.wait({task, holding}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not (task.done() or running.stopping.is_set()):
            raise (holding.exception() if holding.done() else None) or ModelTimeout
    finally:
        holding.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=tuning.commit_seconds)
    if not task.done():
        raise RunCancelled
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, TurnkeepError) or not isinstance(error, Exception):
        raise error
    fault = as_fault(error)
    if fault is None:
        logger.error("a node of the graph raised", error=type(error).__name__, place=place(error))
        RAISED.debug("", exc_info=error)
    raise fault or AgentFault() from error


async def _hold(begun: Begun | None, running: RunningTurn, store: Store, seconds: float) -> None:
    """Renew the lease until the run is asked to stop, here or by another process; raise Superseded. A run that others
    may join is asked more often. A store that hangs delays nothing else."""
    renewal, pause = monotonic() + seconds, min(seconds, LOOK_SECONDS) if running.recorder else seconds
    while not await running.stops(pause):
        is_due = monotonic() >= renewal
        try:
            is_asked = begun is not None and await in_thread(store.leases.renew if is_due else store.leases.look, begun)
            if is_asked:
                running.stopping.set()
            renewal += seconds * is_due
        except StoreUnavailable:
            logger.warning("lease not renewed, tried again")


async def _drive(context: TurnContext, running: RunningTurn, max_steps: int) -> tuple[Saved, Turn]:
    """Run the graph. Return what COMMIT stores and the turn, still without a number. Raise what a node raises."""
    request, begun, redactor = context.request, context.begun, context.redactor
    ACTING.set(request.principal)
    call, window = request.call, request.conversation_window or context.agent.prompt_window
    now, key = datetime.fromtimestamp(context.started_at, UTC), request.key or running.run_id or ""
    given_context, seq = call.context if call else {}, begun.head.seq if begun else 0
    run_context = RunContext(window, now, request.principal, context.documents, given_context, key, seq)
    context.spending.meter = meter = UsageMeter()
    given = _input(context)
    if redactor and call:
        given = await in_thread(changed, given, redactor.redact)
    run, written = GraphRun(context, run_context, run_id=running.run_id, max_steps=max_steps), ""
    with _request_faults(call):
        async with run.opened():
            events = run.events(given, [meter])
            try:
                with redacting(redactor.redact, redactor.made) if redactor else redacting(None):
                    async for event in redactor.redact_events(events) if redactor else events:
                        written += event.data["content"] if event.name == "token" else ""
                        context.spending.see(event)
                        running.emit(event)
            except asyncio.CancelledError:
                if not running.stopping.is_set():
                    raise
                await run.end_early(given, written)
            outcome = await run.outcome(redactor)
            if outcome.end:
                running.emit(Event("end", outcome.end))
    turn = _turn(context, outcome, meter.usage(), created=running.thread_created)
    if redactor is None:
        return outcome.saved, replace(turn, private=PLACEHOLDER.search(turn.reply) is not None)
    turn = await in_thread(redactor.redact_turn, turn)
    measure({"PlaceholdersMade": len(redactor.made)}, agent=context.agent.name)
    return replace(outcome.saved, pii=redactor.made), turn


@contextmanager
def _request_faults(call: GraphCall | None) -> Iterator[None]:
    """Raise InvalidRequest if LangGraph refuses what the client sent."""
    try:
        yield
    except (EmptyInputError, InvalidUpdateError, NothingDone) as error:
        raise (InvalidRequest(NOTHING_TO_DO) if call else AgentFault) from error
    except RuntimeError as error:
        if str(error).startswith("When there are multiple pending interrupts"):  # it has no class of its own
            raise InvalidRequest(NAME_THE_QUESTION) from error
        raise


def _input(context: TurnContext) -> Any:
    head, loaded, request = context.begun and context.begun.head, context.loaded, context.request
    message_id = f"m-{head.gen}-{head.seq}" if head else f"m-{request.key}"
    waits = loaded.is_interrupted if loaded.is_branch else bool(head and head.interrupted)
    call = request.call
    if call is None:
        return first_input(context.agent, request.message, message_id, interrupted=waits)
    if call.command and call.command.keys() == {"resume"} and not waits:
        raise InvalidRequest(NOTHING_TO_DO)
    return called_input(context.agent, call, message_id)


def _turn(context: TurnContext, outcome: Outcome, usage: Usage, *, created: bool) -> Turn:
    request, reply = context.request, outcome.reply
    return Turn(
        thread_id=request.thread_id,
        number=0,
        agent=context.agent.name,
        message=request.message,
        reply=reply.text,
        status=outcome.status,
        created_at=round(context.started_at, 3),
        duration_ms=int((monotonic() - context.started) * 1000),
        provider=reply.provider or context.agent.provider,
        model=reply.model or context.agent.model,
        usage=usage,
        route=reply.route,
        confidence=reply.confidence,
        standalone_query=reply.standalone_query,
        sources=reply.sources,
        warnings=(*request.warnings, *reply.warnings),
        details={**reply.details, **request.named()},
        thread_created=created,
    )
