"""Random formulas of a page keep their value, however they are nested."""

import ast
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.documents.parsing.__main__ import read
from turnkeep.documents.parsing.parsed import Limits


def line_of(page: str) -> str:
    [piece] = read(f"<html>{page}".encode(), "a", Limits()).pieces
    return piece.text


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
    text = line_of(page).removeprefix("Is ").removesuffix(" it")
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
    assert line_of(f"<math>{page}</math>") == text
