"""asyncio in virtual time: an event loop that runs in one actor. What the code runs in threads runs as child actors."""

import asyncio
from contextlib import suppress

from simulation.kernel import Killed
from turnkeep.turns.threads import in_thread


class Loop(asyncio.BaseEventLoop):
    """There is nothing to select from: the loop pauses until its next timer, or until something wakes it."""

    slow_callback_duration = 1e9

    def __init__(self, sim):
        super().__init__()
        self.sim, self.actor, self.is_woken, self._selector = sim, sim.current, False, self

    def time(self):
        return self.sim.now

    def select(self, timeout):
        if timeout != 0 and not self.is_woken:
            asyncio._set_running_loop(None)  # several loops live in this thread, one at a time
            try:
                if timeout is not None:
                    self.sim.wake(self.actor, self.sim.now + timeout)
                self.sim.pause()
            finally:
                asyncio._set_running_loop(self)
        self.is_woken = False
        return ()

    def _process_events(self, events):
        """There are none."""

    def _write_to_self(self):
        if not self.is_woken and self.sim.current is not self.actor:
            self.sim.wake(self.actor)
        self.is_woken = True

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()

        def work():
            try:
                settle, found = future.set_result, func(*args)
            except Killed:
                raise
            except BaseException as raised:  # noqa: BLE001 - raised where the future is awaited
                settle, found = future.set_exception, raised
            self.call_soon_threadsafe(lambda: future.done() or settle(found))

        self.sim.child(work, "call", self.actor.process)
        return future


def in_loop(sim, coroutine):
    """The result of the coroutine, run on an event loop of its own in the current actor."""
    loop, before = Loop(sim), asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        return loop.run_until_complete(loop.create_task(coroutine))
    finally:
        asyncio._set_running_loop(before)
        for task in asyncio.all_tasks(loop):  # those of a process that died
            task._log_destroy_pending = False
            with suppress(BaseException):
                task.get_coro().close()
        loop._ready.clear()
        loop._scheduled.clear()
        if not loop.is_running():
            loop.close()


async def in_actor(function, args, **_):
    """In place of a thread of anyio."""
    return await in_thread(function, *args)
