"""Tools that act, once: around a function with a side effect, `once` has it done no second time by a turn that runs
again. Outside of a turn that is kept, in a test or a stateless run, the function is simply called."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from threading import Lock
from types import TracebackType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

from turnkeep.errors import ActionUnknown, StoreUnavailable
from turnkeep.observability import logger
from turnkeep.storage.actions import Claim
from turnkeep.storage.plans import Begun, Loaded, Saved
from turnkeep.storage.table import Table
from turnkeep.turns.threads import InThread

P = ParamSpec("P")
T = TypeVar("T")
Key: TypeAlias = str | int | Callable[..., str | int]
ORIGIN = "origin"
"""Where the checkpoint of a run that waits says in which turn it began."""


class Ledger:
    """What the tools of one run do. `goes_on`: the run continues one that an earlier turn began, and is asked about
    under that turn's key."""

    def __init__(self, table: Table, in_thread: InThread, begun: Begun, loaded: Loaded, *, goes_on: bool):
        self.in_thread = in_thread
        self.going: dict[tuple[str, str], Future[Any]] = {}
        self._table = table
        self._begun = begun
        self._origin = (goes_on and origin_of(loaded)) or begun.key
        self._lock = Lock()

    def claim(self, name: str, key: str) -> Claim:
        with self._lock:  # transactions that look at one item at the same time refuse each other
            return self._table.claim_action(self._begun, self._origin, name, key)

    def settle(self, claim: Claim, result: Any) -> None:
        """Raises TypeError, AgentFault for a result that cannot be kept, StoreUnavailable."""
        self._table.settle_action(claim, _packed(result))

    def release(self, claim: Claim) -> None:
        with self._lock:
            self._table.release_action(claim)

    def marked(self, saved: Saved) -> Saved:
        return with_origin(saved, self._origin)


def origin_of(loaded: Loaded) -> bytes | None:
    """The digest of the key of the turn that began the run which waits there."""
    return (loaded.checkpoint or {}).get(ORIGIN)


def with_origin(saved: Saved, origin: bytes | None) -> Saved:
    """A run that waits takes its beginning along."""
    if not saved.interrupted or origin is None:
        return saved
    return replace(saved, checkpoint={**saved.checkpoint, ORIGIN: origin})


_ledger: ContextVar[Ledger | None] = ContextVar("ledger", default=None)


@contextmanager
def acting(ledger: Ledger | None) -> Iterator[None]:
    """For every tool in this task and in those that it starts."""
    token = _ledger.set(ledger)
    try:
        yield
    finally:
        _ledger.reset(token)


