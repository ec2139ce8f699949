import json

import pytest

from turnkeep.kit.documents import LONGEST_LINE, CorpusError, Document, load_documents, read_text


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


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "invalid JSON at column"),
        ("[1]", "a JSON list, not an object"),
        ('{"title": "t", "text": "x"}', '"id" must be a non-empty string'),
        ('{"id": 7, "title": "t", "text": "x"}', '"id" must be a non-empty string'),
        ('{"id": "b", "title": ["t"], "text": "x"}', '"title" must be a string'),
        ('{"id": "b", "title": "", "text": " "}', "both empty"),
        ('{"id": "a", "title": "t", "text": "x"}', 'id "a" is also on line 1'),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": "b", "title": "t", "text": ["\\ud800"]}', "half of a surrogate pair, such as"),
        ('{"id": "b", "title": "t", "text": "x\0"}', "zero byte"),
        (f'{{"id": "b", "title": "t", "text": "{"x" * LONGEST_LINE}"}}', "longer than 1,000,000 characters; split"),
        ('{"id": "b", "title": "t", "text": "x", "url": "javascript:a"}', '"url" must begin with http:// or https://'),
        ('{"id": "b", "title": "t", "text": "x", "url": ["http://a"]}', '"url" must begin with http:// or https://'),
    ],
)
def test_an_invalid_line_is_reported_with_the_reason(tmp_path, line, complaint):
    path = _write(tmp_path / "c.jsonl", '{"id": "a", "title": "t", "text": "x"}', line)
    with pytest.raises(CorpusError) as caught:
        load_documents(path)
    assert f"{path}:2: " in str(caught.value)
    assert complaint in str(caught.value)


def test_an_unusable_file_is_reported_with_the_reason(tmp_path):
    with pytest.raises(CorpusError, match="cannot be read"):
        load_documents(tmp_path / "absent.jsonl")
    with pytest.raises(CorpusError, match="contains no documents"):
        load_documents(_write(tmp_path / "empty.jsonl", ""))
    (tmp_path / "latin.jsonl").write_bytes(json.dumps({"id": "a"}).encode() + b"\xe8")
    with pytest.raises(CorpusError, match="byte 11 is not UTF-8"):
        load_documents(tmp_path / "latin.jsonl")
    with pytest.raises(CorpusError, match="is larger than 3 bytes; split it"):
        read_text(_write(tmp_path / "large.txt", "abc"), 3)


def test_control_characters_become_blanks(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "title": "A\x0c\xc2\x9b", "text": "1\\r\\n2\\u009b\\u202e3", "k": ["\\u0007"]}\r\n'
    )
    assert load_documents(path) == [Document("a", "A  ", "1\n2 3", None, {"k": [" "]})]
