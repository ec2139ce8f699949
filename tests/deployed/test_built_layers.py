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
FUNCTIONS = {
    "api": "ApiFunction",
    "stream": "StreamFunction",
    "worker": "WorkerFunction",
    "cleanup": "CleanupFunction",
    "authorizer": "AuthorizerFunction",
}
WITH_PARSERS = {"documents": "DocumentsFunction"}
"""What parses files brings its parsers with it."""
LAYERS = ("DependenciesLayer", "PackageLayer")
OF_THE_RUNTIME = ("boto3", "botocore", "s3transfer", "dateutil", "six.py")
LAPTOP_ONLY = ("uvicorn", "uvloop", "pytest", "moto", "turnkeep_local", "template.yaml")
MOST_BYTES = 125_000_000
UNCHECKED = b"\x01\x00\x00\x00"

pytestmark = pytest.mark.usefixtures("built")


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """What the managed runtime has, and nothing else of this environment."""
    installed = Path(boto3.__file__).parents[1]
    for name in OF_THE_RUNTIME:
        (tmp_path / name).symlink_to(installed / name)
    return tmp_path


@pytest.fixture
def started(runtime: Path) -> Callable[..., str]:
    """Runs Python as Lambda would for a function, and gives what is printed."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the layers are built for Linux on x86_64")

    def start(function: str, code: str, **environment: str) -> str:
        own = BUILT / (FUNCTIONS | WITH_PARSERS)[function]
        folders = [own, *(BUILT / layer / "python" for layer in LAYERS), runtime]
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
        "import turnkeep.aws.runtime, awslambdaric, runtime_client; from importlib.metadata import version;"
        "print(version('awslambdaric'), awslambdaric.__file__)"
    )
    version, file = started("stream", code).split()
    assert f"awslambdaric=={version}" in (ROOT / "pyproject.toml").read_text()
    assert file.startswith(str(BUILT))


@pytest.mark.parametrize("facts", [{"MODEL": "demo"}, {"MODEL": "openai:any", "OPENAI_API_KEY": "none"}])
def test_a_turn_finds_all_that_it_loads(started: Callable[..., str], facts: dict[str, str]) -> None:
    code = (
        "import app, turnkeep.turns.graph; from turnkeep.graphs.building import build_agent;"
        "from turnkeep.settings import Settings; print(build_agent('papers', Settings()).name)"
    )
    assert started("api", code, **facts) == "papers"


def test_the_layers_serve_regulations(started: Callable[..., str]) -> None:
    code = (
        "from datetime import date; from turnkeep.graphs.building import build_agent;"
        "from turnkeep.settings import Settings;"
        "from turnkeep_agents.regulations.facts.reading import canonical;"
        "print(build_agent('regulations', Settings()).name,"
        "canonical('duemila euro', 'amount', today=date(2026, 1, 1)).value)"
    )
    assert started("api", code, MODEL="demo") == "regulations 2000"


def test_the_layers_detect_personal_data(started: Callable[..., str]) -> None:
    text = "Mario Rossi, RSSMRA85T10A562S, +39 06 6982 1234, IT60X0542811101000000123456, 12345670017"
    code = f"from turnkeep.pii import find; print(*(one.kind for one in find({text!r})))"
    assert started("api", code) == "PERSON TAX_ID PHONE IBAN VAT_ID"


def test_the_documents_function_parses_files(started: Callable[..., str]) -> None:
    code = (
        "from turnkeep.documents.parsing.process import parse;"
        "print(parse(b'<html><body><h1>Pay</h1><p>2,000 a month</p></body></html>', 'a.html').pieces[0].heading)"
    )
    assert started("documents", code) == "Pay"


def test_tokens_are_verified_without_boto3(started: Callable[..., str]) -> None:
    facts = {"AUTH": "jwt", "JWT_ISSUER": "https://issuer.example", "JWT_AUDIENCE": "turnkeep"}
    facts |= {"JWT_JWKS_URL": "https://issuer.example/jwks.json", "JWT_TENANT_CLAIM": "tenant"}
    assert started("authorizer", "import sys, app; print('boto3' in sys.modules)", **facts) == "False"
