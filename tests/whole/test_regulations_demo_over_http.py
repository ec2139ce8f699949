"""The bundled articles and the demo's rules as a caller meets them, after restarts and with a document."""

from pathlib import Path

import pytest
from document_site import Site as DocumentSite
from document_site import ask, attach, settled
from whole_site import Site

from turnkeep_demo.regulations.sayings import SAYINGS

CONTRACT = b"# Ferie\n\nLa dipendente gode di 26 giorni di ferie all'anno.\n"


@pytest.mark.parametrize(
    ("message", "route", "said"),
    [
        ("Quanti giorni di ferie spettano ogni anno?", "retrieve", "[DLGS-66-2003-10]"),
        ("How many weeks of annual holidays do employees get?", "retrieve", "four weeks"),
        ("Chi vince il campionato?", "refuse", SAYINGS["it"]["outside"]),
        ("Who wins the cup?", "refuse", SAYINGS["en"]["outside"]),
        ("Cosa dice l'art. 9999 c.c.?", "retrieve", SAYINGS["it"]["not_held"].format("art. 9999 c.c.")),
        ("Buongiorno!", "respond", SAYINGS["it"]["greeting"]),
    ],
)
async def test_a_message_is_answered_in_its_language_and_kept(message: str, route: str, said: str, site: Site) -> None:
    told = await (await site.open()).say(message, "t1", agent="regulations")
    assert told["route"] == route
    assert said in told["reply"]
    kept = await (await site.open()).get("/threads/t1/turns/1")
    assert (kept["reply"], kept["details"]) == (told["reply"], told["details"])


async def test_a_follow_up_after_a_restart_is_about_the_question_before(site: Site) -> None:
    await (await site.open()).say("Quanto dura il periodo di prova?", "t1", agent="regulations")
    later = await (await site.open()).say("E per un contratto a termine?", "t1")
    assert later["standalone_query"] == "Quanto dura il periodo di prova per un contratto a termine?"
    assert [source["id"] for source in later["sources"] if source["cited"]] == ["DLGS-104-2022-7"]


def test_an_attached_contract_is_quoted_after_its_server_was_killed(
    dynamodb_url: str, table_name: str, tmp_path: Path
) -> None:
    site = DocumentSite(tmp_path, dynamodb_url, table_name, "regulations")
    with site.running(MODEL="demo") as client:
        ask(client, "t", "Buongiorno!")
        settled(client, "t", attach(client, "t", CONTRACT, "contratto.md"))
    with site.running(MODEL="demo") as client:
        told = ask(client, "t", "Quanti giorni di ferie prevede il contratto?")
        both = ask(client, "t", "Confronta le ferie del contratto con la legge")
    assert "26 giorni di ferie all'anno [doc-" in told["reply"]
    assert both["details"]["query_composition"] == "hybrid"
    assert SAYINGS["it"]["compare"] in both["reply"]
