"""The logins of databases, as AWS keeps them: read when an agent first asks, read anew when AWS has changed them. Over
moto's SSM and Secrets Manager, and real servers whose passwords change."""

import json
import os
import uuid
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from turnkeep.aws.deployment import deployed_settings
from turnkeep.aws.secrets import REREAD_SECONDS, url_of, with_login
from turnkeep.aws.signingkey import SecretError
from turnkeep.errors import AgentUnavailable
from turnkeep.graphs.building import build_agent
from turnkeep.records import Principal
from turnkeep.settings import Settings, source_of
from turnkeep_agents.campaigns.settings import CampaignsSettings
from turnkeep_agents.campaigns.warehouse.queries import Source
from turnkeep_agents.database.security.database import open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.databases.engines import Called, open_url
from turnkeep_agents.databases.errors import DatabaseDown

if TYPE_CHECKING:
    from mariadb import Server
    from postgres import PostgresServer

SOMEBODY, DAY = Principal("acme", "ann"), date(2026, 5, 1)
FIELDS = {"engine": "mysql", "host": "db.example.com", "port": 3306, "username": "reader", "password": "p@ss/%"}
LOGIN = "reader:p%40ss%2F%25"
ASK = "SELECT 7 AS seven"

type Configured = Callable[..., Settings]


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Configured:
    """The settings of a function with this environment."""

    def configured(**environ: str) -> Settings:
        for variable, value in environ.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.setenv("SEAL_KEY", "of the test")
        return deployed_settings(os.environ)

    return configured


@pytest.mark.parametrize(
    ("held", "url"),
    [
        ("sqlite:////opt/ads.sqlite\n", "sqlite:////opt/ads.sqlite"),
        (FIELDS | {"dbname": "a b", "port": "3307"}, f"mysql+pymysql://{LOGIN}@db.example.com:3307/a%20b"),
        (
            FIELDS | {"dbname": "f", "engine": "aurora-postgresql", "port": None},
            f"postgresql+psycopg://{LOGIN}@db.example.com/f",
        ),
    ],
)
def test_a_url_is_in_a_secret_or_built_from_the_fields_that_aws_writes(held: Any, url: str) -> None:
    assert url_of(held if isinstance(held, str) else json.dumps(held)) == url


@pytest.mark.parametrize(
    "url", ["mysql+pymysql://db.example.com/field?ssl_ca=/opt/a@b.pem", "mysql+pymysql://db.example.com"]
)
def test_only_user_and_password_of_a_secret_complete_a_url(url: str) -> None:
    scheme, place = url.split("://")
    held = json.dumps(FIELDS | {"host": "elsewhere", "dbname": "another"})
    assert with_login(url, held) == f"{scheme}://{LOGIN}@{place}"
    assert with_login(f"{scheme}://older:one@{place}", held) == f"{scheme}://{LOGIN}@{place}"


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        (" \n", "nothing in it"),
        (b"canary", "nothing in it"),
        ("{canary", "not JSON"),
        (json.dumps(FIELDS), "no dbname in it"),
        (json.dumps(FIELDS | {"dbname": "field", "password": 5}), "no password in it"),
        (json.dumps({"username": "canary", "password": "canary"}), "no engine in it"),
        (json.dumps(FIELDS | {"engine": "canary"}), "its engine is neither MySQL, MariaDB nor PostgreSQL"),
    ],
)
def test_an_unusable_secret_is_reported_by_what_is_missing(held: object, reason: str) -> None:
    with pytest.raises(SecretError, match=f"^{reason}$") as caught:
        url_of(held)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_only_the_agents_of_unreadable_secrets_are_unavailable(configured, monkeypatch, output):
    monkeypatch.setenv("AWS_ENDPOINT_URL_SSM", "http://127.0.0.1:9")
    settings = configured(DATABASE__URL="ssm:/canary/url", CAMPAIGNS__WAREHOUSE="ssm:/canary/warehouse")
    assert output() == []
    for agent in ("database", "campaigns"):
        with pytest.raises(AgentUnavailable) as caught:
            build_agent(agent, settings)
        assert caught.value.retry_after == REREAD_SECONDS
    logged = [(line["message"], line["setting"], line["reason"], line["older_is_used"]) for line in output()]
    reason = ("EndpointConnectionError", False)
    assert logged == [("secret not read", setting, *reason) for setting in ("DATABASE__URL", "CAMPAIGNS__WAREHOUSE")]
    assert build_agent("papers", settings).name == "papers"


