"""Random lists and formulas: their numbers, which no text contains, are read as Word and browsers display them, and
formulas keep their value, however they are nested."""

import ast
from fractions import Fraction
from typing import Any

import pytest
from crafted_files import W, docx, paragraph
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.documents.parsing.__main__ import read
from turnkeep.documents.parsing.parsed import Limits

KINDS = {"decimal": "1", "lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
COUNTED = {
    "lowerLetter": "a b c d e f g h i j k l m n o p q r s t u v w x y z aa",
    "lowerRoman": "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii xxiv xxv xxvi"
    " xxvii",
}
LEVELS = 3
Trees = st.recursive(st.just([]), lambda trees: st.lists(trees, min_size=1, max_size=5), max_leaves=20)
Kinds = st.lists(st.sampled_from(sorted(KINDS)), min_size=LEVELS, max_size=LEVELS)
Starts = st.lists(st.integers(1, 22), min_size=LEVELS, max_size=LEVELS)


def shown(number: int, kind: str) -> str:
    lower = COUNTED.get(kind.replace("upper", "lower"))
    text = lower.split()[number - 1] if lower else str(number)
    return text.upper() if kind.startswith("upper") else text


def items(tree: list[Any], above: tuple[int, ...], starts: list[int]) -> list[tuple[int, ...]]:
    """The numbers of an item and of those that it is in, for each in order."""
    found = []
    for at, inner in enumerate(tree if len(above) < LEVELS else []):
        path = (*above, starts[len(above)] + at)
        found += [path, *items(inner, path, starts)]
    return found


def numbering(texts: list[str], kinds: list[str], starts: list[int]) -> str:
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{starts[at]}"/><w:numFmt w:val="{kinds[at]}"/><w:pStyle w:val="S{at}"/>'
        f'<w:lvlText w:val="{texts[at]}"/></w:lvl>'
        for at in range(LEVELS)
    )
    bullets = '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    return (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>{bullets}'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
        "</w:lvlOverride></w:num></w:numbering>"
    )


def styles(*, are_of_list: bool) -> str:
    number = '<w:numPr><w:numId w:val="1"/></w:numPr>' if are_of_list else ""
    inner = "".join(f'<w:style w:styleId="S{at}"><w:basedOn w:val="base"/></w:style>' for at in range(LEVELS))
    return f'<w:styles xmlns:w="{W}"><w:style w:styleId="base"><w:pPr>{number}</w:pPr></w:style>{inner}</w:styles>'


def item(level: int, number: int = 1, text: str = "x") -> str:
    """A paragraph that names its list itself."""
    own = f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr></w:pPr>'
    return f"<w:p>{own}<w:r><w:t>{text}</w:t></w:r></w:p>"


def lines_of(body: bytes) -> list[str]:
    [piece] = read(body, "a", Limits()).pieces
    return piece.text.split("\n")


@given(Trees.filter(bool), Kinds, Starts, st.booleans(), st.booleans())
def test_word_numbers_its_lists(tree, kinds, starts, is_styled, is_whole):
    """By the level of the paragraph or of its style; a level shows its own number, or those above it as well."""
    texts = ["%1.", "%1.%2", "%1.%2.%3"] if is_whole else ["%1.", "(%2)", "%3)"]
    paths = items(tree, (), starts)
    body = "".join(paragraph("x", f"S{len(path) - 1}") if is_styled else item(len(path) - 1) for path in paths)
    parts = {"numbering_xml": numbering(texts, kinds, starts), "styles_xml": styles(are_of_list=is_styled)}
    expected = []
    for path in paths:
        text = texts[len(path) - 1]
        for at, number in enumerate(path):
            text = text.replace(f"%{at + 1}", shown(number, kinds[at]))
        expected.append(f"{text} x")
    assert lines_of(docx(body, **parts)) == expected


@given(Trees.filter(bool), Kinds, Starts)
def test_a_page_numbers_its_lists(tree, kinds, starts):
    def written(tree: list[Any], level: int) -> str:
        inner = "".join(f"<li>x{written(each, level + 1)}" for each in tree) if level < LEVELS else ""
        return f"<ol type={KINDS[kinds[level]]} start={starts[level]}>{inner}</ol>" if inner else ""

    expected = [f"{shown(path[-1], kinds[len(path) - 1])}. x" for path in items(tree, (), starts)]
    assert lines_of(f"<html>{written(tree, 0)}".encode()) == expected


def test_lists_of_word_continue_restart_and_have_bullets():
    body = item(0) + item(0) + item(0, 2) + item(0, 2, " ") + item(0, 3) + item(1, 3)
    body += item(0) + item(0, 0) + item(0, 9) + item(2, text="z")
    parts = {"numbering_xml": numbering(["%1.", "%1.%2", ""], ["decimal", "decimalZero", "none"], [1, 1, 1])}
    assert lines_of(docx(body, **parts)) == ["1. x", "2. x", "- x", "7. x", "7.01 x", "8. x", "x", "x", "z"]


Formulas = st.recursive(
    st.integers(1, 9), lambda inner: st.tuples(st.sampled_from(["", "+"]), inner, inner), max_leaves=6
)


def value(formula: Any) -> Fraction:
    if isinstance(formula, int):
        return Fraction(formula)
    left, right = value(formula[1]), value(formula[2])
    return left + right if formula[0] else left / right


def mathml(formula: Any) -> str:
    if isinstance(formula, int):
        return f"<mn>{formula}</mn>"
    left, right = mathml(formula[1]), mathml(formula[2])
    return f"<mrow>\n{left}<mo>+</mo>{right}</mrow>" if formula[0] else f"<mfrac>{left} {right}</mfrac>"


def value_of(node: ast.AST) -> Fraction:
    if isinstance(node, ast.BinOp):
        left, right = value_of(node.left), value_of(node.right)
        return left + right if isinstance(node.op, ast.Add) else left / right
    return Fraction(node.value)


@given(Formulas)
def test_a_formula_keeps_its_value(formula):
    """Also where the page hides it behind its picture."""
    page = f"<p>Is <span style='display:none'><math>{mathml(formula)}</math></span><img> it"
    text = "\n".join(lines_of(f"<html>{page}".encode())).removeprefix("Is ").removesuffix(" it")
    assert value_of(ast.parse(text, mode="eval").body) == value(formula)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "\u221a(a+b)"),
        ("<mfrac><mn>1</mn><msqrt><mn>2</mn><mi>a</mi></msqrt></mfrac>", "1/\u221a(2a)"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_1^2"),
        ("<mtable><mtr><mtd>1</mtd> <mtd>0</mtd></mtr><mtr><mtd>0</mtd><mtd>1</mtd></mtr></mtable>", "1, 0; 0, 1"),
    ],
)
def test_parts_of_a_formula_are_separated(page, text):
    assert lines_of(f"<html><math>{page}</math>".encode()) == [text]
