"""What cannot run cannot be deployed: CloudFormation refuses every value that a function would refuse at its start."""

import os
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from template_stack import SECRET, Stack, refusals, translated

from turnkeep.aws.authorizer import build_authorizer
from turnkeep.aws.deployment import NotDeployable, deployed_settings
from turnkeep.settings import Settings

JWT = {
    "Auth": "jwt",
    "JwtIssuer": "https://id.example.com/",
    "JwtAudience": "chat",
    "JwtJwksUrl": "https://id.example.com/keys",
}
MODEL_ARN = "arn:aws:bedrock:eu-west-1::foundation-model/one"
CASES: list[dict[str, str]] = [
    {},
    {"CorsOrigins": "https://a.example.com"},
    {"CorsOrigins": "*"},
    {"Model": "demo"},
    {"Model": "openai:gpt-5-mini", "ModelKeyParameter": "/turnkeep/openai"},
    {"Model": "openai:local", "OpenAiBaseUrl": "http://10.0.0.7:8000/v1"},
    {"Model": "bedrock:one", "BedrockModels": MODEL_ARN},
    {"TokensADay": "0"},
    {"UsdADay": "0.5"},
    JWT,
]
"""Those that were tried on the emulator first."""
REFUSED = [
    {"Model": "openai:gpt-5-mini"},
    {"ModelSmall": "openai:gpt-5-nano"},
    {"TokensADay": "-1"},
    {"TurnsAtOnce": "2.5"},
    {"Auth": "jwt"},
    JWT | {"JwtIssuer": ""},
    JWT | {"JwtJwksUrl": ""},
    JWT | {"JwtJwksUrl": "http://id.example.com/keys"},
]

TEMPLATE = translated()
FUNCTIONS = {
    **TEMPLATE,
    "Resources": {name: TEMPLATE["Resources"][name] for name in ("ApiFunction", "AuthorizerFunction")},
}


def can_start(parameters: Mapping[str, str]) -> bool:
    """Whether the functions start with the environment that the template gives them."""
    found = Stack(FUNCTIONS, parameters).of("AWS::Lambda::Function")
    api, authorizer = (found[f"{name}Function"]["Environment"]["Variables"] for name in ("Api", "Authorizer"))
    environ = {name: str(value) for name, value in api.items()} | {"SEAL_KEY": "x" * 40}
    with pytest.MonkeyPatch.context() as shell:
        for name in list(os.environ):
            shell.delenv(name)
        for name, value in environ.items():
            shell.setenv(name, value)
        try:
            deployed_settings(environ)
            if authorizer["AUTH"] == "jwt":
                build_authorizer({name: str(value) for name, value in authorizer.items()})
        except (NotDeployable, ValueError):
            return False
    return True


@pytest.mark.parametrize("parameters", CASES + REFUSED)
def test_template_and_functions_agree(parameters: dict[str, str]) -> None:
    is_right = parameters in CASES
    assert (refusals(TEMPLATE, parameters) == [], can_start(parameters)) == (is_right, is_right)


# Drawn: right values, near misses of them, anything; combined, because rules are about several

