"""Turns an upload into a document that graphs can read: claim, parse, redact, store. The upload is always deleted."""

import functools
import re
from collections.abc import Callable
from dataclasses import replace

from turnkeep.documents.parsing.parsed import Unparsable
from turnkeep.documents.parsing.process import parse
from turnkeep.entries import entries
from turnkeep.errors import StoreUnavailable
from turnkeep.kit import excerpts
from turnkeep.observability import count, logger
from turnkeep.records import Parsed, Piece
from turnkeep.settings import Settings
from turnkeep.store.attachments import Attachments, Claimed

MAX_ATTEMPTS = 2  # a second one after the worker died or the store was unavailable
_ENDING = re.compile(r"\.(?:pdf|docx|html?|md|markdown|[ct]sv|txt)\Z", re.IGNORECASE)
_SEPARATORS = re.compile(r"[_+-]+(?![^\[\]]*\])")  # "Mario_Rossi", but not inside a placeholder


class Pipeline:
    def __init__(self, attachments: Attachments, settings: Settings, *, parse: Callable[[bytes, str], Parsed] = parse):
        self._attachments = attachments
        self._settings = settings
        self._parse = parse

    def process(self, key: str) -> None:
        """Store the document or its failure. Raise StoreUnavailable; the file is kept while an attempt is left."""
        claimed = self._attachments.claim(key)
        if claimed is None:
            self._attachments.drop(key)
            return
        code, is_kept = "processing_failed", False  # if a detector raises, for example
        try:
            code = self._code(claimed)
        except StoreUnavailable:
            is_kept = claimed.attempts < MAX_ATTEMPTS
            raise
        finally:
            if not is_kept:
                self._attachments.drop(claimed.key)  # first: a document without a stored failure fails by its age
                if code:
                    self._attachments.fail(claimed, code)
                    logger.warning("document failed", code=code)
                    count("DocumentFailed", code=code)

    def _code(self, claimed: Claimed) -> str:
        """Return why there is no document; empty if there is one, or no thread that needs it."""
        if claimed.attempts > MAX_ATTEMPTS:
            return "parser_failed"
        try:
            parsed = self._parse(claimed.body, claimed.name)
        except Unparsable as error:
            if error.place:
                logger.error("parser failed", place=error.place)
            return error.code
        return self._keep(claimed, parsed)

    def _keep(self, claimed: Claimed, parsed: Parsed) -> str:
        name, pieces, values = claimed.name, parsed.pieces, dict[str, str]()
        agent = claimed.head.agent  # without one, any agent may use the documents
        if any(map(self._settings.is_private, [agent] if agent else entries())):
            name, pieces, values = self._redacted(claimed, pieces)
        short = [replace(each, text=text) for each in pieces for text in excerpts.pieces(each.text, 1500)]
        parsed = replace(parsed, pieces=tuple(short))
        try:
            is_kept = self._attachments.finish(claimed, parsed, name=name, values=values)
        except ValueError:
            return "too_large"
        if is_kept:
            logger.info("document ready", kind=parsed.kind, pieces=len(pieces))
            count("DocumentReady", kind=parsed.kind)
        return ""

    def _redacted(self, claimed: Claimed, pieces: tuple[Piece, ...]) -> tuple[str, tuple[Piece, ...], dict[str, str]]:
        """Return the redacted name and pieces, and the values of the placeholders."""
        from turnkeep.pii import redacted  # noqa: PLC0415 - only redaction needs it

        values: dict[str, str] = {}
        names: set[str] = set()  # people so far, so that a later surname alone is detected
        tag = functools.partial(self._attachments.vault.tag, claimed.head.pk)

        def redact(text: str) -> str:
            result, new = redacted(text, tag, names=names)
            values.update(new)
            return result

        safe = [replace(each, text=redact(each.text), heading=each.heading and redact(each.heading)) for each in pieces]
        ending = _ENDING.search(claimed.name)
        stem = redact(claimed.name[: ending.start()] if ending else claimed.name)
        words = _SEPARATORS.sub(" ", stem)
        spaced = redact(words)
        name = (stem if spaced == words else spaced) + (ending[0] if ending else "")
        return name, tuple(safe), values
