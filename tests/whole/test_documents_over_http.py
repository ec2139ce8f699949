"""Documents through a real server on DynamoDB Local that dies by SIGKILL between the requests. The agent is the one of
docs/documents.md, as it stands there."""

import re
from pathlib import Path

import pytest
from document_site import Site, ask, attach, settled

GUIDE = (Path(__file__).parents[2] / "docs/documents.md").read_text()
HANDBOOK = "# Leave\n\nEverybody has 26 days of leave a year.\n\n# Lunch\n\nThe canteen serves pizza on Fridays.\n"
QUESTION = "How many days of leave are there?"
UNKNOWN = "No document mentions that."


@pytest.fixture
def own(dynamodb_url: str, table_name: str, tmp_path: Path) -> Site:
    box = re.search(r"^`reader.py`\n```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    assert box
    (tmp_path / "reader.py").write_text(box[1])
    return Site(tmp_path, dynamodb_url, table_name)


def test_a_document_is_asked_about_three_turns_and_a_sigkill_later_and_then_removed(own: Site) -> None:
    with own.running() as client:
        assert ask(client, "t", QUESTION)["reply"] == UNKNOWN
        document = attach(client, "t", HANDBOOK.encode())
        named = ask(client, "t", QUESTION, attachments=[document])
        assert "26 days" in named["reply"]
        assert (named["warnings"], named["details"]["attachments"]) == ([], [document])
        ask(client, "t", "What is for lunch?")
        ask(client, "t", "And on Mondays?")
    with own.running() as client:
        later = ask(client, "t", QUESTION)
        assert (later["turn_number"], later["reply"]) == (5, named["reply"])
        shown = client.get(f"/threads/t/attachments/{document}").json()
        assert (shown["name"], shown["status"], shown["code"]) == ("handbook.md", "ready", None)
        assert client.delete(f"/threads/t/attachments/{document}").status_code == 204
        assert ask(client, "t", QUESTION)["reply"] == UNKNOWN
        again = [client.get(f"/threads/t/attachments/{document}"), client.delete(f"/threads/t/attachments/{document}")]
        again.append(client.post("/threads/t/turns", json={"message": QUESTION, "attachments": [document]}))
        assert [(one.status_code, one.json()["code"]) for one in again] == [(404, "document_not_found")] * 3


def test_a_file_whose_server_was_killed_before_it_was_read_is_read_by_the_next(own: Site) -> None:
    uploads = own.folder / "home/objects/uploads"
    with own.running() as client:
        ask(client, "t", QUESTION)
        document = attach(client, "t", HANDBOOK.encode())
    kept = list(uploads.glob("*/*"))
    with own.running() as client:
        found = settled(client, "t", document)
        assert found["status"] == "ready", (found, kept)
        assert list(uploads.glob("*/*")) == []
