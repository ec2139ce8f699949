"""What `regulations` knows of a thread when its server was killed with SIGKILL after every request: the conversation,
the documents, and how each reply came about. What lies in between holds no personal data."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from calls_of_regulations import ANSWER, LEAVE, WELL, knowledge_in, reads
from document_site import Site, ask, attach, settled
from wire import WireServer, says

from canary_scan import canary, files_in, found_in, items_in, places_in
from turnkeep_agents.regulations import prompts

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CONTRACT = "# Recesso\n\nIl preavviso è di 45 giorni.\n\n# Orario\n\nL'orario è di 38 ore.\n"
NOTICE = "Qual è il preavviso del contratto?"

pytestmark = pytest.mark.timeout(240)


def prompt(model: WireServer, at: int = -1) -> str:
    """What the model was sent in a request."""
    return json.dumps(model.bodies[at]["messages"], ensure_ascii=False)


@pytest.fixture
def site(dynamodb_url: str, table_name: str, tmp_path: Path, model: WireServer) -> Site:
    """A server that is started for a while and ends by SIGKILL."""
    (tmp_path / "server").mkdir()
    environ = {"MODEL": "openai:test", "OPENAI_BASE_URL": model.base_url}
    environ["REGULATIONS__KNOWLEDGE"] = knowledge_in(tmp_path, *map(long_article, range(2)))
    return Site(tmp_path / "server", dynamodb_url, table_name, "regulations", environ)


def long_article(at: int) -> dict[str, Any]:
    """So long that two of them are more than an answer is shown."""
    text = " ".join(f"Ferie annuali numero{at}x{word}." for word in range(400))
    return {"id": f"LONG-{at}", "title": f"Ferie annuali {at}", "text": text}


def test_the_next_server_has_the_conversation_and_how_each_reply_came_about(site: Site, model: WireServer) -> None:
    model.script += WELL
    told = site.say(LEAVE)
    model.script += [reads(question="In breve?", composition="chat", action="talk"), says("Quattro settimane.")]
    with site.running() as client:
        kept = client.get("/threads/t/turns/1").json()
        second = ask(client, "t", "In breve?")
    assert (second["turn_number"], second["route"]) == (2, "respond")
    for at in (-2, -1):
        assert LEAVE in prompt(model, at)
        assert told["reply"] in prompt(model, at)
    assert kept["details"] == told["details"]
    assert kept["details"]["query_composition"] == "pure_kb"
    metadata = kept["details"]["context_metadata"]
    assert metadata["source_distribution"] == {"knowledge": 1.0}
    assert 0 < metadata["token_count"] == metadata["tokens"]["knowledge"] <= metadata["budget_tokens"] == 5_000
    assert metadata["quality_score"] == 1.0
    assert metadata["quality_definition"]
    assert metadata["truncated"]
    assert metadata["cut"] or metadata["left_out"]
    assert kept["reply"] == ANSWER


def test_a_document_is_in_every_later_turn_until_it_is_removed(site: Site, model: WireServer) -> None:
    about = reads(question=NOTICE, composition="pure_doc", searches=["preavviso"])
    with site.running() as client:
        client.post("/threads", json={"thread_id": "t"})
        document = attach(client, "t", CONTRACT.encode(), "contratto.md")
        assert settled(client, "t", document)["status"] == "ready"
        cited = f"doc-{document[:6]}-1"
        model.script += [about, says(f"Sono 45 giorni [{cited}].")]
        named = ask(client, "t", NOTICE, attachments=[document])
        assert "45 giorni" in named["reply"]
    model.script += [about, says(f"Ancora 45 giorni [{cited}].")]
    later = site.say("Quanti giorni, hai detto?")
    assert later["details"]["query_composition"] == "pure_doc"
    assert [source["id"] for source in later["sources"] if source["cited"]] == [cited]
    assert "contratto.md" in prompt(model, -2)
    assert "Il preavviso è di 45 giorni." in prompt(model)
    with site.running() as client:
        assert client.delete(f"/threads/t/attachments/{document}").status_code == 204
        model.script += [about, says("Non vedo un documento.")]
        removed = ask(client, "t", "E quante ore?")
    assert removed["details"]["query_composition"] == "chat"
    assert prompts.NO_DOCUMENTS in prompt(model, -2)
    for at in (-1, -2):
        assert "L'orario è di 38 ore." not in prompt(model, at)


def test_of_a_document_without_text_the_model_is_told_that_there_is_none(site: Site, model: WireServer) -> None:
    with site.running() as client:
        client.post("/threads", json={"thread_id": "t"})
        document = attach(client, "t", b"  \n \n", "scansione.md")
        assert settled(client, "t", document)["status"] == "failed"
        model.script += [reads(question=NOTICE, composition="pure_doc"), says("Non vedo un testo.")]
        told = ask(client, "t", NOTICE, attachments=[document])
    assert told["warnings"] == ["attachment_failed"]
    assert prompts.NO_DOCUMENTS in prompt(model, -2)
    assert prompts.NOT_ATTACHED in json.loads(prompt(model))[-1]["content"]


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
