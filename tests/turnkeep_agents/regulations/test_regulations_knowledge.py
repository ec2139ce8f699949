import json
from pathlib import Path
from typing import Any

import pytest
from law_samples import ASKED_OFTEN, NOTICE, knowledge

import law
from turnkeep.kit.documents import CorpusError
from turnkeep_agents.regulations.knowledge.articles import norm_of
from turnkeep_agents.regulations.knowledge.folder import load_knowledge, open_knowledge, read_article
from turnkeep_agents.regulations.knowledge.references import Reference, references

LEAVE = law.LEAVE | {"url": "https://example.org/10", "as_of": "2025-12-31"}
BREAK = LEAVE | {"id": "DLGS-66-2003-8", "article": "8", "title": "Pause", "text": "Diritto alla pausa."}
BREAK |= {"title_en": "Breaks", "text_en": "The right to a break."}
TAX = NOTICE | {"id": "CC-9", "article": "9", "domain": "tax"}
ANSWER = ASKED_OFTEN | {"questions": ["Quanto posso stare al mare?", "How long may I stay at the seaside?"]}
ALL = knowledge(LEAVE, BREAK, NOTICE, TAX, faq=(ANSWER,))


def write(folder: Path, name: str, *rows: Any) -> Path:
    (folder / name).write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return folder


@pytest.mark.parametrize("query", ["ferie retribuite ogni anno", "paid leave of those who are employed"])
def test_an_article_is_found_in_either_language_and_given_in_the_one_asked_for(query: str) -> None:
    italian, english = ALL.search([query], 1)[0], ALL.search([query], 1, language="en")[0]
    assert italian.id == english.id == LEAVE["id"]
    assert (italian.title, english.title) == (LEAVE["title"], LEAVE["title_en"])
    assert english.metadata == {"law": "D.Lgs. 66/2003", "article": "10", "as_of": "2025-12-31"}
    assert ALL.search([query], 1, language="de")[0].title == LEAVE["title"]
    assert ALL.get(["CC-2118"], "en")[0].text == NOTICE["text"]  # which has no English


def test_an_article_that_is_named_comes_before_better_words() -> None:
    words = "ferie annuali retribuite di almeno quattro settimane"
    assert [one.id for one in ALL.search([f"{words}, art. 2118 c.c."], 2)] == ["CC-2118", LEAVE["id"]]
    assert ALL.search(["la pausa secondo il D.Lgs. 66/2003"], 2)[0].id == BREAK["id"]


def test_an_article_is_found_by_the_questions_that_it_answers() -> None:
    assert ALL.search(["vado al mare"], 1)[0].id == LEAVE["id"]


def test_a_domain_is_preferred_and_never_a_filter() -> None:
    for domain, ids in (("tax", ["CC-9", "CC-2118"]), ("labour", ["CC-2118", "CC-9"])):
        assert [one.id for one in ALL.search(["recesso"], 9, domain=domain)] == ids


def test_several_queries_are_searched_together_and_the_limit_is_kept() -> None:
    assert sorted(one.id for one in ALL.search(["pausa", "ferie annuali"], 2)) == [LEAVE["id"], BREAK["id"]]
    long = "il lavoratore ha diritto a ferie annuali retribuite, chi recede deve dare il preavviso"
    assert BREAK["id"] in [one.id for one in ALL.search([long, "pausa"], 2)]
    assert ALL.search(["ferie"], 0) == ALL.search([], 5) == ALL.search([""], 5) == []


def test_an_article_that_does_not_exist_is_known_not_to() -> None:
    there, wrong = references("l'art. 10 D.Lgs. 66/2003 e l'art. 999 D.Lgs. 66/2003")
    assert (ALL.holds(there), ALL.holds(wrong)) == (True, False)
    assert norm_of(ALL.by_id["CC-2118"]) == Reference("Codice civile", "2118")


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
    others = [knowledge(*rows, faq=()) for rows in ((LEAVE,), (LEAVE | {"as_of": "2026-01-01"},), ())]
    others += [knowledge(LEAVE, faq=(answer,)) for answer in (ANSWER, ANSWER | {"answer_en": "Three."})]
    assert len({one.digest for one in others}) == 5
    assert knowledge(LEAVE, faq=(ANSWER,)).digest == others[3].digest
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
        ("laws.jsonl", LEAVE | {"law": 3}, '"law" must be a string'),
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
    with pytest.raises(CorpusError, match=r'b\.jsonl: id "DLGS-66-2003-10" is also in .*a\.jsonl'):
        load_knowledge(write(tmp_path, "b.jsonl", LEAVE))
