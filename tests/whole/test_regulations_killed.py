"""What `regulations` leaves of a thread when its server was killed with SIGKILL: no personal data but for its owner."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from calls_of_regulations import LEAVE, reads
from document_site import Site, ask, attach, settled
from wire import WireServer, says

from canary_scan import canary, files_in, found_in, items_in, places_in

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def site(dynamodb_url: str, table_name: str, tmp_path: Path, model: WireServer) -> Site:
    """A server that is started for a while and ends by SIGKILL."""
    (tmp_path / "server").mkdir()
    environ = {"MODEL": "openai:test", "OPENAI_BASE_URL": model.base_url}
    return Site(tmp_path / "server", dynamodb_url, table_name, "regulations", environ)


def test_personal_data_lies_nowhere_and_its_owner_is_told_it(
    site: Site, model: WireServer, dynamodb: "DynamoDBClient"
) -> None:
    message = f"{LEAVE} {canary('message')}"
    with site.running() as client:
        client.post("/threads", json={"thread_id": "t"})
        document = attach(client, "t", f"# Contratto\n\n{canary('tool')} Ferie: 26 giorni.".encode(), "contratto.md")
        assert settled(client, "t", document)["status"] == "ready"
        model.script += [reads(question=f"{LEAVE} {canary('state')}", composition="hybrid"), says(owned(document))]
        told = ask(client, "t", message)
    with site.running() as client:
        (turn,) = client.get("/threads/t/turns").json()["turns"]
        assert (turn["message"], turn["reply"]) == (message, told["reply"])
        assert places_in([turn["reply"]]) == {"answer"}
    sent = [json.dumps(body, ensure_ascii=False) for body in model.bodies]
    assert "26 giorni" in sent[-1]
    assert found_in([*sent, *items_in(dynamodb, site.table), *files_in(site.folder)]) == set()


def owned(document: str) -> str:
    return f"{canary('answer').name} ha 26 giorni [doc-{document[:6]}-1]."