HOST = st.from_regex(r"[a-z0-9]{1,5}(\.[a-z]{2,3}){0,2}", fullmatch=True)
ORIGIN = st.builds(
    "{}://{}{}".format, st.sampled_from(["https", "http", "capacitor"]), HOST, st.sampled_from(["", ":3000", ":8443"])
)
RIGHT: dict[str, st.SearchStrategy[str]] = {
    "Model": st.sampled_from(["", "demo", "openai:gpt-5-mini", "openai:a:b", "bedrock:eu.one-v1:0"]),
    "ModelSmall": st.sampled_from(["", "demo", "openai:gpt-5-nano", "bedrock:one"]),
    "ModelKeyParameter": st.sampled_from(["", "/turnkeep/openai"]),
    "ModelKeySecret": st.sampled_from(["", SECRET]),
    "ModelKeyField": st.sampled_from(["", "key", "a.b"]),
    "OpenAiBaseUrl": st.sampled_from(["", "https://models.example.com/v1", "http://10.0.0.7:8000/v1"]),
    "BedrockModels": st.sampled_from(["", MODEL_ARN, f"{MODEL_ARN},{MODEL_ARN}*"]),
    "DatabaseUrl": st.sampled_from(
        ["", "mysql+pymysql://db.example.com/field?ssl_ca=/opt/rds.pem", "sqlite:////opt/a.sqlite"]
    ),
    "DatabaseUrlParameter": st.sampled_from(["", "/database/url"]),
    "DatabaseSecret": st.sampled_from(["", SECRET]),
    "DatabaseSealParameter": st.sampled_from(["", "/database/seal"]),
    "WarehouseUrl": st.sampled_from(["", "postgresql+psycopg://db.example.com:5432/ads"]),
    "WarehouseUrlParameter": st.sampled_from(["", "/warehouse/url"]),
    "WarehouseSecret": st.sampled_from(["", SECRET]),
    "ThreadHours": st.sampled_from(["1", "24", "36.5", "720"]),
    "Auth": st.sampled_from(["keys", "jwt", "AWS_IAM"]),
    "JwtIssuer": st.sampled_from(["", "https://id.example.com/"]),
    "JwtAudience": st.sampled_from(["", "chat", "chat,admin", "chat, admin"]),
    "JwtJwksUrl": st.sampled_from(["", "https://id.example.com/keys", "https://id.example.com:8443/keys?a=b"]),
    "JwtDefaultTenant": st.sampled_from(["", "acme"]),
    "JwtTenantClaim": st.sampled_from(["tenant", "https://example.com/tenant"]),
    "CorsOrigins": st.one_of(st.sampled_from(["", "*"]), st.lists(ORIGIN, min_size=1, max_size=3).map(",".join)),
    "Page": st.sampled_from(["true", "false"]),
    **dict.fromkeys(
        ("TokensADay", "TurnsAMinute", "TurnsAtOnce", "DeploymentTokensADay"), st.integers(0, 10**9).map(str)
    ),
    **dict.fromkeys(("UsdADay", "DeploymentUsdADay"), st.decimals(0, 10**6, places=2).map(str)),
}
SPOILING = ["", *"\n /,:#-*@\u00e9[0", ".5", "e3", "null", "99999", "demo"]
SPOILING += ["https://", "ssm:", "secretsmanager:", ":443"]
# Lambda's variables are UTF-8 without NUL.
ANYTHING = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@st.composite
def near_miss(draw: st.DrawFn, right: st.SearchStrategy[str]) -> str:
    """A right value with a piece put in, or a character left out or changed in case."""
    text, piece = draw(right), draw(st.sampled_from(SPOILING))
    at = draw(st.integers(0, len(text)))
    return draw(st.sampled_from([text[:at] + piece + text[at:], text[:at] + text[at + 1 :], text.swapcase(), piece]))


PARAMETERS = st.lists(st.sampled_from(sorted(RIGHT)), max_size=7, unique=True).flatmap(
    lambda names: st.fixed_dictionaries(
        {name: st.one_of(RIGHT[name], RIGHT[name], near_miss(RIGHT[name]), ANYTHING) for name in names}
    )
)
RIGHT_PARAMETERS = st.fixed_dictionaries({}, optional=RIGHT)


@settings(max_examples=2_000, deadline=None)
@given(PARAMETERS)
def test_what_cannot_run_is_refused_by_the_template(parameters: dict[str, str]) -> None:
    is_deployed = refusals(TEMPLATE, parameters) == []
    event(f"deployed: {is_deployed}")
    assert can_start(parameters) or not is_deployed


@settings(max_examples=500, deadline=None)
@given(RIGHT_PARAMETERS)
def test_only_rules_refuse_right_values(parameters: dict[str, str]) -> None:
    refused = refusals(TEMPLATE, parameters)
    assert set(refused) <= set(TEMPLATE["Rules"])
    if not refused:
        assert can_start(parameters)


def test_a_rule_that_refuses_names_the_parameters_to_change() -> None:
    for rule in TEMPLATE["Rules"].values():
        for each in rule["Assertions"]:
            named = set(re.findall(r"'Ref': '(\w+)'", str(each["Assert"])))
            assert named
            assert named <= set(re.findall(r"\w+", each["AssertDescription"])) | {"ModelSmall"}


@settings(max_examples=500, deadline=None)
@given(st.one_of(RIGHT["CorsOrigins"], near_miss(RIGHT["CorsOrigins"])))
def test_the_bucket_allows_the_origins_that_the_app_allows(text: str) -> None:
    if refusals(TEMPLATE, {"CorsOrigins": text}):
        return
    bucket: Any = Stack({**TEMPLATE, "Resources": {"Objects": TEMPLATE["Resources"]["Objects"]}}, {"CorsOrigins": text})
    rules = bucket.of("AWS::S3::Bucket")["Objects"].get("CorsConfiguration", {"CorsRules": []})["CorsRules"]
    allowed = Settings(cors_origins=text).cors_origins  # type: ignore[arg-type]
    assert [origin for rule in rules for origin in rule["AllowedOrigins"]] == list(allowed)
    assert all(rule["AllowedMethods"] == ["GET", "POST"] for rule in rules)
