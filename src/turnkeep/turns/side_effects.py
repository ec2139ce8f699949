"""Tools with side effects: a turn that runs again does not repeat them. Outside a stored turn they run directly."""

import asyncio
import functools
import inspect
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

from turnkeep.errors import ActionUnknown, StoreUnavailable
from turnkeep.observability import logger
from turnkeep.store.actions import Claim, Result
from turnkeep.store.plans import Begun, Loaded, Saved
from turnkeep.store.store import Store
from turnkeep.turns.threads import in_thread

P = ParamSpec("P")
T = TypeVar("T")
Key: TypeAlias = str | int | Callable[..., str | int]
Place: TypeAlias = tuple[str, str]
TUPLE = "-tuple"  # what a tool with an artifact returns; msgpack has lists only
ORIGIN = "origin"  # field of an interrupted run's checkpoint: digest of the key under which it began


@dataclass
class _Call:
    """`is_new`: call the function and set `result`."""

    is_new: bool
    result: Any = None


class Ledger:
    """Actions of one run. `goes_on`: it continues an interrupted run and uses that run's key."""

    def __init__(self, store: Store, begun: Begun, loaded: Loaded, *, goes_on: bool):
        self.origin: bytes = (goes_on and origin_of(loaded)) or begun.key
        self.locks: defaultdict[Place, Lock] = defaultdict(Lock)
        self.async_locks: defaultdict[Place, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._store = store
        self._begun = begun
        self._claiming = Lock()  # transactions that look at one item at the same time refuse each other

    @contextmanager
    def doing(self, place: Place, not_done: tuple[type[Exception], ...]) -> Iterator[_Call]:
        """Claim the action, then settle it. Calls of one place run one at a time."""
        from langgraph.errors import GraphBubbleUp  # noqa: PLC0415 - loads on the chat path only

        with self._claiming:
            claim = self._store.actions.claim(self._begun, self.origin, *place)
        if not claim.is_new:
            yield _Call(False, self._recorded(claim, place))
            return
        nothing_done: tuple[type[Exception], ...] = (*not_done, GraphBubbleUp)  # an interrupted node starts again
        call = _Call(True)
        try:
            yield call
        except nothing_done:
            self._store.actions.release(claim)
            raise
        try:
            self._keep(claim, call.result)
        except StoreUnavailable:  # the turn goes on: only one that runs again finds the outcome unknown
            logger.error("result of an action not kept", action=place[0])

    @asynccontextmanager
    async def doing_later(self, doing: AbstractContextManager[_Call]) -> AsyncIterator[_Call]:
        async with AsyncExitStack() as stack:
            call = await in_thread(doing.__enter__)
            stack.push_async_exit(lambda *error: in_thread(doing.__exit__, *error))
            yield call

    def _recorded(self, claim: Claim, place: Place) -> Any:
        if claim.result is not None:
            return _unpacked(claim.result)
        logger.warning("outcome of an action not known", action=place[0])
        release = functools.partial(self._store.actions.release, claim)
        raise ActionUnknown(*place, claim.at / 1000, settle=functools.partial(self._keep, claim), release=release)

    def _keep(self, claim: Claim, result: Any) -> None:
        self._store.actions.settle(claim, _packed(result))


def origin_of(loaded: Loaded) -> bytes | None:
    return (loaded.checkpoint or {}).get(ORIGIN)


def with_origin(saved: Saved, origin: bytes | None) -> Saved:
    """Store the origin with an interrupted run."""
    if not saved.interrupted or origin is None:
        return saved
    return replace(saved, checkpoint={**saved.checkpoint, ORIGIN: origin})


_ledger: ContextVar[Ledger | None] = ContextVar("ledger", default=None)


@contextmanager
def acting(ledger: Ledger | None) -> Iterator[None]:
    """Set the ledger for tools in this task and in tasks that it starts."""
    token = _ledger.set(ledger)
    try:
        yield
    finally:
        _ledger.reset(token)


def once(
    name: str, key: Key, *, not_done: tuple[type[Exception], ...] = ()
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function with a side effect, sync or async: `@once("send_email", key=lambda to, **_: to)`.

    A turn that runs again gets the recorded result of the same name and key; `key` may be computed from the arguments.
    A result has plain types, LangChain's and LangGraph's, and at most 300 KB packed; else TypeError or AgentFault.
    After an exception the outcome is unknown, except for `not_done` (nothing was done) and interrupts.
    Raise ActionUnknown instead of acting if the outcome is unknown, Superseded if another run has taken the thread,
    StoreUnavailable if the action cannot be claimed."""

    def around(act: Callable[P, T]) -> Callable[P, T]:
        if hasattr(act, "invoke"):
            raise TypeError(f'@once("{name}") goes beneath @tool, around the function itself.')

        @functools.wraps(act)
        async def act_later(*args: P.args, **kwargs: P.kwargs) -> Any:
            if (ledger := _ledger.get()) is None:
                return await cast(Any, act(*args, **kwargs))
            place = name, _key_text(name, key, args, kwargs)
            async with ledger.async_locks[place], ledger.doing_later(ledger.doing(place, not_done)) as call:
                if call.is_new:
                    call.result = await cast(Any, act(*args, **kwargs))
            return call.result

        @functools.wraps(act)
        def act_now(*args: P.args, **kwargs: P.kwargs) -> T:
            if (ledger := _ledger.get()) is None:
                return act(*args, **kwargs)
            place = name, _key_text(name, key, args, kwargs)
            with ledger.locks[place], ledger.doing(place, not_done) as call:
                if call.is_new:
                    call.result = act(*args, **kwargs)
            return cast(T, call.result)

        return cast(Callable[P, T], act_later) if inspect.iscoroutinefunction(act) else act_now

    return around


def _key_text(name: str, key: Key, args: Any, kwargs: Any) -> str:
    found = key(*args, **kwargs) if callable(key) else key
    if found is None or found == "":
        raise ValueError(f'once("{name}") has no key for this call: give what makes it the same action, such as an id.')
    return str(found)


def _packed(result: Any) -> Result:
    """Serialise a result. Raise TypeError if it would not read back equal."""
    from turnkeep.store.serde import SERIALISER  # noqa: PLC0415

    kind_of, is_tuple = type(result), type(result) is tuple
    refused = f"An action's result of type {kind_of.__name__} cannot be kept, though it was done: return plain JSON."
    try:
        kind, content = SERIALISER.dumps_typed(list(result) if is_tuple else result)
    except (TypeError, ValueError) as error:
        raise TypeError(refused) from error
    packed = kind + TUPLE * is_tuple, content
    back = _unpacked(packed)
    if type(back) is not kind_of or back != result:
        raise TypeError(refused)
    return packed


def _unpacked(result: Result) -> Any:
    from turnkeep.store.serde import SERIALISER  # noqa: PLC0415

    kind, content = result
    found = SERIALISER.loads_typed((kind.removesuffix(TUPLE), content))
    return tuple(found) if kind.endswith(TUPLE) else found
