"""All data of one user as lines of JSON: immediately if small, else as an object that only the owner can decrypt.

    exports/<hash of user>/<id>.request   the owner and the key of the answer, encrypted; its event starts the worker
    exports/<hash of user>/<id>.gz        the answer: gzip under AES-256-CTR

There is no other record of an export, so one that is erased or a day old leaves no trace."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import KW_ONLY, asdict, dataclass
from tempfile import TemporaryFile
from typing import IO, Any, Literal

from turnkeep.errors import NotFound, StateCorrupt
from turnkeep.observability import logger
from turnkeep.placeholders import restored
from turnkeep.records import JSON, Principal, Thread, Turn, iso
from turnkeep.store.attachments import Attachments
from turnkeep.store.blobs import Objects
from turnkeep.store.head import Head
from turnkeep.store.keys import exports_of, place_of, user_key
from turnkeep.store.listing import Found
from turnkeep.store.memories import Memories
from turnkeep.store.store import Store
from turnkeep.store.usage import MICRO, Usage
from turnkeep.store.users import EXPORT_ID_HEX, STALLED_MS
from turnkeep.store.vault import has_placeholder
from turnkeep.texts import reworded_in

TURNS_AT_ONCE = 50
KEY_BYTES, IV_BYTES, ID_BYTES = 32, 16, 16
REQUEST, ANSWER = ".request", ".gz"
_INTERNAL = {"private", "thread_created", "persisted", "number", "attempt"}


@dataclass(frozen=True)
class Export:
    """An export by a worker. A ready one has a `url` for 15 minutes, and key and counter in hex to decrypt it."""

    export_id: str
    status: Literal["running", "ready", "failed"]
    url: str | None = None
    key: str | None = None
    iv: str | None = None


@dataclass(eq=False)
class Exports:
    """Writes exports. `facts`: the deployment's settings for all users. `on_request` is called with the key of each
    request, if bucket events do not start a worker."""

    store: Store
    attachments: Attachments
    usage: Usage
    objects: Objects
    _: KW_ONLY
    memories: Callable[[Principal], Memories]
    facts: JSON
    on_request: Callable[[str], object] = lambda key: None

    def lines(self, principal: Principal) -> Iterator[bytes]:
        """Yield one JSON object a line, each with its `type`; `end` marks the last. Raises StoreUnavailable."""
        for kind, value in self._values(principal):
            yield json.dumps({"type": kind, **value}, ensure_ascii=False, default=str).encode() + b"\n"

    def _values(self, principal: Principal) -> Iterator[tuple[str, JSON]]:
        found, threads, now = Found(), 0, iso(self.store.heads.now() / 1000)
        yield "principal", {"tenant": principal.tenant, "user": principal.user, "exported_at": now}
        yield "settings", self.facts
        for day in self.usage.days(principal):
            tokens, micro = day.used
            yield "usage", {"day": day.day, "tokens": tokens, "cost_usd": micro / MICRO, "turns": day.turns}
        yield from self._memory(principal)
        for listed in self.store.listing.all(principal, found):
            threads += 1
            with suppress(NotFound):  # deleted meanwhile
                yield from self._thread(principal, listed.thread_id)
        yield "end", {"threads": threads, "unreadable_threads": found.unreadable}

    def _memory(self, principal: Principal) -> Iterator[tuple[str, JSON]]:
        unreadable: list[str] = []
        for memory in self.memories(principal).below((), unreadable=unreadable, is_bounded=False):
            place = {"namespace": memory.namespace, "key": memory.key, "value": memory.value}
            times = {"created_at": memory.created, "updated_at": memory.updated, "expires_at": memory.expires}
            yield "memory", place | {name: at and iso(at / 1000) for name, at in times.items()}
        for sk in unreadable:
            namespace, key = place_of(sk)
            yield "unreadable", {"namespace": namespace, "key": key, "code": StateCorrupt.code}

    def _thread(self, principal: Principal, thread_id: str) -> Iterator[tuple[str, JSON]]:
        try:
            thread, head = self.store.threads.read(principal, thread_id), self.store.heads.read(principal, thread_id)
            times = {name: iso(getattr(thread, name)) for name in ("created_at", "updated_at", "expires_at")}
            pending = thread.pending and {"message": thread.pending.message, "at": iso(thread.pending.at)}
            yield "thread", {**asdict(thread), **times, "pending": pending}
            yield from self._documents(principal, head)
            yield from self._runs(head)
            yield from self._turns(principal, thread)
            yield from self._edits(head)
        except StateCorrupt:
            yield "unreadable", {"thread_id": thread_id, "code": StateCorrupt.code}

    def _turns(self, principal: Principal, thread: Thread) -> Iterator[tuple[str, JSON]]:
        """Yield turns by pages, oldest first; then those of abandoned branches, with `left`."""
        for start in range(1, thread.turn_count + 1, TURNS_AT_ONCE):
            before = min(start + TURNS_AT_ONCE, thread.turn_count + 1)
            limit = before - start
            for turn in self.store.turns.newest(principal, thread.thread_id, limit=limit, before=before, details=True):
                yield "turn", _turn_fields(turn)
        for turn in self.store.turns.abandoned(principal, thread.thread_id):
            yield "turn", {**_turn_fields(turn), "left": True}

    def _edits(self, head: Head) -> Iterator[tuple[str, JSON]]:
        """Yield the changes of the state other than turns, newest first."""
        for link, checkpoint in self.store.turns.edits(head):
            from turnkeep.store.serde import written_by  # noqa: PLC0415 - LangGraph loads with it

            facts = {"thread_id": head.thread_id, "after_turn": link.item["n"]}
            yield "edit", facts | self._restored(head, written_by(link, checkpoint))

    def _documents(self, principal: Principal, head: Head) -> Iterator[tuple[str, JSON]]:
        for document in self.attachments.documents(principal, head.thread_id):
            facts = {**asdict(document), "created_at": iso(document.created_at), "thread_id": head.thread_id}
            pieces = [asdict(piece) for piece in self.attachments.pieces(head.pk, document.id)]
            yield "document", facts | self._restored(head, {"pieces": pieces})

    def _runs(self, head: Head) -> Iterator[tuple[str, JSON]]:
        for queued in self.store.queue.all(head):
            facts = {"thread_id": head.thread_id, "run_id": queued.run_id, "created_at": iso(queued.at / 1000)}
            yield "run", facts | {"request": json.loads(self.store.queue.request_of(queued)) if queued.data else None}

    def _restored(self, head: Head, value: JSON) -> JSON:
        if not has_placeholder(value):
            return value
        values = self.store.vault.values(head)
        return dict(reworded_in(value, lambda text: restored(text, values)))

    def begin(self, principal: Principal) -> Export:
        """Request an export; a running one is returned instead. Raises StoreUnavailable."""
        prefix = exports_of(user_key(principal))
        for name in sorted(self.objects.names(prefix)):
            with suppress(NotFound):  # deleted meanwhile
                if (export := self.read(principal, name.removeprefix(prefix).partition(".")[0])).status == "running":
                    return export
        random = self.store.heads.random_bytes
        export_id = f"{self.store.heads.now():0{EXPORT_ID_HEX}x}{random(ID_BYTES).hex()}"
        name = prefix + export_id + REQUEST
        request = {"tenant": principal.tenant, "user": principal.user}
        request |= {"key": random(KEY_BYTES).hex(), "iv": random(IV_BYTES).hex()}
        self.objects.put(name, self.store.heads.codec.encrypt(request, name))
        self.on_request(name)
        return Export(export_id, "running")

    def read(self, principal: Principal, export_id: str) -> Export:
        """Return an export. Raises NotFound, StoreUnavailable."""
        prefix = exports_of(user_key(principal))
        name, names = prefix + export_id, set(self.objects.names(prefix))
        request = self._request(name + REQUEST) if name + REQUEST in names else None
        if request is None:
            raise NotFound("The export does not exist or has expired after a day. Request another one.")
        if name + ANSWER in names:
            url = self.objects.link(name + ANSWER, 15 * 60)  # seconds
            return Export(export_id, "ready", url, request["key"], request["iv"])
        is_late = int(export_id[:EXPORT_ID_HEX], 16) + STALLED_MS < self.store.heads.now()
        return Export(export_id, "failed" if is_late else "running")

    def work(self, key: str, has_time: Callable[[], bool] = lambda: True) -> None:
        """Write the export requested under this key, once. Ignore any other key. Raises StoreUnavailable."""
        name, request = key.removesuffix(REQUEST), self._request(key) if key.endswith(REQUEST) else None
        if request is None:
            return
        folder = name.rpartition("/")[0] + "/"
        if name + ANSWER in self.objects.names(folder):
            return
        with TemporaryFile() as file:
            if _write(file, self.lines(Principal(request["tenant"], request["user"])), request, has_time):
                size = file.tell()
                file.seek(0)
                self.objects.put(name + ANSWER, file)
                logger.info("export written", bytes=size)
            else:
                logger.error("export not finished in time")
        if self._request(key) is None:  # its user was erased meanwhile
            self.objects.delete([name + ANSWER])

    def _request(self, key: str) -> JSON | None:
        with suppress(KeyError, StateCorrupt):
            return dict(self.store.heads.codec.decrypt(self.objects.get(key), key))
        return None


def _write(file: IO[bytes], lines: Iterable[bytes], request: JSON, has_time: Callable[[], bool]) -> bool:
    """Write line by line, so that only one is in memory. Return False if time ran out."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - workers alone

    counter = modes.CTR(bytes.fromhex(request["iv"]))
    cipher = Cipher(algorithms.AES(bytes.fromhex(request["key"])), counter).encryptor()
    packer = zlib.compressobj(6, wbits=31)  # with the header of gzip
    for line in lines:
        file.write(cipher.update(packer.compress(line)))
        if not has_time():
            return False
    file.write(cipher.update(packer.flush()) + cipher.finalize())
    return True


def _turn_fields(turn: Turn) -> JSON:
    facts: dict[str, Any] = {name: value for name, value in asdict(turn).items() if name not in _INTERNAL}
    return {**facts, "turn_number": turn.number, "created_at": iso(turn.created_at)}
