"""Random tables, written as files of each kind, are read back as the same grid."""

import csv
import io
import re
from dataclasses import dataclass
from html import escape

from crafted_files import docx, pages, paragraph
from hypothesis import assume, given
from hypothesis import strategies as st

from turnkeep.documents.parsing.__main__ import read
from turnkeep.documents.parsing.layout import PAGE_CHARACTERS
from turnkeep.documents.parsing.parsed import Limits

Words = st.sampled_from(
    ["May", "1.500,50", "2,000", "-", "12", "a;b", "x|y", "Perch\u00e9", "so, not", 'the "end"', "<5", "&"]
)


@dataclass(frozen=True)
class Spanning:
    """Paragraphs in the first of `width` x `height` cells."""

    texts: list[str]
    width: int = 1
    height: int = 1


@st.composite
def tables(
    draw: st.DrawFn, *, spans: bool = True, words: st.SearchStrategy[str] = Words
) -> tuple[int, list[dict[int, Spanning]]]:
    """The number of columns; for each row its cells by their column."""
    height, width = draw(st.integers(1, 5)), draw(st.integers(2, 5))
    texts = st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), max_size=3)
    free = {(row, column) for row in range(height) for column in range(width)}
    rows: list[dict[int, Spanning]] = []
    for row in range(height):
        cells: dict[int, Spanning] = {}
        for column in range(width):
            if (row, column) not in free:
                continue
            wide = draw(st.integers(1, 2)) if spans and (row, column + 1) in free else 1
            high = draw(st.integers(1, 2)) if spans and row + 1 < height else 1
            cells[column] = Spanning(draw(texts), wide, high)
            free -= {(row + down, column + right) for down in range(high) for right in range(wide)}
        rows.append(cells)
    return width, rows


def grid(table: tuple[int, list[dict[int, Spanning]]]) -> list[list[str]]:
    """As it should be read: rows without any text are left out."""
    width, rows = table
    cells = [[" ".join(row[column].texts) if column in row else "" for column in range(width)] for row in rows]
    return [row for row in cells if any(row)]


def grid_of(text: str) -> list[list[str]]:
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)] for line in text.split("\n")]


def seen_in(body: bytes, name: str) -> list[list[str]]:
    """Behind a first line, so that there always is a text."""
    [piece] = read(body, name, Limits()).pieces
    first, _, rest = piece.text.partition("\n")
    assert first == "first"
    return grid_of(rest) if rest else []


def shifted(rows: list[list[str]], width: int) -> list[list[str]]:
    """Empty cells at the end of the last row, where the text is stripped."""
    return [[*row, *[""] * (width - len(row))] for row in rows]


Markup = st.sampled_from(
    ["{}", "<p>{}</p>", "<div><b>{}</b></div>", "<p><span style='font-size:.9em'>{}</span></p>"]
) | st.just("<ul><div>{}</div></ul>")


@given(tables(), st.lists(Markup, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_html(table, markup, is_sectioned, has_breaks):
    def cell(number: int, one: Spanning) -> str:
        form = markup[number % len(markup)]
        texts = [*map(escape, one.texts)]
        inner = "<br>".join(texts) if has_breaks else "".join(wrapped("p", text) for text in texts)
        return f'<td colspan="{one.width}" rowspan={one.height}>{form.format(inner) if inner else "&nbsp;"}</td>'

    rows = "".join(f"<tr>{''.join(cell(*each) for each in row.items())}</tr>\n" for row in table[1])
    body = f"<html><body><p>first</p><table>{f'<tbody>{rows}</tbody>' if is_sectioned else rows}</table></body></html>"
    assert shifted(seen_in(body.encode(), "a.html"), table[0]) == grid(table)


@given(tables())
def test_docx(table):
    width, rows = table
    above: dict[int, tuple[int, int]] = {}  # by column, the rows that a cell still reaches into and its width
    written = []
    for row in rows:
        cells, column = [], 0
        while column < width:
            one = row.get(column)
            left, wide = (one.height, one.width) if one else above[column]
            above[column] = left - 1, wide
            kind = "continue" if one is None else "restart" if one.height > 1 else ""
            merge = f'<w:vMerge w:val="{kind}"/>' if kind else ""
            texts = "".join(paragraph(escape(text)) for text in one.texts) if one else ""
            cells.append(f'<w:tc><w:tcPr><w:gridSpan w:val="{wide}"/>{merge}</w:tcPr>{texts or "<w:p/>"}</w:tc>')
            column += wide
        written.append(f"<w:tr>{''.join(cells)}</w:tr>")
    body = docx(f"{paragraph('first')}<w:tbl>{''.join(written)}</w:tbl>")
    assert shifted(seen_in(body, "a.docx"), width) == grid(table)


@given(tables(spans=False), st.booleans())
def test_a_table_in_a_cell_keeps_its_cells(table, is_page):
    cells = [[" ".join(row[column].texts) for column in range(table[0])] for row in table[1]]
    shown = "; ".join(" | ".join(row) for row in cells if any(row))
    assume(shown and len(shown.replace("|", "\\|")) < PAGE_CHARACTERS)
    tags = ("table", "tr", "td", "{}") if is_page else ("w:tbl", "w:tr", "w:tc", paragraph("{}"))
    inner = "".join(
        wrapped(tags[1], *(wrapped(tags[2], tags[3].format(escape(each))) for each in row)) for row in cells
    )
    outer = wrapped(tags[1], wrapped(tags[2], tags[3].format("left")), wrapped(tags[2], wrapped(tags[0], inner)))
    body = wrapped(tags[0], outer)
    [piece] = read(f"<html>{body}".encode() if is_page else docx(body), "a", Limits()).pieces
    [row] = grid_of(piece.text)
    assert ["left", " ".join(shown.split())] == row


def wrapped(tag: str, *inner: str) -> str:
    return f"<{tag}>{''.join(inner)}</{tag}>"


@given(
    tables(spans=False), st.sampled_from(",;\t|"), st.booleans(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
)
def test_csv(table, delimiter, is_declared, quoting):
    width, rows = table
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)
    writer.writerow([f"heading {column}" for column in range(width)])
    writer.writerows(["\n".join(row[column].texts) for column in range(width)] for row in rows)
    body = f"sep={delimiter}\r\n" * is_declared + out.getvalue()
    [piece] = read(body.encode(), "a.csv", Limits()).pieces
    assert shifted(grid_of(piece.text)[1:], width) == grid(table)


@given(tables(spans=False))
def test_markdown(table):
    width, rows = table
    lines = [
        "| " + " | ".join(" ".join(row[column].texts).replace("|", "\\|") for column in range(width)) + " |"
        for row in rows
    ]
    [piece] = read("\n".join(["first", *lines]).encode(), "a.md", Limits()).pieces
    found = [row[1:-1] for row in grid_of(piece.text)[1:]]
    assert [row for row in found if any(row)] == grid(table)


@given(tables(spans=False, words=st.sampled_from(["May", "2,000", "x|y", "-"])))
def test_a_pdf_has_the_text_of_each_cell_in_order(table):
    drawn = []
    for row, cells in enumerate(table[1]):
        for column, one in cells.items():
            text = " ".join(one.texts).encode()
            drawn.append(b"BT /F1 4 Tf %d %d Td (%s) Tj ET" % (20 + 115 * column, 700 - 30 * row, text))
    [piece] = read(pages(b"BT /F1 10 Tf 20 740 Td (first) Tj ET " + b" ".join(drawn)), "a.pdf", Limits()).pieces
    cells = ["first", *(cell for row in grid(table) for cell in row)]
    assert "".join(piece.text.split()) == "".join("".join(cells).split())
