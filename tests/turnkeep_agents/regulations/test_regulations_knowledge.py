import json
from pathlib import Path
from typing import Any

import pytest

from turnkeep.kit.documents import CorpusError
from turnkeep_agents.regulations.knowledge.articles import Knowledge, norm_of
from turnkeep_agents.regulations.knowledge.faq import Faq, read_answer
from turnkeep_agents.regulations.knowledge.folder import load_knowledge, open_knowledge, read_article
from turnkeep_agents.regulations.knowledge.references import Reference, references
from turnkeep_local.cli import main

LEAVE = {
    "id": "L-104-1992-33",
    "law": "L. 104/1992",
    "article": "33",
    "domain": "labour",
    "title": "Agevolazioni per chi assiste",
    "text": "Il lavoratore che assiste una persona con disabilità ha tre giorni di permesso al mese.",
    "title_en": "Carers",
    "text_en": "A worker who cares for a person with a disability has three days of leave a month.",
    "url": "https://example.org/33",
    "as_of": "2025-12-31",
}
SCHOOL = LEAVE | {"id": "L-104-1992-12", "article": "12", "title": "Scuola", "text": "Diritto all'istruzione."}
SCHOOL |= {"title_en": "School", "text_en": "The right to education."}
WAGE = {
    "id": "COST-36",
    "law": "Costituzione",
    "article": "36",
    "domain": "labour",
    "title": "Retribuzione",
    "text": "La retribuzione è proporzionata al lavoro; il lavoratore ha diritto a ferie.",
}
TAX = WAGE | {"id": "CC-9", "law": "Codice civile", "article": "9", "domain": "tax"}
ANSWER = {
    "id": "faq-permessi",
    "domain": "labour",
    "questions": ["Quanti giorni posso stare con mio padre malato?", "How many days may I look after my father?"],
    "answer": "Tre giorni al mese [L-104-1992-33].",
    "answer_en": "Three days a month [L-104-1992-33].",
    "articles": ["L-104-1992-33"],
}


def held(*rows: dict[str, Any], faq: tuple[dict[str, Any], ...] = ()) -> Knowledge:
    return Knowledge([read_article(row) for row in rows], Faq([read_answer(row) for row in faq]))


ALL = held(LEAVE, SCHOOL, WAGE, TAX, faq=(ANSWER,))


def write(folder: Path, name: str, *rows: Any) -> Path:
    (folder / name).write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return folder


@pytest.mark.parametrize("query", ["permessi per assistere una persona disabile", "leave for those who care"])
def test_an_article_is_found_in_either_language_and_given_in_the_one_asked_for(query: str) -> None:
    italian, english = ALL.search([query], 1)[0], ALL.search([query], 1, language="en")[0]
    assert italian.id == english.id == "L-104-1992-33"
    assert (italian.title, english.title) == (LEAVE["title"], LEAVE["title_en"])
    assert english.metadata == {"law": "L. 104/1992", "article": "33", "as_of": "2025-12-31"}
    assert ALL.search([query], 1, language="de")[0].title == LEAVE["title"]


def test_what_has_no_english_is_given_in_italian() -> None:
    assert ALL.get(["COST-36"], "en")[0].text == WAGE["text"]


def test_an_article_that_is_named_comes_before_better_words() -> None:
    words = "tre giorni di permesso per assistere una persona con disabilità"
    assert [one.id for one in ALL.search([f"{words}, art. 36 della Costituzione"], 2)] == ["COST-36", "L-104-1992-33"]
    assert ALL.search(["il diritto dell'istruzione secondo la legge 104"], 2)[0].id == "L-104-1992-12"


def test_an_article_is_found_by_the_questions_that_it_answers() -> None:
    assert ALL.search(["mio padre è malato"], 1)[0].id == "L-104-1992-33"


def test_a_domain_is_preferred_and_never_a_filter() -> None:
    assert [one.id for one in ALL.search(["ferie"], 9, domain="tax")] == ["CC-9", "COST-36"]
    assert [one.id for one in ALL.search(["ferie"], 9, domain="labour")] == ["COST-36", "CC-9"]


def test_several_queries_are_searched_together_and_the_limit_is_kept() -> None:
    found = [one.id for one in ALL.search(["istruzione", "permesso al mese"], 2)]
    assert sorted(found) == ["L-104-1992-12", "L-104-1992-33"]
    long = "il lavoratore ha diritto a tre giorni di permesso al mese e a ferie, la retribuzione al lavoro"
    assert "L-104-1992-12" in [one.id for one in ALL.search([long, "istruzione"], 2)]
    assert ALL.search(["ferie"], 0) == ALL.search([], 5) == ALL.search([""], 5) == []


def test_an_article_that_does_not_exist_is_known_not_to() -> None:
    there, wrong = references("l'art. 33 L. 104/1992 e l'art. 999 L. 104/1992")
    assert (ALL.holds(there), ALL.holds(wrong)) == (True, False)
    assert norm_of(ALL.by_id["COST-36"]) == Reference("Costituzione", "36")