def test_an_agent_is_built_as_soon_as_its_secret_exists(secrets_manager, ssm, name, configured):
    settings = configured(DATABASE__URL=f"ssm:{name}", DATABASE__SEAL=f"secretsmanager:{name}#seal")
    url = "sqlite:////nowhere/at/all.sqlite"
    ssm.put_parameter(Name=name, Value=url, Type="SecureString")
    secrets_manager.create_secret(Name=name, SecretString=json.dumps({"seal": "of row-level security"}))
    assert build_agent("database", settings).name == "database"
    assert settings.of(DatabaseSettings).seal.get_secret_value() == "of row-level security"
    assert "of row-level security" not in f"{settings!r}{settings.of(DatabaseSettings).seal!r}"


class Reader:
    """A login of the server, and the secret that AWS keeps of it."""

    def __init__(self, server: "Server | PostgresServer", manager: Any, name: str):
        self._server, self._manager, self._name = server, manager, name
        self._user, self._is_postgres = f"u{uuid.uuid4().hex[:12]}", server.url().startswith("postgresql")
        self._database = "postgres" if self._is_postgres else "information_schema"
        scheme, _, place = server.url(self._database).partition("://")
        self.url = f"{scheme}://{place.partition('@')[2]}"  # without user and password
        self.change_at_server("first", verb="CREATE")
        manager.create_secret(Name=name, SecretString=self._held("first"))

    def rotate(self, password: str) -> None:
        self.change_at_server(password)
        self._manager.put_secret_value(SecretId=self._name, SecretString=self._held(password))

    def change_at_server(self, password: str, verb: str = "ALTER") -> None:
        account, clause = (self._user, "PASSWORD") if self._is_postgres else (f"'{self._user}'@'%'", "IDENTIFIED BY")
        self._server.run(f"{verb} USER {account} {clause} '{password}'")

    def _held(self, password: str) -> str:
        place = {"host": "127.0.0.1", "port": self._server.port, "dbname": self._database}
        login = {"username": self._user, "password": password}
        return json.dumps({"engine": "postgres" if self._is_postgres else "mariadb", **place, **login})


@pytest.fixture
def reader(mariadb_server: "Server", secrets_manager: Any, name: str) -> Reader:
    return Reader(mariadb_server, secrets_manager, name)


@pytest.mark.parametrize(
    ("server", "is_whole"), [("mariadb_server", True), ("postgres_server", True), ("mariadb_server", False)]
)
def test_a_statement_works_after_a_rotation(server, is_whole, *, request, secrets_manager, name, configured):
    """Also where the secret holds user and password alone."""
    reader, place = Reader(request.getfixturevalue(server), secrets_manager, name), f"secretsmanager:{name}"
    environ = {"DATABASE__URL": place} if is_whole else {"DATABASE__URL": reader.url, "DATABASE__LOGIN": place}
    database = open_databases(configured(**environ).of(DatabaseSettings))(DAY)
    assert database.run(ASK, SOMEBODY).rows == ((7,),)
    reader.rotate("second")
    assert database.run(ASK, SOMEBODY).rows == ((7,),)


def test_a_statement_without_its_readable_seal_is_not_run(reader, ssm, name, configured, output):
    tuning = configured(DATABASE__URL=f"secretsmanager:{name}", DATABASE__SEAL=f"ssm:{name}/seal").of(DatabaseSettings)
    with pytest.raises(AgentUnavailable):
        open_databases(tuning)(DAY).run(ASK, SOMEBODY)
    assert [(line["setting"], line["reason"]) for line in output()] == [("DATABASE__SEAL", "ParameterNotFound")]


def test_a_refused_login_is_reported_without_user_and_password(reader, name, configured, output):
    database = open_databases(configured(DATABASE__URL=f"secretsmanager:{name}").of(DatabaseSettings))(DAY)
    reader.change_at_server("canary")
    with pytest.raises(DatabaseDown) as caught:
        database.run(ASK, SOMEBODY)
    assert str(caught.value) == "The database cannot be reached, or refuses the login."
    assert caught.value.__suppress_context__
    assert output() == []


def test_pooled_connections_outlive_a_rotation_and_new_ones_use_the_new_password(reader, name, configured):
    warehouse = configured(CAMPAIGNS__WAREHOUSE=f"secretsmanager:{name}").of(CampaignsSettings).warehouse
    called = Called("The warehouse", "CAMPAIGNS__WAREHOUSE")
    source = Source(partial(open_url, called, warehouse.get_secret_value(), current=source_of(warehouse)), 5)
    assert source.has("TABLES")
    reader.rotate("second")
    assert source.has("TABLES")
    source._sessions._opened().dispose()
    assert source.has("TABLES")