def once(
    name: str, key: Key, *, not_done: tuple[type[Exception], ...] = ()
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Around a function, sync or async, that acts on the world: `@once("send_email", key=lambda to, **_: to)`.

    A turn that runs again gets the recorded result of the same name and key; `key` may be made of the function's
    arguments. The result is what LangGraph can serialise without types of one's own, at most 300 KB. An exception
    leaves the outcome unknown, unless it is one of `not_done`, which say that nothing was done; or an interrupt.
    Raises ActionUnknown instead of acting where nobody knows whether it was done, Superseded where another run has
    taken the thread, StoreUnavailable where it cannot be claimed; and TypeError for a result that cannot be kept.
    """

    def around(act: Callable[P, T]) -> Callable[P, T]:
        if not inspect.isroutine(act) and hasattr(act, "invoke"):
            raise TypeError(f'@once("{name}") goes beneath @tool, around the function itself.')

        if inspect.iscoroutinefunction(act):

            @functools.wraps(act)
            async def act_later(*args: P.args, **kwargs: P.kwargs) -> Any:
                if (ledger := _ledger.get()) is None:
                    return await act(*args, **kwargs)
                async with _Action(ledger, name, _said(key, name, args, kwargs), not_done) as action:
                    if action.is_new:
                        action.result = await act(*args, **kwargs)
                return action.result

            return cast(Callable[P, T], act_later)

        @functools.wraps(act)
        def act_now(*args: P.args, **kwargs: P.kwargs) -> T:
            if (ledger := _ledger.get()) is None:
                return act(*args, **kwargs)
            with _Action(ledger, name, _said(key, name, args, kwargs), not_done) as action:
                if action.is_new:
                    action.result = act(*args, **kwargs)
            return cast(T, action.result)

        return act_now

    return around


def _said(key: Key, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    said = key(*args, **kwargs) if callable(key) else key
    if said is None or said == "":
        raise ValueError(f'once("{name}") has no key for this call: give what makes it the same action, such as an id.')
    return str(said)


class _NotBegun(Exception):
    """The run was cancelled between the claim and the action."""


class _Action:
    """One call. The first of a run with this name and key claims and settles; others at the same time wait for it."""

    def __init__(self, ledger: Ledger, name: str, key: str, not_done: tuple[type[Exception], ...]):
        self.is_new = False
        self.result: Any = None
        self._ledger = ledger
        self._place = (name, key)
        self._not_done = not_done
        self._claim: Claim | None = None
        self._mine: Future[Any] = Future()
        self._first = ledger.going.setdefault(self._place, self._mine)

    def __enter__(self) -> "_Action":
        if self._first is not self._mine:
            self.result = self._first.result()
            return self
        try:
            self._begin()
        except BaseException as error:
            self._tell(error)
            raise
        return self

    def _begin(self) -> None:
        self._claim = claim = self._ledger.claim(*self._place)
        self.is_new = claim.is_new
        if claim.is_new:
            return
        if claim.result is None:
            logger.warning("outcome of an action not known", action=self._place[0])
            raise self._unknown(claim)
        self.result = _unpacked(claim.result)

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._first is not self._mine:
            return
        try:
            self._finish(error)
        except BaseException as late:
            error = late
            raise
        finally:
            self._tell(error)

    def _finish(self, error: BaseException | None) -> None:
        if not self.is_new or self._claim is None:
            return
        if error is None:
            self._settle(self._claim)
        elif isinstance(error, (*self._not_done, _NotBegun)) or _is_interrupt(error):
            self._ledger.release(self._claim)

    def _settle(self, claim: Claim) -> None:
        """The permitted degradation: what was done goes on, and is unknown only to a turn that runs again."""
        try:
            self._ledger.settle(claim, self.result)
        except StoreUnavailable:
            logger.error("result of an action not kept", action=self._place[0])

    def _tell(self, error: BaseException | None) -> None:
        """Those who wait."""
        self._ledger.going.pop(self._place)
        if error is None:
            self._mine.set_result(self.result)
        else:
            self._mine.set_exception(error if isinstance(error, Exception) else ActionUnknown(*self._place))

    async def __aenter__(self) -> "_Action":
        if self._first is not self._mine:
            self.result = await asyncio.shield(asyncio.wrap_future(self._first))
            return self
        entering = asyncio.create_task(self._ledger.in_thread(self.__enter__))
        try:
            return await asyncio.shield(entering)
        except asyncio.CancelledError:
            await asyncio.wait({entering})  # the call cannot be stopped, so what it took is given back
            if not entering.exception():
                await self._ledger.in_thread(self.__exit__, None, _NotBegun(), None)
            raise

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        await asyncio.shield(asyncio.create_task(self._ledger.in_thread(self.__exit__, kind, error, trace)))

    def _unknown(self, claim: Claim) -> ActionUnknown:
        settle = functools.partial(self._ledger.settle, claim)
        release = functools.partial(self._ledger.release, claim)
        return ActionUnknown(*self._place, claim.at / 1000, settle=settle, release=release)


def _is_interrupt(error: BaseException) -> bool:
    """What stops a node so that it runs again later, from its beginning."""
    from langgraph.errors import GraphBubbleUp  # noqa: PLC0415 - LangGraph loads on the chat path only

    return isinstance(error, GraphBubbleUp)


def _packed(result: Any) -> tuple[str, bytes]:
    """Raises TypeError for what would come back as something else."""
    from turnkeep.storage.elements import SERIALISER  # noqa: PLC0415

    try:
        kind, content = SERIALISER.dumps_typed(result)
        back = _unpacked((kind, content))
    except (TypeError, ValueError) as error:
        raise TypeError(_not_kept(result)) from error
    if type(back) is not type(result) or back != result:
        raise TypeError(_not_kept(result))
    return kind, content


def _unpacked(result: tuple[str, bytes]) -> Any:
    from turnkeep.storage.elements import SERIALISER  # noqa: PLC0415

    return SERIALISER.loads_typed(result)


def _not_kept(result: Any) -> str:
    kind = type(result).__name__
    return f"An action's result of type {kind} cannot be kept, though it was done: return plain JSON or messages."
