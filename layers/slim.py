"""Makes a folder of installed packages fit for a Lambda layer: what no import needs goes, what is left is compiled.

Lambda mounts a layer read-only and with file times of its own, so bytecode that is checked against its source would be
thrown away at every cold start, or never be there. See docs/decisions/0008.

    python3.13 slim.py .aws-sam/build/DependenciesLayer/python
    python3.13 slim.py .aws-sam/build/layers/graphs/graphs --mounted-at /opt/graphs     of others: compiled, else left
"""

import argparse
import compileall
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER
from itertools import chain
from pathlib import Path
from py_compile import PycInvalidationMode

MAGIC_313 = (3571).to_bytes(2, "little") + b"\r\n"
MOUNTED_AT = "/opt/python"
UNUSED_FOLDERS = (
    *("bin", "*-stubs", "**/tests", "**/test", "**/__pycache__", "**/.agents", "**/sboms"),
    # Databases that no one stores campaigns in, and a library's renamed tests.
    *("sqlalchemy/testing", "sqlalchemy/dialects/mssql", "sqlalchemy/dialects/oracle"),
    "sqlglot/executor",
    # A tracing service's client that we do not use: its integrations with other frameworks, and its sandboxes.
    *("langsmith/integrations", "langsmith/sandbox"),
    # Powertools, which we use for logs and metrics: its router, and support for other event sources.
    *("aws_lambda_powertools/event_handler", "aws_lambda_powertools/utilities/data_*"),
    *(f"aws_lambda_powertools/utilities/{name}" for name in ("auth_alpha", "batch", "circuit_breaker")),
    *(f"aws_lambda_powertools/utilities/{name}" for name in ("feature_flags", "idempotency", "kafka")),
    *(f"aws_lambda_powertools/utilities/{name}" for name in ("parameters", "parser", "streaming", "validation")),
    # Administration of an organisation at OpenAI.
    *("openai/resources/admin", "openai/types/admin"),
    # Making and converting models; the extra `dense` only runs one.
    *("numpy/f2py", "onnxruntime/backend", "onnxruntime/datasets", "onnxruntime/quantization", "onnxruntime/tools"),
    "onnxruntime/transformers",
    # Binding C from Python source; cryptography needs only the compiled half.
    *("cffi", "pycparser"),
)
# The SQL dialects of sqlglot that agents write, and what all dialects share.
KEPT_DIALECTS = ("__init__.py", "base.py", "dialect.py", "mysql.py", "postgres.py", "sqlite.py")
# The numbers with checksums that people write about themselves.
KEPT_NUMBERS = ("__init__.py", "exceptions.py", "iban.*", "iso7064", "it", "luhn.py", "numdb.py", "util.py")
# SQLAlchemy's object-relational half, which is unused here; Snowflake's dialect imports it.
UNUSED_WITHOUT = {"snowflake": ("sqlalchemy/orm", "sqlalchemy/ext")}
UNUSED_FILES = (
    *("*.pyi", "py.typed", "*.pyc", "*.c", "*.h", "*.cpp", "*.pyx", "*.pxd", "*.md", "*.rst"),
    "libonnxruntime.so.*",  # for programs in C
    # Phone numbers: short ones, for example of the police.
    "phonenumbers/shortdata/region_*.py",
)
READ_PAGES = "**/turnkeep_demo/samples/**/*.md"
"""The user manual, which an agent reads when it starts."""
# What importlib.metadata reads, and the licences; the rest is for installers.
KEPT_METADATA = ("METADATA", "entry_points.txt", "licenses", "LICEN[CS]E*", "COPYING*", "NOTICE*")
SHOWN = 12


def main(folder: Path, mounted_at: str) -> None:
    if sys.implementation.name != "cpython" or MAGIC_NUMBER != MAGIC_313:
        sys.exit(f"{sys.executable} is {sys.version.split()[0]}: bytecode for Lambda has to come from CPython 3.13")
    if mounted_at:
        compile_all(folder, mounted_at)  # files that do not compile may be intended, such as a template
        return
    strip(folder)
    if not compile_all(folder, MOUNTED_AT):
        sys.exit(f"{folder}: not every module compiles")
    print("\n".join(table(folder)))


def strip(folder: Path) -> None:
    """Remove what is never imported; keep sources, for tracebacks."""
    spared = [UNUSED_WITHOUT[name] for name in UNUSED_WITHOUT if not (folder / name).exists()]
    unneeded = matching(folder, [*UNUSED_FOLDERS, *chain(*spared)])
    for unused in [*unneeded, *metadata_unused(folder), *dialects_unused(folder), *numbers_unused(folder)]:
        remove(unused)
    read = set(matching(folder, [READ_PAGES]))
    for unused in matching(folder, [f"**/{pattern}" for pattern in UNUSED_FILES]):
        if not (unused in read or any(part.endswith(".dist-info") for part in unused.parts)):
            remove(unused)


def matching(folder: Path, patterns: tuple[str, ...] | list[str]) -> list[Path]:
    return [path for pattern in patterns for path in folder.glob(pattern)]


def metadata_unused(folder: Path) -> Iterator[Path]:
    for entry in folder.glob("*.dist-info/*"):
        if not any(entry.match(kept) for kept in KEPT_METADATA):
            yield entry


def dialects_unused(folder: Path) -> Iterator[Path]:
    for room in ("dialects", "generators", "parsers", "typing"):
        for module in folder.glob(f"sqlglot/{room}/*.py"):
            if module.name not in KEPT_DIALECTS:
                yield module


def numbers_unused(folder: Path) -> Iterator[Path]:
    for entry in folder.glob("stdnum/*"):
        if not any(entry.match(kept) for kept in KEPT_NUMBERS):
            yield entry


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def compile_all(folder: Path, mounted_at: str) -> bool:
    """Write bytecode as if compiled where Lambda mounts it: identical from every machine, and used without checks."""
    done = compileall.compile_dir(
        folder,
        quiet=1,
        workers=0,
        stripdir=str(folder),
        prependdir=mounted_at,
        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
    )
    return bool(done)


def table(folder: Path) -> Iterator[str]:
    """Yield the largest entries and the sum, in MB of file contents."""
    sizes: Counter[str] = Counter()
    for file in folder.rglob("*"):
        if file.is_file():
            sizes[file.relative_to(folder).parts[0]] += file.stat().st_size
    for name, size in sizes.most_common(SHOWN):
        yield f"{size / 1e6:8.1f} MB  {name}"
    yield f"{sizes.total() / 1e6:8.1f} MB  {folder.parent.name}, {len(sizes)} entries"


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("folder", type=Path)
    given.add_argument("--mounted-at", default="")
    options = given.parse_args()
    main(options.folder.resolve(), options.mounted_at)
