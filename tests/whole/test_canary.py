"""What users say and what opens doors is planted through every route and every error of the functions, of `turnkeep
dev` and of `turnkeep keys`, with every library told to log all it can. MAY says where each planted text may end; found
anywhere else, it fails the test. Nothing of one tenant is left in a warm sandbox for the next."""

import base64
import gzip
import json
import os
import re
import secrets
import shutil
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from hashlib import md5, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote

import boto3
import canary_drive as drive
import pytest
from canary_child import AGENTS, LEVEL
from canary_drive import PROTOCOLS, ROUTES, Scene
from canary_site import Deployment, Laptop, Search, mark, store_proxy
from issuer import AUDIENCE, ISSUER, Issuer, public_jwk, published
from lambdas import ROOT
from pydantic import SecretStr
from wire import WireServer

from bare_app import bare_app
from dev_server import TERMINAL
from turnkeep.aws.deployment import deployed_settings
from turnkeep.bootstrap import build
from turnkeep.errors import TurnkeepError
from turnkeep.observability.metrics import Metric
from turnkeep.records import Principal
from turnkeep.ring import secrets_of
from turnkeep.settings import Settings
from turnkeep.storage.items import Items
from turnkeep.storage.store import Store
from turnkeep_demo.database.field_service import FOLDER, sample_file
from turnkeep_local.objects import FolderObjects

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

type Left = dict[str, list[tuple[str, str]]]

DAY = date(2030, 3, 17)

KEPT = {"TURN.data", "object"}
"""Where turns lie: in items, and in objects where they are large."""

KEY_OF_ITEM = {"HEAD.PK", "TURN.PK", "CP.PK", "ASIDE.PK"}

MAY: dict[str, set[str]] = {
    "message": {"answer", "HEAD.pend", "HEAD.title", "CP.data", *KEPT},
    "messageid": {"answer", "TURN.data"},
    "noisy": {"answer", "HEAD.pend"},
    "reply": {"answer", *KEPT},
    "thread": {"answer", "header", *KEY_OF_ITEM},
    "metadata": {"answer", "HEAD.meta"},
    "runmetadata": {"answer", "CP.data"},
    "memory": {"answer", "STORE.SK", "STORE.data"},
    "attachment": {"answer"},
    "tenant": {*KEY_OF_ITEM, "HEAD.u", "APIKEYS.tenant", "context", "terminal"},
    "user": {*KEY_OF_ITEM, "HEAD.u", "APIKEYS.user", "context", "terminal"},
    "label": {"APIKEYS.label", "terminal"},
    "keyid": {"output", "policy", "context", "APIKEYS.SK", "terminal"},
    "digest of secret": {"APIKEYS.digest"},
    "idempotency": {"header"},
    "correlation": {"output", "header", "problem"},
    "fieldname": {"problem"},
    "unknownheader": {"header"},
}
"""Where a planted text may end; one that is not named here may end nowhere.

A thread's title is the beginning of its first message. The thread id, the tenant and the user are in no log line or
metric but as salted hashes. Items hold a key's secret and an Idempotency-Key as digests. A problem names an
unknown field, if harmless, and never a value. A preflight is told the headers that it asked for. The terminal is that
of whoever makes keys."""

OPENS_DOORS = ("secret", "jwt", "modelkey", "oldmodelkey", "unusablekey", "sealkey", "warehouse", "database")
OPENS_DOORS += ("wallseal",)
SAID = ("upstream", "agent", "attachment", "malformed", "fieldvalue", "acted", "pathname", "query")
SAID += ("method", "port", "forgedid", "eventname", "eventvalue", "clientcontext", "identity", "claim")
ALONG = {
    "User-Agent": "useragent",
    "Cookie": "cookie",
    "Origin": "origin",
    "Referer": "referer",
    "X-Turnkeep-User": "namesake",
    "X-Forwarded-For": "address",
    "X-Something": "unknownheader",
}
"""Headers that go with every request."""

WORDS = ("present", *(name for name in MAY if " " not in name), *OPENS_DOORS, *SAID, *ALONG.values())

