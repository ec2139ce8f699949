import json

import pytest

from turnkeep.blocks.documents import CorpusError, Document, load_documents


def _write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_in_order_with_unknown_fields_as_metadata(tmp_path):
    path = _write(
        tmp_path / "c.jsonl",
        '{"id": "a", "title": "A", "text": "one", "url": "http://a", "year": 2017}',
        "",
        '{"_id": "b", "title": "", "text": "two\u2028three"}',
    )
    assert load_documents(path) == [
        Document("a", "A", "one", "http://a", {"year": 2017}),
        Document("b", "", "two\u2028three"),
    ]


def test_a_reader_maps_other_fields(tmp_path):
    path = _write(tmp_path / "c.jsonl", '{"key": "k", "abstract": "x"}')
    read = load_documents(path, lambda row: Document(row["key"], "", row["abstract"]))
    assert read == [Document("k", "", "x")]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON at column"),
        ("[1]", "a JSON list, not an object"),
        ('{"title": "t", "text": "x"}', '"id" must be a non-empty string'),
        ('{"id": 7, "title": "t", "text": "x"}', '"id" must be a non-empty string'),
        ('{"id": "b", "title": ["t"], "text": "x"}', '"title" must be a string'),
        ('{"id": "b", "title": "", "text": " "}', "both empty"),
        ('{"id": "a", "title": "t", "text": "x"}', 'id "a" is also on line 1'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_with_what_is_wrong(tmp_path, line, complaint):
    path = _write(tmp_path / "c.jsonl", '{"id": "a", "title": "t", "text": "x"}', line)
    with pytest.raises(CorpusError) as caught:
        load_documents(path)
    assert f"{path}:2: " in str(caught.value)
    assert complaint in str(caught.value)


def test_a_file_that_cannot_be_used_says_why(tmp_path):
    with pytest.raises(CorpusError, match="cannot be read"):
        load_documents(tmp_path / "absent.jsonl")
    with pytest.raises(CorpusError, match="holds no documents"):
        load_documents(_write(tmp_path / "empty.jsonl", ""))
    (tmp_path / "latin.jsonl").write_bytes(json.dumps({"id": "a"}).encode() + b"\xe8")
    with pytest.raises(CorpusError, match="byte 11 is not UTF-8"):
        load_documents(tmp_path / "latin.jsonl")
