"""An ASGI client without sockets, which can disconnect."""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Message


class Caller:
    """One request to an ASGI application. `hang_up` closes the connection."""

    def __init__(
        self,
        app: ASGIApp,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] = {},
        *,
        state: Mapping[str, Any] = {},
    ):
        path, _, query = path.partition("?")
        names = {"content-type": "application/json", **headers}
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in names.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "state": dict(state),
        }
        self._app, self._body, self._gone = app, body, asyncio.Event()
        self._is_sent = False
        self.answers: asyncio.Queue[Message] = asyncio.Queue()

    def start(self) -> "asyncio.Task[None]":
        return asyncio.ensure_future(self._app(self._scope, self._receive, self.answers.put))  # type: ignore[arg-type]

    async def _receive(self) -> Message:
        if not self._is_sent:
            self._is_sent = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    def hang_up(self) -> None:
        self._gone.set()

    def received(self) -> list[Message]:
        """Return the messages that no one has waited for."""
        return [self.answers.get_nowait() for _ in range(self.answers.qsize())]

    async def answer(self) -> Message:
        return await asyncio.wait_for(self.answers.get(), 120)