MAY_HOLD: dict[str, tuple[str, ...]] = {
    "modelkey": ("turnkeep.aws.secrets.ModelKey", "parameters.base.ExpirableValue", "openai.AsyncOpenAI"),
    "sealkey": ("pydantic.types.SecretStr", "starlette.datastructures.State", "os._Environ"),
    "tenant": ("turnkeep.records.Principal",),
    "user": ("turnkeep.records.Principal",),
    "keyid": ("turnkeep.aws.callers.VerifiedCaller",),
    "present": ("",),
    "warehouse": ("",),
    "database": ("",),
    "wallseal": ("pydantic.types.SecretStr", "os._Environ"),
}
"""What of earlier requests may be in the memory of a warm function, and who may hold it there. The authorizer knows for
a minute whom it has verified, not by what. The word that is present is of the newest request. Every engine, connection
and error of a database holds its password; it is the deployment's, and nobody's of those who ask."""

LOUD = {
    LEVEL: "DEBUG",
    "AWS_LAMBDA_LOG_LEVEL": "DEBUG",
    "AWS_LAMBDA_LOG_FORMAT": "JSON",
    "POWERTOOLS_LOG_LEVEL": "DEBUG",
    "POWERTOOLS_DEBUG": "true",
    "OPENAI_LOG": "debug",
    "PYTHONWARNINGS": "always",
}
"""Every switch that makes a library tell more."""


def kind_of(name: str) -> str:
    """The planted text of which this is one of several."""
    return name.rstrip("0123456789")


def leaks(found: dict[tuple[str, str], str], may: dict[str, set[str]]) -> dict[tuple[str, str], str]:
    return {(name, sink): text for (name, sink), text in found.items() if sink not in may.get(kind_of(name), ())}


# The deployments


@contextmanager
def issuer_of(kind: str) -> Iterator[Issuer | None]:
    if kind == "jwt":
        with published(public_jwk("rsa")) as issuer:
            yield issuer
    else:
        yield None


