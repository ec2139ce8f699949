"""The files of the chat page: paths, caching and security."""

import gzip
import re
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from bare_app import bare_app
from turnkeep.errors import Unauthorized
from turnkeep.http.page import STATIC, checksum, files
from turnkeep.records import Principal
from turnkeep.settings import Settings

MOST_BYTES_OF_OURS = 36_900
MOST_BYTES_OF_MARKDOWN = 25_000
MOST_LINES = 1_950
VENDOR = STATIC / "vendor"
OWN = sorted(path for path in STATIC.glob("*") if path.suffix in (".js", ".html", ".css", ".json"))
READS_MARKUP = "innerHTML|outerHTML|insertAdjacentHTML|document.write|DOMParser|createContextualFragment|setHTML"
RUNS_TEXT = r"\beval\(|new Function|setTimeout\(\s*[\"'`]|javascript:"


def nobody(_: Request) -> Principal:
    raise Unauthorized


@pytest.fixture(scope="module")
def http() -> TestClient:
    """A client of a deployment that rejects every caller."""
    return TestClient(bare_app(authenticate=nobody))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("app.js", "text/javascript"), ("style.css", "text/css"), ("examples.json", "application/json"),
     ("vendor/uPlot.iife.min.js", "text/javascript")],
)  # fmt: skip
def test_a_file_under_the_checksum_is_cached_forever(http: TestClient, name: str, kind: str) -> None:
    answer = http.get(f"/page/{checksum()}/{name}")
    assert (answer.status_code, answer.content) == (200, (STATIC / name).read_bytes())
    assert answer.headers["content-type"].split(";")[0] == kind
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_file_of_another_version_is_not_cached(http: TestClient) -> None:
    answer = http.get("/page/0123456789ab/app.js")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "path", ["index.html", "absent.js", "../__init__.py", "%2e%2e/__init__.py", "vendor/README.md", "vendor/", ""]
)
def test_other_files_are_not_found(http: TestClient, path: str) -> None:
    answer = http.get(f"/page/{checksum()}/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_the_page_is_revalidated_and_links_files_by_checksum(http: TestClient) -> None:
    answer = http.get("/")
    again = http.get("/", headers={"If-None-Match": answer.headers["etag"]})
    head = http.head("/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(answer.content)))
    assert answer.headers["cache-control"] == again.headers["cache-control"] == "no-cache"
    named = re.findall(r'(?:src|href)="(page/[^"]+)"', answer.text)
    assert {name.split("/", 2)[2] for name in named} == files().keys() - {"index.html", "examples.json"}
    assert all(name.startswith(f"page/{checksum()}/") and http.get(f"/{name}").status_code == 200 for name in named)


def test_the_policy_allows_only_files_of_the_page(http: TestClient) -> None:
    policy = dict(part.split(" ", 1) for part in http.get("/").headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "'none'")
    assert (policy["img-src"], len(policy)) == ("data:", 10)  # its icon


@pytest.mark.parametrize(("path", "target"), [("/v1", "/v1/"), ("/base/path", "/base/path/")])
def test_the_page_redirects_to_a_final_slash_below_a_stage(path: str, target: str) -> None:
    app = bare_app()

    async def on_lambda(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "aws.event": {"requestContext": {"path": path}}}, receive, send)

    answer = TestClient(on_lambda).get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, target)


def test_the_page_can_be_turned_off() -> None:
    http = TestClient(bare_app(settings=Settings(page=False)))
    assert [http.get(path).status_code for path in ("/", f"/page/{checksum()}/app.js")] == [404, 404]


def test_all_files_together_are_small() -> None:
    sizes = {name: len(gzip.compress(body, 9)) for name, body in files().items()}
    ours = {name: size for name, size in sizes.items() if not name.startswith("vendor/")}
    code = [path for path in OWN if path.suffix != ".json"]
    assert sum(ours.values()) <= MOST_BYTES_OF_OURS, ours
    assert sum(len(path.read_text().splitlines()) for path in code) <= MOST_LINES
    assert sizes["vendor/marked.esm.js"] + sizes["vendor/entities.js"] <= MOST_BYTES_OF_MARKDOWN
    assert sizes.keys() >= {"index.html", "app.js"}


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_our_code_parses_no_markup_runs_no_text_and_loads_nothing_external(path: Path) -> None:
    text = path.read_text()
    assert re.findall(f"{READS_MARKUP}|{RUNS_TEXT}", text) == []
    assert set(re.findall(r"https?://[\w.]+", text)) <= {"http://www.w3.org"}  # the name of SVG
    assert re.findall(r"\son\w+=\"|style=\"|<style", text) == []


def test_vendored_libraries_match_their_checksums() -> None:
    row = re.compile(r"\| (\S+) \| (\S+@[\d.]+) \| \S+ \| MIT \| ([0-9a-f]{64}) \|")
    pinned = {name: digest for name, _, digest in row.findall((VENDOR / "README.md").read_text())}
    packages = {package.replace("@", " ") for _, package, _ in row.findall((VENDOR / "README.md").read_text())}
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in VENDOR.glob("*.[jc]s*")}
    assert found == pinned
    licences = (VENDOR / "LICENSES.txt").read_text()
    assert licences.count("Permission is hereby granted") == len(packages)
    assert all(package in licences.replace("uPlot", "uplot") for package in packages)
    assert not any(name in path.read_text() for path in VENDOR.glob("*.js") for name in READS_MARKUP.split("|"))
