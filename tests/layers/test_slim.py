"""What a layer keeps, and that its bytecode is used unasked."""

import os
import subprocess
import sys
from importlib.metadata import PathDistribution
from pathlib import Path
from types import ModuleType

import pytest

from deployed_function import loaded

SLIM = Path(__file__).parents[2] / "layers" / "slim.py"


@pytest.fixture(scope="module")
def slim() -> ModuleType:
    module: ModuleType = loaded(SLIM)
    return module


def lay(folder: Path, *names: str) -> Path:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("LINE = 1\n" if file.suffix == ".py" else "text")
    return folder


def left_in(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(("dialect", "is_kept"), [("snowflake", True), ("mysqldb", False)])
def test_sqlalchemys_mapper_stays_where_a_dialect_needs_it(dialect, is_kept, slim, tmp_path):
    lay(tmp_path, f"{dialect}/__init__.py", "sqlalchemy/engine/url.py", "sqlalchemy/orm/mapper.py")
    slim.strip(tmp_path)
    assert ("sqlalchemy/orm/mapper.py" in left_in(tmp_path)) is is_kept


def test_a_layer_keeps_sources_licences_and_data_only(slim: ModuleType, tmp_path: Path) -> None:
    stays = {
        "turnkeep_demo/samples/manual/crews.md",
        *(f"sqlglot/{room}/{name}.py" for room in ("dialects", "parsers") for name in ("__init__", "mysql")),
        *(f"aws_lambda_powertools/{name}.py" for name in ("logging/logger", "metrics/metrics")),
        "kept/__init__.py",
        "kept/testing/__init__.py",
        "kept/prompt.txt",
        "kept/corpus.jsonl",
        "kept/_fast.cpython-313-x86_64-linux-gnu.so",
        "kept-1.0.dist-info/entry_points.txt",
        "kept-1.0.dist-info/licenses/LICENSE.md",
        "kept-1.0.dist-info/LICENSE",
    }
    goes = {
        "turnkeep/notes.md",
        "numpy/manual/pages/a.md",
        "sqlglot/parsers/oracle.py",
        "sqlglot/executor/table.py",
        "aws_lambda_powertools/event_handler/router.py",
        "aws_lambda_powertools/utilities/data_classes/sqs.py",
        "aws_lambda_powertools/utilities/parameters/ssm.py",
        "bin/kept",
        "kept/__init__.pyi",
        "kept/py.typed",
        "kept/_fast.c",
        "kept/README.md",
        "kept/tests/test_kept.py",
        "kept/inner/test/__init__.py",
        "kept/__pycache__/stale.cpython-312.pyc",
        "kept/.agents/skills/kept.md",
        "kept-stubs/__init__.pyi",
        "kept-1.0.dist-info/RECORD",
        "kept-1.0.dist-info/WHEEL",
        "kept-1.0.dist-info/sboms/kept.json",
    }
    folder = lay(tmp_path / "python", *stays, *goes)
    (folder / "kept-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.4\nName: kept\nVersion: 1.0\n")
    slim.strip(folder)
    assert left_in(folder) == stays | {"kept-1.0.dist-info/METADATA"}
    assert PathDistribution(folder / "kept-1.0.dist-info").version == "1.0"


def test_bytecode_is_used_without_checking_its_source_and_shows_the_location_of_the_module(slim, tmp_path):
    folder = tmp_path / "python"
    folder.mkdir()
    (folder / "kept.py").write_text("def place(): return place.__code__.co_filename\n")
    slim.compile_all(folder, slim.MOUNTED_AT)
    (folder / "kept.py").write_text("raise AssertionError('read from the source, which would have to be compiled')\n")
    environ = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", "import kept; print(kept.place())"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(folder / "kept.py")


def test_two_builds_in_two_places_give_the_same_bytes(slim: ModuleType, tmp_path: Path) -> None:
    """Else every build would be deployed as a new version of the layer."""
    built = []
    for name in ("one", "two"):
        folder = lay(tmp_path / name / "python", "kept/__init__.py", "kept/inner.py")
        os.utime(folder / "kept" / "inner.py", (len(built) * 1000, len(built) * 1000))
        slim.compile_all(folder, slim.MOUNTED_AT)
        built.append({name: (folder / name).read_bytes() for name in left_in(folder)})
    assert built[0] == built[1]
    assert len(built[0]) == 4


def test_a_module_that_does_not_compile_ends_the_build(slim: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "python"
    lay(folder, "kept.py").joinpath("broken.py").write_text("def broken(:\n")
    with pytest.raises(SystemExit, match="not every module compiles"):
        slim.main(folder, "")


def test_bytecode_of_another_python_ends_the_build(slim, tmp_path, monkeypatch):
    folder = lay(tmp_path / "python", "kept.py", "kept.pyi")
    monkeypatch.setattr(slim, "MAGIC_NUMBER", b"\xf2\r\r\n")
    with pytest.raises(SystemExit, match=r"CPython 3\.13"):
        slim.main(folder, "")
    assert left_in(folder) == {"kept.py", "kept.pyi"}