@pytest.mark.parametrize(
    ("law", "number", "norm"),
    [
        ("D.P.R. 917/1986 (TUIR)", "15", Reference("D.P.R. 917/1986", "15")),
        ("D.P.R. 131/1986", "Tariffa, 1", Reference("D.P.R. 131/1986", "1")),
        ("D.P.R. 633/1972", "19-bis1", Reference("D.P.R. 633/1972", "19-bis1")),
        ("Contratto Metalmeccanici", "", Reference("Contratto Metalmeccanici", "")),
    ],
)
def test_an_article_is_the_norm_that_citations_name(law: str, number: str, norm: Reference) -> None:
    assert norm_of(read_article(LEAVE | {"law": law, "article": number})) == norm


def test_the_digest_is_of_all_that_an_answer_may_rest_on() -> None:
    others = [held(LEAVE), held(LEAVE | {"as_of": "2026-01-01"}), held(LEAVE, faq=(ANSWER,)), held()]
    others.append(held(LEAVE, faq=(ANSWER | {"answer_en": "Three."},)))
    assert len({one.digest for one in others}) == len(others)
    assert held(LEAVE, faq=(ANSWER,)).digest == others[2].digest
    assert len(ALL.digest) == 16


def test_an_empty_knowledge_base_finds_nothing(tmp_path: Path) -> None:
    empty = load_knowledge(tmp_path)
    assert empty.is_empty
    assert empty.search(["ferie"], 3) == []
    assert empty.about == {"count": 0, "laws": "", "example": ""}


def test_the_bundled_one_holds_what_its_answers_rest_on() -> None:
    bundled = open_knowledge(None)
    assert len(bundled.by_id) >= 150
    assert len(bundled.faq.answers) >= 60
    assert all(norm_of(article).article for article in bundled.by_id.values())
    wrong = [
        (question, answer.id)
        for answer in bundled.faq.answers
        for question in answer.metadata["questions"]
        if (hit := bundled.faq.match(question)) is None or hit.id != answer.id
    ]
    assert wrong == []


def test_markdown_is_cut_at_its_headings_and_read_as_articles(tmp_path: Path) -> None:
    page = "# D.Lgs. 33/2013\n\n## Art. 5 Accesso civico\n\nChiunque può chiedere i documenti.\n\n## Altro\n\nTesto."
    knowledge = load_knowledge(write(tmp_path, "trasparenza.md", page))
    assert [norm_of(one) for one in knowledge.by_id.values()] == [
        Reference("D.Lgs. 33/2013", "5"),
        Reference("D.Lgs. 33/2013"),
    ]
    assert knowledge.search(["art. 5 D.Lgs. 33/2013"], 1)[0].text == "Chiunque può chiedere i documenti."


@pytest.mark.parametrize(
    ("name", "row", "complaint"),
    [
        ("laws.jsonl", "{not json", "laws.jsonl:2: invalid JSON"),
        ("laws.jsonl", LEAVE | {"law": 3}, '"law" must be a string'),
        ("laws.jsonl", LEAVE | {"title": "", "text": ""}, "both empty"),
        ("laws.jsonl", LEAVE, "also on line 1"),
        ("faq.jsonl", ANSWER | {"questions": []}, '"questions" is empty'),
        ("faq.jsonl", ANSWER | {"answer": " "}, '"answer" must be'),
        ("faq.jsonl", ANSWER | {"id": "other", "articles": ["CC-1"]}, '"other" is based on CC-1, which is missing'),
    ],
)
def test_a_bad_line_is_named_with_its_remedy(tmp_path: Path, name: str, row: Any, complaint: str) -> None:
    write(tmp_path, "laws.jsonl", LEAVE)
    with pytest.raises(CorpusError) as caught:
        load_knowledge(write(tmp_path, name, LEAVE if name == "laws.jsonl" else ANSWER, row))
    assert complaint in str(caught.value)


def test_an_id_occurs_in_one_file_only(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", LEAVE)
    with pytest.raises(CorpusError, match=r'b\.jsonl: id "L-104-1992-33" is also in .*a\.jsonl'):
        load_knowledge(write(tmp_path, "b.jsonl", LEAVE))


def test_a_folder_of_ones_own_is_kept_for_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own, home = tmp_path / "own", tmp_path / "home"
    own.mkdir()
    write(write(write(own, "a.jsonl", LEAVE), "faq.jsonl", ANSWER), "page.md", "# L. 1/2020\n\nTesto.")
    monkeypatch.setenv("TURNKEEP_HOME", str(home))
    main(["regulations", "load", str(own)])
    assert "2 articles and 1 answers" in capsys.readouterr().out
    assert open_knowledge(str(home / "regulations")).digest == load_knowledge(own).digest
    (own / "faq.jsonl").unlink()
    main(["regulations", "load", str(own)])
    assert open_knowledge(str(home / "regulations")).faq.answers == ()


@pytest.mark.parametrize(("name", "complaint"), [("none", "is not a folder"), ("empty", "holds no articles")])
def test_a_folder_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, complaint: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "home"))
    assert main(["regulations", "load", str(tmp_path / name)])
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "home" / "regulations").exists()
