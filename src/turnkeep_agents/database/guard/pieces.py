"""Small parts of trees, as translations put them together."""

from sqlglot import exp


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(arguments))


def text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def inside(node: exp.Expr) -> exp.Expr:
    """Without the conversions that the parser puts around the argument of a function of dates."""
    while isinstance(node, exp.TsOrDsToDate | exp.TsOrDsToTimestamp | exp.TsOrDsToTime):
        node = node.this
    return node
