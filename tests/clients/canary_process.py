"""Imported by the sitecustomize.py of a tested process. Libraries log at DEBUG, botocore retries without pauses, and a
socket returns which of the given words are in memory."""

import gc
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from types import AsyncGeneratorType, SimpleNamespace
from typing import Any

from botocore import endpoint

SOCKETS = "CANARY_SOCKETS"
TRIES = 100
BEGINNING = 8
"""All planted words of a run have this many first characters in common."""


def prepare() -> None:
    logging.basicConfig(level=logging.DEBUG)
    endpoint.time = SimpleNamespace(sleep=lambda seconds: None)  # type: ignore[attr-defined]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{os.environ[SOCKETS]}/{os.getpid()}")
    listener.listen()
    threading.Thread(target=_answer, args=(listener,), daemon=True).start()


def _answer(listener: socket.socket) -> None:
    """Words are sent reversed, so that the request does not bring them into memory."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw") as stream:
            stream.write(json.dumps(words_in_memory(json.loads(stream.readline()))) + "\n")


def words_in_memory(reversed_words: list[str]) -> list[str]:
    """Return the words that an object contains."""
    gc.unfreeze()
    _collect()
    beginning = reversed_words[0][::-1][:BEGINNING]
    return sorted({word for text in _texts(beginning) for word in reversed_words if _holds(text, word)})


def _collect() -> None:
    """Wait for the event loop to close unfinished generators."""
    for _ in range(TRIES):
        is_open = any(type(each) is AsyncGeneratorType and each.ag_frame for each in gc.get_objects())
        if not gc.collect() and not is_open:
            return
        time.sleep(0.05)


def _holds(text: Any, reversed_word: str) -> bool:
    word = reversed_word[::-1]
    return (word if isinstance(text, str) else word.encode()) in text


def _texts(beginning: str) -> Iterator[Any]:
    """Yield every text with a planted word that an object holds, also in objects that the collector does not track."""
    seen, level = set[int](), gc.get_objects()
    while level:
        held = {id(each): each for each in gc.get_referents(*level)}
        fresh = [each for key, each in held.items() if key not in seen]
        seen |= held.keys()
        yield from (each for each in fresh if isinstance(each, str) and beginning in each)
        yield from (each for each in fresh if isinstance(each, bytes | bytearray) and beginning.encode() in each)
        level = [each for each in fresh if not isinstance(each, str | bytes | bytearray) and not gc.is_tracked(each)]
