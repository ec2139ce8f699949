"""A file of vectors beside the documents, so that a start need not encode them again. Each is found by the text and the
model that it was made from: an edited document is encoded anew, and a stale file harms nothing."""

import os
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from zipfile import BadZipFile

import numpy
from numpy.typing import NDArray

from turnkeep.observability import logger

type Row = NDArray[numpy.float16]

# All that NumPy and zipfile raise on a damaged file or one of another kind.
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, BadZipFile, zlib.error)


def digest(text: str) -> str:
    return sha256(text.encode(errors="replace")).hexdigest()[:32]


def load_vectors(path: Path, model: str, dimensions: int) -> dict[str, Row]:
    """Vectors by the digest of their text; none where the file is absent, unreadable or of another model."""
    if not path.exists():
        return {}
    try:
        return _read(path, model, dimensions)
    except _UNREADABLE as error:
        logger.warning("vectors not used", reason=type(error).__name__)
        return {}


def save_vectors(path: Path, model: str, vectors: Mapping[str, Row]) -> None:
    """Whole or not at all. Where the folder cannot be written, as on Lambda, each start encodes what is missing."""
    try:
        _write(path, model, vectors)
    except OSError as error:
        logger.warning("vectors not kept", passages=len(vectors), reason=type(error).__name__)


def _read(path: Path, model: str, dimensions: int) -> dict[str, Row]:
    with numpy.load(path, allow_pickle=False) as file:
        of, digests, vectors = (file[name] for name in ("model", "digests", "vectors"))
    if str(of) != model:
        return {}
    if (
        vectors.dtype != numpy.float16
        or vectors.shape != (len(digests), dimensions)
        or not numpy.isfinite(vectors).all()
    ):
        raise ValueError("not what save_vectors writes")
    return dict(zip(digests.astype("U").tolist(), vectors, strict=True))


def _write(path: Path, model: str, vectors: Mapping[str, Row]) -> None:
    rows = numpy.stack(list(vectors.values()))
    with NamedTemporaryFile(dir=path.parent, delete_on_close=False) as file:
        numpy.savez(file, model=numpy.array(model), digests=numpy.array(list(vectors), "S"), vectors=rows)
        file.close()
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
