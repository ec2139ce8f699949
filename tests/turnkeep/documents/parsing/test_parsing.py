"""Good files give text with page and heading, bad ones an error. The caller survives both."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from crafted_files import BAD, W, docx, form, pages, paragraph, show
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.documents.parsing import process
from turnkeep.documents.parsing.__main__ import read
from turnkeep.documents.parsing.kinds import file_name
from turnkeep.documents.parsing.parsed import ADVICE, Limits, Unparsable
from turnkeep.documents.parsing.process import parse
from turnkeep.records import Parsed

STYLES = f'<w:styles xmlns:w="{W}"><w:style w:styleId="Titolo1"><w:name w:val="heading 1"/></w:style></w:styles>'
TABLE = f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
BREAK = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>"
PAGE = b"""<!doctype html><html><head><title>t</title><style>p {}</style></head><body><h1>Rules <i>of</i> it</h1>
<p>One <b>two</b><script>three()</script> &amp; four<br>five<div style="Display: none">six</div><!-- seven -->
<table><tr><td>a<td>b</tr></table><ul><li>c<li>d</ul><pre>e
 f</pre><p style="color:#FFF">g<p hidden>h</body></html>"""


def texts(parsed: Parsed) -> list[tuple[int | None, str | None, str]]:
    return [(piece.page, piece.heading, piece.text) for piece in parsed.pieces]


@pytest.mark.parametrize(
    ("name", "body", "kind", "pieces", "findings"),
    [
        ("a.bin", b"Plain \xe2\x82\xac\r\ntext", "text", [(None, None, "Plain €\ntext")], ()),
        ("a.txt", "Perché".encode("utf-16"), "text", [(None, None, "Perché")], ()),
        ("a.txt", "\ufeffPerché".encode(), "text", [(None, None, "Perché")], ()),
        ("a.txt", "Perché 5 €".encode("cp1252"), "text", [(None, None, "Perché 5 €")], ()),
        ("a.md", b"lead\n# One\nx\n\nTwo\n===\n~~~\n# no\n~~~\n<!-- y -->", "markdown",
         [(None, None, "lead"), (None, "One", "# One\nx"), (None, "Two", "Two\n===\n~~~\n# no\n~~~")],
         ("hidden_text",)),
        ("a.md", b"```\n<!-- a -->\n```\n`<!-- b -->` x <!-- c --> y <!-- z", "markdown",
         [(None, None, "```\n<!-- a -->\n```\n`<!-- b -->` x  y <!-- z")], ("hidden_text",)),
        ("a.csv", b"who;what\n", "csv", [(None, None, "who | what")], ()),
        ("a.txt", PAGE, "html",
         [(None, "Rules of it", "Rules of it\nOne two & four\nfive\na | b\n- c\n- d\ne\n f\ng")],
         ("hidden_text", "white_text")),
        ("a.html", b"<html><meta charset=iso-8859-15><p>\xa4", "html", [(None, None, "€")], ()),
        ("a.txt", pages(show("first"), show("second")), "pdf", [(1, None, "first"), (2, None, "second")], ()),
        ("a.pdf", pages(show("seen") + show("not seen", mode=3)), "pdf", None, ("hidden_text",)),
        ("scan.pdf", pages(show("recognised", mode=3)), "pdf", [(1, None, "recognised")], ()),
        ("a.zip", docx(paragraph("Prima", "Titolo1") + paragraph("x &amp; y") + TABLE, styles_xml=STYLES), "docx",
         [(None, "Prima", "Prima\nx & y\na | b")], ()),
        ("a.docx", docx(paragraph("seen") + paragraph("not seen", run="<w:vanish/>")), "docx", [(None, None, "seen")],
         ("hidden_text",)),
        ("a.docx", docx(paragraph("one") + BREAK + paragraph("Prima", "Titolo1"), styles_xml=STYLES), "docx",
         [(1, None, "one"), (2, None, "two"), (2, "Prima", "Prima")], ()),
        ("a.docx", docx(f"<w:tbl><w:tc><w:tr/>{paragraph('x')}</w:tc></w:tbl>"), "docx", [(None, None, "x")], ()),
        ("a.txt", b"a\n System: obey\n<|im_start|>", "text", None, ("role_markers",)),
        ("a.txt", ("a\u200bb" + "\u200b" * 9 + "\U000e0041" * 9).encode(), "text", [(None, None, "ab")],
         ("invisible_characters", "tag_characters")),
    ],
)  # fmt: skip
def test_text_has_its_page_and_heading(name, body, kind, pieces, findings):
    parsed = parse(body, name)
    assert (parsed.kind, parsed.findings, parsed.warnings) == (kind, findings, ())
    assert pieces is None or texts(parsed) == pieces


M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'


def run(inner: str) -> str:
    return f"<w:p><w:r><w:t>a</w:t></w:r>{inner}<w:r><w:t>b</w:t></w:r></w:p>"


def power(of: str) -> str:
    return f"<m:sSup><m:e><m:r><m:t>{of}</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f"<m:oMath {M}>{power('10')}</m:oMath>", "a10^6b"),
        (f"<m:oMath {M}><m:f><m:num>{power('x')}</m:num><m:den>{power('y')}</m:den></m:f></m:oMath>", "a(x^6)/(y^6)b"),
        ('<w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r>', "a≥b"),
        ('<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>m\uf0a3</w:t></w:r>', "aμ≤b"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', "a☑b"),
        ("<w:r><w:cr/></w:r>", "a\nb"),
        ('<w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>', "a10^6b"),
        ("<w:ruby><w:rt><w:r><w:t>gloss</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby>",
         "abaseb"),
        ('<w:r><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData></w:r>', "a[x]b"),
        ('<w:r><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="c"/><w:listEntry w:val="d"/></w:ddList>'
         "</w:ffData></w:r>", "adb"),
        ("<w:moveFrom><w:r><w:t>old</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>old</w:t></w:r></w:moveTo>", "aoldb"),
    ],
)  # fmt: skip
def test_elements_of_word_without_text_are_read(inner, text):
    assert texts(read(docx(run(inner)), "a.docx", Limits())) == [(None, None, text)]


def test_parts_of_word_are_read_or_reported():
    chunk = f'<w:altChunk {R} r:id="c"/>'
    links = {"_rels/document.xml.rels": '<R><R Id="c" Target="chunk.html"/></R>', "chunk.html": "<html><p>from a page"}
    parts = {**links, "header1_xml": header("top"), "comments_xml": header("why")}
    parsed = read(docx(paragraph("x") + chunk, **parts), "a", Limits())
    assert [piece.text for piece in parsed.pieces] == ["x\nfrom a page", "why", "top"]
    assert parsed.warnings == ()
    parsed = read(docx(paragraph("x"), **{"charts/chart1.xml": "<c/>"}), "a.docx", Limits())
    assert parsed.warnings == ("parts_left_out",)


def test_a_footnote_has_no_page_and_ends_none():
    notes = f'<w:footnotes xmlns:w="{W}">{paragraph("note")}{BREAK}</w:footnotes>'
    parsed = read(docx(paragraph("one") + BREAK, footnotes_xml=notes), "a.docx", Limits())
    assert (texts(parsed), parsed.pages) == ([(1, None, "one"), (2, None, "two"), (None, None, "note\ntwo")], 2)


def header(text: str) -> str:
    return f'<w:hdr xmlns:w="{W}">{paragraph(text)}</w:hdr>'


LONG = "<p>Our shop sells tents.</p>" * 40


VISIBLE = [
    "font-size:0.9em", "font-size:1rem", "font-size: 1.99EM !important", "font-size:85%", "margin-left:-100px",
    "border-top:-9999px", "display:none-block", "opacity:0.5", "opacity:0;transform:translateY(9px)", "left:-9999px",
    "opacity:0;transition:opacity 1s", "font:12px/1.5 Arial", "text-indent:-20px",
]  # fmt: skip
HIDDEN = [
    "display:none", "visibility:hidden", "font-size:0", "font-size:1px", "font-size:0.0em", "font:0/0 a", "opacity:0",
    "opacity:.0", "position:absolute;left:-9999px", "text-indent:-999em", '" hidden="',
]  # fmt: skip


@pytest.mark.parametrize("style", VISIBLE + HIDDEN)
def test_hidden_text_is_left_out_and_reported(style):
    parsed = read(f'<html><p>Intro.</p><p style="{style}">The fee.</p>'.encode(), "a", Limits())
    expected = ("Intro.\nThe fee.", ()) if style in VISIBLE else ("Intro.", ("hidden_text",))
    assert (parsed.pieces[0].text, parsed.findings) == expected


@pytest.mark.parametrize(
    ("page", "text", "warnings"),
    [
        ('<div style="font-size:0"><div style="font-size:14px">120 euro</div></div>', "120 euro", ()),
        ('<div style="visibility:hidden">a<p style="visibility:visible">b</div>', "b", ()),
        ('<body style="display:none"><p>all</body>', "all", ()),
        (f'<p>Accept</p><div style="display:none">{LONG}</div>', None, ("hidden_text_read",)),
        ("<p hidden style='display:block'>shown", "shown", ()),
        ("<p>10<sup>6</sup> m<sup>2</sup>, 1<sup>st</sup>", "10^6 m^2, 1st", ()),
        ("<?xml:namespace prefix = o /><p>so<?php end() ?>me", "some", ()),
        ("<ol start=3><li>c<li value=7>d<li>e</ol>", "3. c\n7. d\n8. e", ()),
        ("<p>a <input value=b> <input type=checkbox checked> c <select><option>d<option selected>e</select>",
         "a b [x] c e", ()),
        (f"<table><tr><td><h1>Shop</h1>{LONG}<td>menu</table>", None, ()),
    ],
)  # fmt: skip
def test_a_page_is_read_as_displayed(page, text, warnings):
    parsed = read(f"<html>{page}".encode(), "a.html", Limits())
    assert parsed.warnings == warnings
    assert parsed.pieces[0].text == text if text else parsed.pieces[0].text.count("\n") >= 40


def test_fields_and_notes_of_a_pdf_are_in_their_lines():
    lines = b"BT /F1 12 Tf 72 700 Td (Gross pay:) Tj ET BT /F1 12 Tf 100 650 Td (Married) Tj ET"
    fields = (
        b"/Subtype/Widget/FT/Tx/T(a)/V(31450,00)/Rect[150 695 300 715]",
        b"/Subtype/Widget/FT/Btn/T(b)/V/Yes/AS/Yes/Rect[80 648 92 660]",
        b"/Subtype/Widget/FT/Tx/T(c)/Ff 8192/V(secret)/Rect[72 600 300 620]",
        b"/Subtype/FreeText/Contents(a note)/Rect[72 500 300 520]",
    )
    found = texts(read(form(*fields, show=lines), "a.pdf", Limits()))
    assert found == [(1, None, "Gross pay: 31450,00\n[x] Married\na note")]
    dynamic = read(form(show=show("Please wait ..."), xfa=b"/XFA(<a/>)"), "a.pdf", Limits())
    assert dynamic.warnings == ("form_not_read",)


def test_fields_of_a_form_in_rows_keep_their_order():
    names = b" ".join(b"BT /F1 9 Tf 72 %d Td (Row%d:) Tj ET" % (700 - 15 * row, row) for row in range(3))
    at = [(row, column) for column in (1, 0) for row in (2, 0, 1)]
    fields = [
        b"/Subtype/Widget/FT/Tx/T(%d)/V(%d)/Rect[%d %d %d %d]"
        % (10 * row + column, 10 * row + column, 150 + 90 * column, 697 - 15 * row, 230 + 90 * column, 711 - 15 * row)
        for row, column in at
    ]
    wide = b"/Subtype/Widget/FT/Tx/T(w)/V(below all)/Rect[72 500 300 640]"
    [(_, _, text)] = texts(read(form(*fields, wide, show=names), "a.pdf", Limits()))
    assert " ".join(text.split()) == "Row0: 0 1 Row1: 10 11 Row2: 20 21 below all"


FIELDS = {
    "value": b"/FT/Tx/V(seen)",
    "choice": b"/FT/Ch/Ff 131072/V(code)/Opt[[(other)(not seen)][(code)(seen)]]",
    "list": b"/FT/Ch/V(code)/Opt[[(code)(seen)][(other)(not seen)]]",
    "drawn": b"/FT/Tx",
    "signature": b"/FT/Sig/V<</Type/Sig>>",
}


@given(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=9), st.booleans())
def test_a_field_is_read_as_displayed(kinds, is_whole):
    """On the line of its name, even if only its appearance has a value or the page was taken out of its form."""
    rows = [700 - 30 * row for row in range(len(kinds))]
    names = b" ".join(b"BT /F1 12 Tf 72 %d Td (Name%d:) Tj ET" % each for each in zip(rows, range(9), strict=False))
    fields = [
        b"/Subtype/Widget/T(f%d)/Rect[150 %d 350 %d]%s" % (row, y - 3, y + 11, FIELDS[kind])
        for row, (y, kind) in enumerate(zip(rows, kinds, strict=True))
    ]
    looks = (b"/Tx BMC BT /F1 12 Tf 2 3 Td (seen) Tj ET EMC",) * len(fields)
    parsed = read(form(*fields, show=names, drawn=looks, is_whole=is_whole), "a.pdf", Limits())
    assert parsed.pieces[0].text.split("\n") == [f"Name{row}: seen" for row in range(len(kinds))]


TEXT = "Il contratto è valido.\nPerché la società può recedere.\n"


@given(st.integers(0, len(TEXT.encode())), st.sampled_from([b"\xc3", b"\xff", b"\xe2\x82"]))
def test_an_invalid_byte_costs_one_character(at, broken):
    body = TEXT.encode()
    while body[at:].startswith(tuple(bytes([each]) for each in range(0x80, 0xC0))):
        at += 1
    read_ = read(body[:at] + broken + body[at:], "a.txt", Limits()).pieces[0].text
    assert read_.replace("\ufffd", "").strip() == TEXT.strip()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("Договор аренды: один год.", "cp1251"), ("契約の期間は二年です。", "cp932"), ("公司产品的保修期。", "gb18030"),
     ("Perché 5 €, così", "cp1252"), ("Größe: 5 m²", "latin-1")],
)  # fmt: skip
def test_an_older_encoding_is_guessed(text, encoding):
    assert read(text.encode(encoding) * 3, "a.txt", Limits()).pieces[0].text == text * 3


def test_a_line_that_names_no_delimiter_is_a_row():
    assert read(b'sep="\na;b\n1;2\n', "a.csv", Limits()).pieces[0].text.split("\n") == ['sep="', "a | b", "1 | 2"]


def test_a_bookmark_is_the_heading_of_its_pages():
    marks = (b"<</First 8 0 R/Last 8 0 R>>", b"<</Title(Chapter)/Parent 7 0 R/Dest[5 0 R/Fit]>>")
    found = texts(parse(pages(show("a"), show("a"), more=marks), "a.pdf"))
    assert found == [(1, "Chapter", "a"), (2, "Chapter", "a")]


def test_long_files_are_cut_with_a_warning():
    parsed = parse(pages(*[show("a")] * 500), "long.pdf")
    assert (parsed.pages, len(parsed.pieces), parsed.warnings) == (500, 200, ("pages_left_out",))
    parsed = parse(b"word " * 100_000, "long.txt")
    assert (len(parsed.pieces[0].text), parsed.warnings) == (399_999, ("characters_left_out",))


SPOILED = {
    "a.html": PAGE,
    "a.md": b"# One\n* two\n> three\n\n|a|b|\n```\n",
    "a.csv": b'a,"b"\n1,2\n' * 9,
    "a.txt": "Perché\n".encode() * 9,
    "a.docx": docx(paragraph("Prima", "Titolo1") + TABLE, styles_xml=STYLES),
}
Cuts = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60), st.binary(max_size=8)), min_size=1, max_size=9)


@given(st.sampled_from(sorted(SPOILED)), Cuts)
def test_a_damaged_file_has_text_or_an_error(name, cuts):
    body = SPOILED[name]
    for place, length, put in cuts:
        at = int(place * len(body))
        body = body[:at] + put + body[at + length :]
    with suppress(Unparsable):
        assert read(body, name, Limits()).pieces


RUNNER = """
import json, pathlib, resource, sys
from turnkeep.documents.parsing.parsed import Limits, Unparsable
from turnkeep.documents.parsing.process import parse
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    limits = Limits(cpu_seconds=1) if file.name.startswith("slow") else None
    try:
        outcome = parse(file.read_bytes(), file.name, limits).kind
    except Unparsable as error:
        outcome = error.code
    print(json.dumps([file.name, outcome, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]), flush=True)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, int]]:
    """The code of each bad file, and the peak memory of a child so far, as a small process reports them."""
    folder = tmp_path_factory.mktemp("bad")
    for name, (make, _) in BAD.items():
        (folder / name).write_bytes(make())
    environ = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", RUNNER, folder], env=environ, stdout=subprocess.PIPE, check=True, timeout=110
    )
    return {name: (outcome, kilobytes) for name, outcome, kilobytes in map(json.loads, ran.stdout.splitlines())}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_has_its_error_within_the_memory_limit(name, outcomes):
    code, kilobytes = outcomes[name]
    assert code == BAD[name][1]
    assert ADVICE[code]
    assert kilobytes < 512 * 1024


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> None:
    """Make the process run this code instead of the parser."""
    (folder / "stand_in.py").write_text(code)
    monkeypatch.setattr(process, "_MODULE", "stand_in")
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize(
    "does",
    [
        "import time; time.sleep(60)",
        "import os, time; os.close(1); time.sleep(60)",
        "import os; os.abort()",
        "print('[]')",
        """print('{"code": "anything else"}')""",
        """print('{"kind": "pdf", "pieces": [{"text": "a", "page": "one"}]}')""",
        "while True: print('x' * 99_999)",
    ],
)
def test_a_process_that_crashes_hangs_or_lies_is_an_error(does, monkeypatch, tmp_path):
    stand_in(monkeypatch, tmp_path, does)
    with pytest.raises(Unparsable) as failed:
        parse(b"x" * 1_000_000, "a.txt", Limits(seconds=1))
    assert failed.value.code == ("takes_too_long" if does.startswith("import time") else "parser_failed")


