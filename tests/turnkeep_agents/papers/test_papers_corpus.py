import json
from pathlib import Path
from typing import Any

import pytest

from turnkeep.kit.documents import CorpusError
from turnkeep_agents.papers.corpus import Corpus, open_corpus

ROW = {"id": "x1", "title": "On Moss", "authors": ["A. Gray"], "year": 1999, "abstract": "Moss grows in shade."}


def write(path: Path, *rows: Any) -> str:
    file = path / "mine.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return str(file)


@pytest.fixture(scope="module")
def bundled() -> Corpus:
    return open_corpus(None)


def test_every_bundled_paper_is_found_by_its_title(bundled: Corpus) -> None:
    missed = [id_ for id_, paper in bundled.by_id.items() if bundled.search([paper.title], 1)[0].id != id_]
    assert missed == []


def test_a_paper_is_found_by_its_author_and_weak_matches_are_left_out(bundled: Corpus) -> None:
    author = bundled.by_id["1609.02907"].metadata["authors"][0]
    assert "1609.02907" in [found.id for found in bundled.search([author], 3)]
    found = bundled.search(["DPO direct preference optimization of a language model"], 3)
    assert [paper.id for paper in found] == ["2305.18290"]


def test_several_searches_take_turns(bundled: Corpus) -> None:
    found = [paper.id for paper in bundled.search(["U-Net segmentation", "WaveNet audio", "xyzzy"], 3)]
    assert found[:2] == ["1505.04597", "1609.03499"]
    assert len(found) == len(set(found)) <= 4


def test_a_corpus_of_ones_own_takes_the_place_of_the_bundled_one(tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path, ROW, {"id": "x2", "title": "On Ferns", "text": "Ferns have fronds."}))
    assert corpus.search(["fronds"], 3)[0].id == "x2"
    assert corpus.by_id["x2"].metadata == {"authors": [], "year": None}


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({**ROW, "id": ""}, '"id"'),
        ({**ROW, "abstract": 3}, '"abstract"'),
        ({**ROW, "authors": "A. Gray"}, '"authors"'),
        ({**ROW, "year": "1999"}, '"year"'),
        ({**ROW, "year": True}, '"year"'),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, row: Any, complaint: str) -> None:
    path = write(tmp_path, ROW, row)
    with pytest.raises(CorpusError, match=r"mine\.jsonl:2: ") as caught:
        open_corpus(path)
    assert complaint in str(caught.value)
