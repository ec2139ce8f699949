"""What a thing is, from the page that is called by it or from a list of words."""

import pytest

from turnkeep_agents.database.manual.answers import answer_from
from turnkeep_agents.database.manual.definitions import definition_in
from turnkeep_agents.database.manual.manual import open_manual

PAGES = [
    {"id": "kilns#overview", "title": "Kilns", "text": "A kiln fires clay. It is hot. Keep away from it."},
    {"id": "kilns#sell", "title": "Kilns > Sell a kiln", "text": "1. Open the kiln.\n2. Click Sell."},
    {"id": "words#k", "title": "Words > K", "text": "Words:\n\n- **Kiln**: an oven.\n- **Glaze**: a coat of glass."},
]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is a kiln?", "A kiln fires clay. It is hot. [kilns#overview]"),
        ("what are kilns", "A kiln fires clay. It is hot. [kilns#overview]"),
        ("What does glaze mean?", "- **Glaze**: a coat of glass. [words#k]"),
        ("So what's a glaze?", "- **Glaze**: a coat of glass. [words#k]"),
        ("What is a hot kiln?", None),
        ("What is the kiln?", None),
        ("What is a kiln and how do I sell it?", None),
        ("How do I sell a kiln?", None),
        ("What is a " + "kiln " * 10_000, None),
    ],
)
def test_a_definition(question: str, told: str | None) -> None:
    assert definition_in(question, PAGES) == told


@pytest.mark.parametrize("thing", ["an invoice", "a crew", "a credit note", "a first-time fix"])
def test_the_bundled_manual_tells_what_a_thing_is_before_how_it_is_handled(thing: str) -> None:
    found = open_manual("").search(f"What is {thing}?", 5)
    rows = [{"id": one.id, "title": one.title, "text": one.text, "score": one.score} for one in found]

    answer = answer_from({"query": f"What is {thing}?", "documents": rows}, open_manual("").weights)

    assert answer.endswith(("#overview]", "#a-to-e]", "#f-to-p]"))
    assert "1." not in answer
