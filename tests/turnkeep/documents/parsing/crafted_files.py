"""Good and bad files, made in code."""

import io
import zipfile
import zlib
from collections.abc import Callable

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = '<R><R Type="x/officeDocument" Target="word/document.xml"/></R>'
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
RESOURCES = b"/Resources<</Font<</F1 3 0 R>>>>"


def pdf(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """Objects from 1 on, of which the first is the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(
        out + b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, at)
    )


def packed(content: bytes, facts: bytes = b"") -> bytes:
    body = zlib.compress(content, 9)
    return b"<</Filter/FlateDecode/Length %d%s>>\nstream\n%s\nendstream" % (len(body), facts, body)


def pages(*contents: bytes, trailer: bytes = b"", more: tuple[bytes, ...] = ()) -> bytes:
    """A page for each content stream; those that are the same share one object."""
    streams = list(dict.fromkeys(contents))
    first = 4 + len(streams)
    kids = b" ".join(b"%d 0 R" % (first + n) for n in range(len(contents)))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]%s/Contents %d 0 R>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % (b"/Outlines %d 0 R" % (first + len(contents)) if more else b""),
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(contents), kids),
        FONT,
        *map(packed, streams),
        *(page % (RESOURCES, 4 + streams.index(each)) for each in contents),
        *more,
    ]
    return pdf(objects, trailer)


def form(*notes: bytes, show: bytes, xfa: bytes = b"", drawn: tuple[bytes, ...] = (), is_whole: bool = True) -> bytes:
    """One page with a text, and upon it fields and notes, whose objects begin with their kind. The first ones look as
    `drawn`; a page taken out of its form, not `is_whole`, has its fields and no list of them."""
    first = 6
    numbers = b" ".join(b"%d 0 R" % (first + at) for at in range(len(notes)))
    fields = b"/AcroForm<</Fields[%s]/DA(/F1 12 Tf 0 g)%s>>" % (numbers, xfa)
    looks = [b"/AP<</N %d 0 R>>" % (first + len(notes) + at) for at in range(len(drawn))]
    looks += [b""] * (len(notes) - len(drawn))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s%s>>" % (b"/NeedsRendering true" if xfa else b"", fields if is_whole else b""),
        b"<</Type/Pages/Count 1/Kids[4 0 R]>>",
        FONT,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]%s/Contents 5 0 R/Annots[%s]>>" % (RESOURCES, numbers),
        packed(show),
        *(b"<</Type/Annot/P 4 0 R/F 4%s%s>>" % each for each in zip(looks, notes, strict=True)),
        *(packed(each, b"/Type/XObject/Subtype/Form/BBox[0 0 200 14]%s" % RESOURCES) for each in drawn),
    ]
    return pdf(objects)


def show(text: str, mode: int = 0) -> bytes:
    return b"BT /F1 12 Tf %d Tr 72 720 Td (%s) Tj ET" % (mode, text.encode())


def docx(body: str = "", *, document: str = "", types: str = "<Types/>", **parts: str) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("[Content_Types].xml", types)
        out.writestr("_rels/.rels", RELATIONS)
        out.writestr("word/document.xml", document or f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        for name, part in parts.items():
            out.writestr(f"word/{name if '.' in name else name.replace('_', '.')}", part)
    return archive.getvalue()


def paragraph(text: str, style: str = "", run: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def _laughs() -> bytes:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "lol"}">' for n in range(10))
    return docx(document=f'<!DOCTYPE w [{entities}]><w:document xmlns:w="{W}">{paragraph("&a9;")}</w:document>')


def _locked(name: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(400) + name.encode("utf-16-le")


def _encrypted_zip() -> bytes:
    body = bytearray(docx(paragraph("x")))
    at = body.index(b"PK\x01\x02")
    body[at + 8] |= 1
    return bytes(body)


PASSWORD = b"/Encrypt<</Filter/Standard/V 1/R 2/P -44/O<%s>/U<%s>>>/ID[<00><00>]" % (b"ab" * 32, b"cd" * 32)
BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty.pdf": (lambda: b"", "empty_file"),
    "blank.txt": (lambda: b" \n\t\n", "empty_file"),
    "no text.pdf": (lambda: pages(b"0 0 m 9 9 l S"), "no_text"),
    "program.pdf": (lambda: b"MZ\x90\0" + bytes(300), "unsupported_type"),
    "picture.pdf": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "unsupported_type"),
    "noise.txt": (lambda: bytes(n * n % 251 for n in range(9999)), "unsupported_type"),
    "letter.rtf": (lambda: b"{\\rtf1 hello}", "unsupported_type"),
    "sheet.docx": (lambda: docx(paragraph("x")).replace(b"word/", b"xxxx/"), "unsupported_type"),
    "old.doc": (lambda: _locked("WordDocument"), "unsupported_type"),
    "locked.docx": (lambda: _locked("EncryptedPackage"), "encrypted_file"),
    "locked zip.docx": (_encrypted_zip, "encrypted_file"),
    "locked.pdf": (lambda: pages(show("x"), trailer=PASSWORD), "encrypted_file"),
    "cut.pdf": (lambda: pages(show("hello"))[:200], "damaged_file"),
    "cut.docx": (lambda: docx(paragraph("hello"))[:200], "damaged_file"),
    "broken.docx": (lambda: docx(document="<w:document"), "damaged_file"),
    "quote.csv": (lambda: b'"' + b"ab\n" * 99_999, "damaged_file"),
    "macros.docx": (lambda: docx(paragraph("x"), vbaProject_bin="x"), "has_macros"),
    "macros.docm": (lambda: docx(paragraph("x"), types='<T><O ContentType="a.macroEnabled.b"/></T>'), "has_macros"),
    "entities.docx": (_laughs, "unsafe_markup"),
    "large.txt": (lambda: b"a " * 5_000_001, "too_large"),
    "bomb.docx": (lambda: docx(paragraph("a" * 1000) * 300_000), "expands_too_far"),
    "bomb.pdf": (lambda: pages(b"BT /F1 12 Tf (x) Tj ET " * 13_000_000), "parser_failed"),
    "slow.pdf": (lambda: pages(*[b"q Q " * 1_000_000] * 200), "takes_too_long"),
}
"""Each with the code of its outcome."""
