"""What `sam build` leaves: small, compiled, and all that the functions need beside the managed runtime's boto3."""

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import boto3
import pytest
from stack import ROOT

BUILT = ROOT / ".aws-sam" / "build"
FUNCTIONS = {name: f"{name.capitalize()}Function" for name in ("api", "stream", "worker", "cleanup", "authorizer")}
WITH_PARSERS = {"documents": "DocumentsFunction"}
"""What parses files brings its parsers with it."""
LAYERS = ("DependenciesLayer", "PackageLayer")
OF_THE_RUNTIME = ("boto3", "botocore", "s3transfer", "dateutil", "six.py")
LAPTOP_ONLY = ("uvicorn", "uvloop", "pytest", "moto", "turnkeep_local", "template.yaml")
MOST_BYTES = 125_000_000
UNCHECKED = b"\x01\x00\x00\x00"

pytestmark = pytest.mark.usefixtures("built")


@pytest.fixture
def started(tmp_path: Path) -> Callable[..., str]:
    """Runs Python as Lambda would for a function, with what the managed runtime has and nothing else of this
    environment; gives what is printed."""
    for name in OF_THE_RUNTIME:
        (tmp_path / name).symlink_to(Path(boto3.__file__).parents[1] / name)
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the layers are built for Linux on x86_64")

    def start(function: str, code: str, **environment: str) -> str:
        own = BUILT / (FUNCTIONS | WITH_PARSERS)[function]
        folders = [own, *(BUILT / layer / "python" for layer in LAYERS), tmp_path]
        known = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
        facts = {"TABLE_NAME": "t", "BUCKET_NAME": "b", "SEAL_KEY": "s", "PYTHONPATH": ":".join(map(str, folders))}
        command = [Path(sys.base_prefix) / "bin" / "python3.13", "-s", "-P", "-c", code]
        done = subprocess.run(command, env=known | facts | environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return start


def files_in(*names: str) -> list[Path]:
    return [file for name in names for file in (BUILT / name).rglob("*") if file.is_file()]


def test_all_that_is_deployed_is_small_enough() -> None:
    """Lambda takes 250 MB unzipped; what is small is also there sooner."""
    layers = files_in(*LAYERS)
    assert len(layers) > 2000
    assert sum(file.stat().st_size for file in [*layers, *files_in(*FUNCTIONS.values())]) <= MOST_BYTES


@pytest.mark.parametrize("name", [*OF_THE_RUNTIME, *LAPTOP_ONLY])
def test_the_layers_exclude_development_packages(name: str) -> None:
    assert [layer for layer in LAYERS if (BUILT / layer / "python" / name).exists()] == []


def test_every_module_has_unchecked_bytecode() -> None:
    sources = [file for file in files_in(*LAYERS) if file.suffix == ".py"]
    compiled = [file.parent / "__pycache__" / f"{file.stem}.cpython-313.pyc" for file in sources]
    assert [file for file in compiled if not file.exists()] == []
    assert {file.read_bytes()[4:8] for file in compiled} == {UNCHECKED}


@pytest.mark.parametrize("function", FUNCTIONS | WITH_PARSERS)
def test_a_function_starts_from_its_layers_alone(started: Callable[..., str], function: str) -> None:
    unwanted = ("langgraph", "langchain_core", "langchain_openai", "openai")
    code = f"import sys, app; print(callable(app.handler), [name for name in {unwanted} if name in sys.modules])"
    assert started(function, code) == "True []"


def test_the_runtime_client_of_streams_is_the_pinned_one(started: Callable[..., str]) -> None:
    code = (
        "import turnkeep.aws.runtime_client, awslambdaric, runtime_client; from importlib.metadata import version;"
        "print(version('awslambdaric'), awslambdaric.__file__)"
    )
    version, file = started("stream", code).split()
    assert f"awslambdaric=={version}" in (ROOT / "pyproject.toml").read_text()
    assert file.startswith(str(BUILT))


PERSONAL = "Mario Rossi, RSSMRA85T10A562S, +39 06 6982 1234, IT60X0542811101000000123456, 12345670017"
BUILD = "from turnkeep.graphs.building import build_agent; from turnkeep.settings import Settings;"
TURN = f"import app, turnkeep.turns.graph; {BUILD} print(build_agent('papers', Settings()).name)"
AMOUNT = f"""{BUILD}
from datetime import date; from turnkeep_agents.regulations.facts.reading import canonical
print(build_agent('regulations', Settings()).name, canonical('duemila euro', 'amount', today=date(2026, 1, 1)).value)"""
FIND = f"from turnkeep.pii import find; print(*(one.kind for one in find({PERSONAL!r})))"
PARSE = """from turnkeep.documents.parsing.process import parse
print(parse(b'<html><body><h1>Pay</h1><p>2,000 a month</p></body></html>', 'a.html').pieces[0].heading)"""
DEMO, OPENAI = {"MODEL": "demo"}, {"MODEL": "openai:any", "OPENAI_API_KEY": "none"}
JWT = {"AUTH": "jwt", "JWT_ISSUER": "https://issuer.example", "JWT_AUDIENCE": "turnkeep"}
JWT |= {"JWT_JWKS_URL": "https://issuer.example/jwks.json", "JWT_TENANT_CLAIM": "tenant"}
PROOFS = {
    "a turn of the demo": ("api", TURN, DEMO, "papers"),
    "a turn of a model": ("api", TURN, OPENAI, "papers"),
    "regulations": ("api", AMOUNT, DEMO, "regulations 2000"),
    "personal data": ("api", FIND, DEMO, "PERSON TAX_ID PHONE IBAN VAT_ID"),
    "files": ("documents", PARSE, DEMO, "Pay"),
    "tokens without boto3": ("authorizer", "import sys, app; print('boto3' in sys.modules)", JWT, "False"),
}


@pytest.mark.parametrize("name", PROOFS)
def test_the_layers_serve(started: Callable[..., str], name: str) -> None:
    function, code, facts, output = PROOFS[name]
    assert started(function, code, **facts) == output


@pytest.mark.parametrize("stage", ["dev", "prod"])
def test_the_template_of_a_stage_differs_by_its_default_alone(stage: str) -> None:
    """So that `--parameter-overrides` on the command line change no promise of it."""
    trial = (BUILT / "template.yaml").read_text()
    assert trial.count("Default: trial") == 1
    assert (BUILT / f"{stage}.yaml").read_text() == trial.replace("Default: trial", f"Default: {stage}")
