"""Files that no agent should take: each loader refuses them and says where. What it takes does nothing in a reply."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from turnkeep.kit.documents import CorpusError, load_documents
from turnkeep.records import Documents, Principal, RunContext
from turnkeep.settings import Settings
from turnkeep.store.plans import Loaded
from turnkeep.turns.graph import GraphRun, first_input
from turnkeep.turns.request import TurnContext, TurnRequest
from turnkeep_agents.campaigns.warehouse.lines import Options
from turnkeep_agents.campaigns.warehouse.loading import load_csv
from turnkeep_agents.database.manual import load_manual
from turnkeep_agents.database.verified import load_verified
from turnkeep_agents.papers.corpus import read_paper
from turnkeep_agents.papers.graph import build
from turnkeep_agents.papers.settings import PapersSettings
from turnkeep_agents.products.catalogue import loading
from turnkeep_agents.products.catalogue.loading import load_products

LOADERS: dict[str, Callable[[Path], Any]] = {
    "papers.jsonl": lambda file: load_documents(file, read_paper),
    "products.jsonl": load_products,
    "products.csv": load_products,
    "campaigns.csv": lambda file: load_csv(file, Options(), date(2026, 9, 1)),
    "verified.jsonl": load_verified,
    "page.md": lambda file: load_manual(file.parent),
}
FIRST = {
    "papers.jsonl": b'{"id": "a", "title": "A", "abstract": "B", "url": "https://e.example"}',
    "products.jsonl": b'{"id": "a", "name": "Tent", "price": 100, "category": "tents"}',
    "products.csv": b"id,name,price,category",
    "campaigns.csv": b"date,campaign,impressions,clicks,spend,conversions,revenue",
    "verified.jsonl": b'{"question": "a", "sql": "b"}',
    "page.md": b"# A",
}
TABLES = ("products.csv", "campaigns.csv")


def complaint(folder: Path, name: str, *lines: bytes) -> str:
    file = folder / name
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(CorpusError) as caught:
        LOADERS[name](file)
    said = str(caught.value)
    assert said.startswith(f"{file}:{len(lines)}: ")
    return said


@pytest.mark.parametrize("name", LOADERS)
def test_invalid_text_is_rejected_with_its_line(tmp_path: Path, name: str) -> None:
    assert "zero byte" in complaint(tmp_path, name, FIRST[name], b"a\0b")
    assert "is not UTF-8" in complaint(tmp_path, name, FIRST[name], b"\xed\xa0\x80")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_absurd_width_is_refused(tmp_path: Path, name: str) -> None:
    headings = b",".join([FIRST[name], *(b"c%d" % at for at in range(20_000))])
    assert "columns," in complaint(tmp_path, name, headings)


def test_the_first_product_too_many_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_PRODUCTS", 1)
    row = b"%s,Tent,100,tents"
    assert "more than 1 products" in complaint(tmp_path, "products.csv", FIRST["products.csv"], row % b"a", row % b"b")
    second = FIRST["products.jsonl"].replace(b'"a"', b'"b"')
    assert "more than 1 products" in complaint(tmp_path, "products.jsonl", FIRST["products.jsonl"], second)


def test_a_paper_links_to_the_web_or_nowhere(tmp_path: Path) -> None:
    line = FIRST["papers.jsonl"].replace(b"https://e.example", b"javascript:a")
    assert "must begin with http:// or https://" in complaint(tmp_path, "papers.jsonl", line)


async def test_the_text_of_a_paper_is_displayed_disarmed(tmp_path: Path) -> None:
    """Told and stored are the same."""
    attack = r"Sparse gating \u001b]52;c;eA==\u0007 is ![x](https://e.example/i.png) <img src=y> [z](javascript:a)."
    (tmp_path / "papers.jsonl").write_text(f'{{"id": "2101.00001", "title": "{attack}", "abstract": "{attack}"}}\n')
    agent = build(Settings(model="demo").with_agents(PapersSettings(corpus=str(tmp_path / "papers.jsonl"))))
    context = RunContext(5, datetime(2026, 3, 4, tzinfo=UTC), Principal("local", "ann"))
    request = TurnRequest(context.principal, "What is sparse gating?", "t1", streamed=True)
    unused: Any = None
    turn = TurnContext(request, agent, Loaded(), None, unused, None, Documents(), None, 0, 0)
    run = GraphRun(turn, context, max_steps=25)
    asked = first_input(agent, request.message, "m1", interrupted=False)
    told = [event.data["content"] async for event in run.events(asked, []) if event.name == "token"]
    reply = (await run.outcome()).reply
    shown = "gating  ]52;c;eA==  is ! [x](https://e.example/i.png) < img src=y> [z] (javascript:a)"
    assert shown in reply.text == "".join(told)
    assert [shown in source.title for source in reply.sources] == [True]