@dataclass(frozen=True)
class Stores:
    """Where a deployment keeps things; `url` is that of the other services."""

    dynamodb: "DynamoDBClient"
    dynamodb_url: str
    table: str
    s3: "S3Client"
    bucket: str
    url: str

    def client(self, service: Any) -> Any:
        return boto3.client(service, endpoint_url=self.url)

    def environ(self, word: dict[str, str]) -> dict[str, str]:
        """With passwords for databases that are not there."""
        taken = ("PATH", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
        return {
            **{name: os.environ[name] for name in taken},
            "PYTHONPATH": str(ROOT / "src"),
            "AWS_REGION": os.environ["AWS_DEFAULT_REGION"],
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self.url,
            "TABLE_NAME": self.store,
            "BUCKET_NAME": self.bucket,
            "CAMPAIGNS__WAREHOUSE": f"mysql+pymysql://reader:{word['warehouse']}@127.0.0.1:9/ads",
            "DATABASE__URL": f"mysql+pymysql://reader:{word['database']}@127.0.0.1:9/field",
            "DATABASE__SEAL": word["wallseal"],
            "DATABASE__JOINS": str(FOLDER / "joins.json"),
        }


@pytest.fixture
def stores(  # noqa: PLR0917
    dynamodb: "DynamoDBClient", dynamodb_url: str, table_name: str, s3: "S3Client", bucket: str, s3_url: str
) -> Stores:
    return Stores(dynamodb, dynamodb_url, table_name, s3, bucket, s3_url)


def planted_words() -> dict[str, str]:
    begin = mark()
    return {name: f"{begin}{name}{secrets.token_hex(2)}" for name in WORDS}


@pytest.fixture
def scene(stores: Stores, tmp_path: Path) -> Iterator[Scene]:
    word = planted_words()
    with (
        store_proxy(stores.dynamodb_url) as store,
        WireServer() as model,
        Deployment(store, tmp_path) as site,
    ):
        site.planted |= {header: f"{word[name]}; x=1" for header, name in ALONG.items()}
        custom = {"custom": {word["clientcontext"]: word["clientcontext"]}}
        site.told["Lambda-Runtime-Client-Context"] = json.dumps(custom)
        site.told["Lambda-Runtime-Cognito-Identity"] = json.dumps({"cognitoIdentityId": word["identity"]})
        who = Principal(*(f"{word[name]}@é/'#" for name in ("tenant", "user")))
        yield Scene(site, model, word, Items(stores.dynamodb, stores.table), who)


# What is found


def collect(scene: Scene, stores: Stores) -> None:
    """What is left when the functions have ended."""
    sinks = scene.site.sinks
    for log in scene.site.folder.glob("*.log"):
        sinks.put("output", log.read_bytes())
    for page in stores.dynamodb.get_paginator("scan").paginate(TableName=stores.table):
        for item in page["Items"]:
            kind = (item["SK"] if item["PK"]["S"].startswith("T#") else item["PK"])["S"].partition("#")[0]
            for name, value in item.items():
                sinks.put(f"{kind}.{name}", *values_in(value))
    for each in stores.s3.list_objects_v2(Bucket=stores.bucket).get("Contents", []):
        sinks.put("object name", each["Key"])
        sinks.put("object", stores.s3.get_object(Bucket=stores.bucket, Key=each["Key"])["Body"].read())


def values_in(value: Any) -> Iterator[bytes]:
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield str(name).encode()
            yield from values_in(inner)
    else:
        yield value if isinstance(value, bytes) else str(value).encode()


def search_for(scene: Scene) -> Search:
    """The planted words, and whole texts by their plain digests, which anybody can make from a guess."""
    named = {"tenant": scene.principal.tenant, "user": scene.principal.user, "message": scene.body()["message"]}
    named |= {f"thread{number}": scene.thread(number) for number in range(10)}
    key = scene.credential.get("x-api-key")
    return Search(scene.word, named | ({"secret": key[-64:]} if key else {}))


ELSEWHERE = {"misdirected", "ambiguous_body", "server_stopping", "unsettled", "already_uploaded"}
ELSEWHERE |= {"budget_exceeded", "too_many_turns", "too_many_at_once", "deployment_ceiling", "privacy_unavailable"}
ELSEWHERE |= {"thread_moved", "run_cancelled", "foreign_origin", "body_timeout", "answer_too_large"}
ELSEWHERE |= {"action_unknown"}  # takes a tool that acts and a run that dies
ELSEWHERE |= {"unsupported_parameter"}  # is sent, and told in OpenAI's shape
"""What the local server alone says, and what takes a store that dies between two requests, limits, a detector that
breaks, or two callers at one moment: tests/faults/test_budgets.py, test_canaries.py and test_background_runs.py bring
these about."""
OF_A_PERSON = {("GET", "/me/export"), ("GET", "/me/export/{export_id}"), ("DELETE", "/me")}
"""Routes that give or erase everything: tests/faults/test_erasure_of_a_person.py scans after them."""


def assert_told(scene: Scene) -> None:
    """A sink in which nothing is found has to have been written to."""
    lines = written(scene)
    answered = {(line["method"], line.get("route")) for line in lines if 200 <= line.get("status", 0) < 300}
    used = {*ROUTES, *((method, path.partition("?")[0]) for method, path, _ in PROTOCOLS)} - {("GET", "/openapi.json")}
    without_names = [{(method, path and ANY.sub("{}", path)) for method, path in each} for each in (answered, used)]
    # FastAPI's own route is not named.
    assert without_names[0] == without_names[1] | {("GET", None)}
    parents = {"store_unavailable", "not_found", "invalid_request"}
    assert scene.site.codes - {"", "None"} == {error.code for error in leaves(TurnkeepError)} - ELSEWHERE | parents
    free = {"CostUSD"}  # the model of the tests has no price
    free |= {"MemoryNotWritten"}  # takes a long thread; tests/blocks/test_memory.py reads its line
    free |= {"DocumentReady", "DocumentFailed"}  # of the function that reads files, which has tests of its own
    free |= {"BudgetRefused", "CeilingReached", "UsageNotSettled"}  # take limits
    free |= {
        "PlaceholdersMade",
        "PlaceholdersLost",
    }  # of private agents, whose canaries are tests/faults/test_canaries.py
    free |= {"ForgedKey"}  # takes a forged item; tests/turnkeep/aws/test_authorizer.py counts it
    assert {name for line in lines if "_aws" in line for name in line} >= set(get_args(Metric)) - free
    sentences = {line.get("message") for line in lines}
    assert {"a library logged", "a library warned", "an exception that nobody caught", "caller refused"} <= sentences


ANY = re.compile(r"{\w+}")
"""A parameter of a path, whatever it is called."""


def leaves(kind: type[TurnkeepError]) -> Iterator[type[TurnkeepError]]:
    for each in kind.__subclasses__():
        yield from leaves(each) if each.__subclasses__() else [each]


def written(scene: Scene) -> list[dict[str, Any]]:
    lines = b"\n".join(scene.site.sinks.held["output"]).splitlines()
    return [json.loads(line) for line in lines if line.startswith(b"{")]


def name_of(scene: Scene, word: str) -> str:
    return next(kind_of(name) for name, each in scene.word.items() if each == word)


def held_too_long(scene: Scene, left: Left) -> list[tuple[str, str, str]]:
    """The words that nobody may hold, or not whoever does."""
    named = [(name_of(scene, word), function, holder) for function, words in left.items() for word, holder in words]
    return [one for one in named if not any(allowed in one[2] for allowed in MAY_HOLD.get(one[0], ()))]


# The tests


def test_every_route_has_an_entry() -> None:
    app = bare_app()
    routes = {(method, route.path) for route in app.router.routes for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    assert routes == ROUTES.keys() | OF_A_PERSON


@pytest.mark.parametrize("around", ["", "ab", "x", "  "])
def test_a_word_is_known_again_in_other_clothes(around: str) -> None:
    word, text = "zq12ab34message", f"{around}zq12ab34message{around}"
    search = Search({"message": word}, {"message": text})
    packed = zlib.compress(b"\x91" + text.encode())
    for dressed in (
        text.encode(),
        text.upper().encode(),
        json.dumps({"é": text}).encode(),
        quote(f"é/{text}").encode(),
        base64.b64encode(text.encode()),
        base64.urlsafe_b64encode(text.encode()),
        text.encode().hex().encode(),
        text.encode("utf-16"),
        b"\1" + packed,
        base64.b64encode(b"head" + packed),
        packed.hex().encode(),
        gzip.compress(text.encode()),
    ):
        assert "message" in {name for name, _ in search(b"before " + dressed + b" after")}, dressed
    for digest in (sha256(text.encode()).digest(), md5(text.encode()).hexdigest().encode()):
        assert {name for name, _ in search(b"before " + digest)} == {"digest of message"}
    assert list(search(f"zq12ab35message {word[:-1]} {word[1:]}".encode())) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["keys", "jwt"])
def test_nothing_that_is_planted_ends_where_it_should_not(kind: str, scene: Scene, stores: Stores) -> None:
    """With API keys, secrets in SSM, everything loud and every fault; and with tokens, a key in Secrets Manager, as
    templated."""
    with issuer_of(kind) as issuer:
        vault = start_with_tokens(scene, stores, issuer) if issuer else start_with_keys(scene, stores)
        scene.store = table_of(scene, stores)
        spoil, faults = (drive.spoil_every_route,), (*drive.FAULTS, drive.run_out_of_time)
        if issuer:
            spoil, faults = (), (drive.ask_the_database,)  # which reads the secret of its login again
        for part in (drive.refuse_callers, *spoil, drive.send_odd_events):
            part(scene)
        scene.wait()
        drive.use_every_route(scene)
        drive.exchange_the_model_key(scene, vault.put)
        for part in (*faults, drive.clean_up):
            part(scene)
        left = drive.words_left(scene)
    assert scene.site.left_in_folders() == []
    assert vault.lie() == vault.laid
    scene.site.running.close()
    collect(scene, stores)
    found = scene.site.sinks.found(search_for(scene))
    assert leaks(found, MAY) == {}
    assert held_too_long(scene, left) == []
    if not issuer:
        assert_told(scene)
    assert_looked(scene, found, left, kind)


def start_with_keys(scene: Scene, stores: Stores) -> "Parameters":
    vault = Parameters(stores.client("ssm"), f"/canary/{secrets.token_hex(4)}")
    environ = stores.environ(scene.word) | LOUD
    environ |= {"AWS_ENDPOINT_URL_DYNAMODB": scene.site.store.url, "AUTH": "keys"}
    environ |= {"SEAL_KEY_PARAMETER": f"{vault.path}/seal"}
    drive.make_keys(scene, stores.table, environ, lambda: secrets_of(vault.lie()["seal"]))
    places = {"MODEL_KEY": f"ssm:{vault.path}/model"}
    warehouse = environ.pop("CAMPAIGNS__WAREHOUSE")
    places["CAMPAIGNS__WAREHOUSE"] = f"ssm:{vault.path}/warehouse"
    start(scene, environ, {"CORS_ORIGINS": "https://app.example", **places})
    drive.fail_the_model_key(scene, vault.put)
    drive.miss_a_database(scene, "campaigns", lambda: vault.put(warehouse, "warehouse"))
    vault.laid["seal"] = vault.lie()["seal"]
    scene.word["sealkey"] = vault.laid["seal"].split()[-1]
    return vault


def start_with_tokens(scene: Scene, stores: Stores, issuer: Issuer) -> "Secret":
    vault = Secret(stores.client("secretsmanager"), f"canary-{secrets.token_hex(4)}")
    environ = stores.environ(scene.word)
    environ |= {"AWS_ENDPOINT_URL_DYNAMODB": scene.site.store.url, "AUTH": "jwt"}
    environ |= {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer.url}
    drive.make_tokens(scene)
    keys = {"SEAL_KEY": scene.word["sealkey"], "MODEL_KEY": f"secretsmanager:{vault.path}#key"}
    keys["DATABASE__URL"] = f"secretsmanager:{vault.path}"
    fields = {"engine": "mysql", "host": "127.0.0.1", "port": "9", "dbname": "field"}
    fields |= {"username": "reader", "password": scene.word["database"]}
    start(scene, environ | {"POWERTOOLS_LOG_LEVEL": "INFO"}, {"CORS_ORIGINS": "*", **keys})
    drive.fail_the_model_key(scene, vault.put)
    drive.miss_a_database(scene, "database", lambda: vault.put(vault.laid["key"], **fields))
    drive.fail_the_issuer(scene, issuer)
    scene.wait()
    return vault


class Parameters:
    """A folder of SSM parameters. `laid` is what should lie there."""

    def __init__(self, ssm: Any, path: str) -> None:
        self._ssm, self.path = ssm, path
        self.laid: dict[str, str] = {}

    def put(self, value: str, name: str = "model") -> None:
        self._ssm.put_parameter(Name=f"{self.path}/{name}", Value=value, Type="SecureString", Overwrite=True)
        self.laid[name] = value

    def lie(self) -> dict[str, str]:
        found = self._ssm.get_parameters_by_path(Path=self.path, WithDecryption=True)["Parameters"]
        return {each["Name"].rpartition("/")[2]: each["Value"] for each in found}


class Secret:
    """A secret of Secrets Manager with the key in a field, as a console writes it, and with those of a database."""

    def __init__(self, manager: Any, path: str) -> None:
        self._manager, self.path = manager, path
        self._manager.create_secret(Name=path, SecretString="{}")
        self.laid: dict[str, str] = {}

    def put(self, key: str, **fields: str) -> None:
        self.laid |= {"key": key, **fields}
        self._manager.put_secret_value(SecretId=self.path, SecretString=json.dumps(self.laid))

    def lie(self) -> dict[str, str]:
        return dict(json.loads(self._manager.get_secret_value(SecretId=self.path)["SecretString"]))


def start(scene: Scene, environ: dict[str, str], of_the_app: dict[str, str]) -> None:
    of_the_app |= {"MODEL": "openai:test", "OPENAI_BASE_URL": scene.model.base_url, "MODELS__MAX_RETRIES": "0"}
    for function in ("api", "stream"):
        scene.site.start(function, environ | of_the_app | {AGENTS: "yes"})
    for function in ("authorizer", "cleanup"):
        scene.site.start(function, environ)


def table_of(scene: Scene, stores: Stores) -> Store:
    settings = Settings(table_name=stores.table, seal_key=SecretStr(scene.word["sealkey"]))
    return build(settings, dynamodb=stores.dynamodb, objects=FolderObjects(scene.site.folder / "nowhere")).store


def assert_looked(scene: Scene, found: dict[tuple[str, str], str], left: Left, kind: str) -> None:
    """What is allowed is there to be found, so the search sees; and every secret was in use."""
    seen = {(kind_of(name), sink) for name, sink in found}
    allowed = {(name, sink) for name, sinks in MAY.items() for sink in sinks}
    assert kind == "jwt" or allowed - seen == set()
    held = {(name_of(scene, word), function) for function, words in left.items() for word, _ in words}
    assert {(name, function) for name in ("present", "sealkey", "modelkey") for function in ("api", "stream")} <= held
    assert {("present", "authorizer"), ("user", "authorizer")} <= held
    sent = {headers["authorization"] for headers in scene.model.headers}
    assert sent == {f"Bearer sk-{scene.word[name]}" for name in ("oldmodelkey", "modelkey")}


@pytest.mark.slow
def test_nothing_that_is_planted_on_a_laptop_ends_where_it_should_not(stores: Stores, tmp_path: Path) -> None:
    word, home = planted_words(), tmp_path / "home"
    with (
        store_proxy(stores.dynamodb_url) as store,
        WireServer() as model,
        Laptop(store, tmp_path) as site,
    ):
        site.planted |= {header: f"{word[name]}; x=1" for header, name in ALONG.items()}
        site.planted |= {"X-Turnkeep-User": word["namesake"], "X-Forwarded-For": "", "Origin": ""}
        items, who = Items(stores.dynamodb, stores.table), Principal("local", word["namesake"])
        scene = Scene(site, model, word, items, who, refused=[{"Authorization": f"Bearer {word['claim']}"}])
        environ = stores.environ(word) | LOUD | {"AWS_ENDPOINT_URL_DYNAMODB": store.url, AGENTS: "yes"}
        environ |= {"OPENAI_API_KEY": f"sk-{word['modelkey']}", "SEAL_KEY": word["sealkey"]}
        environ |= {"MODEL": "openai:test", "OPENAI_BASE_URL": model.base_url, "MODELS__MAX_RETRIES": "0"}
        environ["DATABASE__URL"] = f"sqlite:///{shutil.copy(sample_file(DAY), tmp_path / word['database'])}"
        del environ["AWS_ENDPOINT_URL"]
        site.serve(environ)
        scene.store = table_of(scene, stores)
        for part in (drive.spoil_every_route, drive.use_every_route, *drive.FAULTS):
            part(scene)
        scene.send("GET", "/agents", headers={"X-Forwarded-For": word["address"]}, expect="unauthorized")
        scene.send("GET", "/agents", headers={"Origin": f"https://{word['origin']}.example"}, expect="foreign_origin")
        site.send_raw(f"GARBAGE {word['malformed']}\r\n\r\n")
        site.send_raw(f"GET /{word['pathname']} HTTP/1.1\r\nHost: a:{word['port']}\r\nX: {word['malformed']}\r\n\r\n")
        upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        site.send_raw(f"GET /{word['pathname']}?{word['query']} HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n")
    collect(scene, stores)
    for file in (each for each in home.rglob("*") if each.is_file()):
        is_kept = file.is_relative_to(home / "objects")
        site.sinks.put("object" if is_kept else "output", file.read_bytes(), file.name)
    site.sinks.put("terminal", (tmp_path / TERMINAL).read_bytes())
    # Who sits there is told which file is asked, and what libraries warn of.
    may = MAY | {"namesake": MAY["user"], "database": {"terminal"}, "noisy": MAY["noisy"] | {"terminal"}}
    assert leaks(site.sinks.found(search_for(scene)), may) == {}
    assert {line.get("message") for line in written(scene)} >= {"request answered", "turn kept", "a library logged"}
    assert site.codes >= {"model_error", "model_busy", "superseded", "state_corrupt", "agent_error", "internal_error"}


WRONG_PLACES = ("MODEL", "MODEL_KEY", "TURN", "TURN__SECONDS", "CORS_ORIGINS", "THREAD_HOURS")


@pytest.mark.parametrize("place", WRONG_PLACES)
def test_a_secret_in_the_wrong_place_is_not_told_at_start(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-in-place")
    monkeypatch.setenv(place, "sk-misplaced")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        deployed_settings(os.environ)
    assert "sk-misplaced" not in "".join(traceback.format_exception(caught.value))