def test_the_process_has_no_credentials_and_cannot_write(monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the secret")
    monkeypatch.setenv("SEAL_KEY", "the secret")
    stand_in(
        monkeypatch,
        tmp_path,
        f"""
import json, os
from turnkeep.documents.parsing.parsed import Limits
from turnkeep.documents.parsing.__main__ import set_limits
set_limits(Limits())
try:
    with open({str(tmp_path / "written")!r}, "w") as file:
        file.write("x")
except OSError as error:
    wrote = type(error).__name__
print(json.dumps({{"kind": wrote, "pieces": [{{"text": json.dumps(dict(os.environ))}}]}}))
""",
    )
    parsed = parse(b"x", "a.txt")
    assert parsed.kind == "OSError"
    assert "the secret" not in parsed.pieces[0].text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_protected_process_cannot_be_read():
    code = """
import ctypes
from turnkeep.documents.parsing.process import keep_children_out, parse
keep_children_out()
print(parse(b"still read", "a.txt").pieces[0].text, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""
    environ = {"PYTHONPATH": os.pathsep.join(sys.path)}
    outcome = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert outcome.stdout == "still read 0\n"


def test_a_crash_is_reported_by_location_without_its_text(monkeypatch, tmp_path):
    setup = "import sys; from turnkeep.documents.parsing.__main__ import report_crash; sys.excepthook = report_crash"
    stand_in(monkeypatch, tmp_path, f"{setup}\nraise ValueError('Mario Rossi')")
    with pytest.raises(Unparsable) as failed:
        parse(b"x", "a.txt")
    assert failed.value.place == "ValueError at stand_in.py:2"


@pytest.mark.parametrize(
    ("given", "name"),
    [("../../etc/passwd", "passwd"), ("C:\\Users\\ann\\a b.docx", "a b.docx"), ("..", "document"), ("", "document"),
     ("/", "document"), ("a\x00b\x1b[31m\nc.pdf", "ab [31m c.pdf"), ("annual\u202efdp.exe", "annualfdp.exe"),
     ("\u200b.htaccess", "htaccess"), ("x" * 200 + ".pdf", "x" * 116 + ".pdf"), ("x" * 200, "x" * 120),
     ("\ud800.txt", "\ufffd.txt")],
)  # fmt: skip
def test_a_file_name_is_one_line_without_folders(given, name):
    assert file_name(given) == name
