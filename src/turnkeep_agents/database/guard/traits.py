"""What a node of the tree is, by itself and where it stands."""

from sqlglot import exp


def is_aggregate(node: exp.Expr) -> bool:
    """Whether `node` makes one value of many rows; window functions do not."""
    if not isinstance(node, exp.AggFunc) or isinstance(node, exp.FirstValue | exp.LastValue | exp.Lag | exp.Lead):
        return False
    parent = node.parent
    if isinstance(parent, exp.Filter):
        parent = parent.parent
    return not (isinstance(parent, exp.Window) and parent.this in (node, node.parent))


def is_one_row(node: exp.Select) -> bool:
    limit = node.args.get("limit")
    if not node.args.get("from_") or (limit and limit.expression.name in ("0", "1")):
        return True
    if node.args.get("group"):
        return False
    return any(is_aggregate(found) for each in node.expressions for found in each.find_all(exp.AggFunc))


def is_compared_value(node: exp.Column) -> bool:
    """Whether a column stands on the other side of a comparison, before this."""
    parent = node.parent
    if isinstance(parent, exp.EQ | exp.NEQ | exp.Like | exp.Glob):
        return isinstance(parent.this, exp.Column) and parent.expression is node
    return isinstance(parent, exp.In) and isinstance(parent.this, exp.Column) and parent.this is not node


def alias_of(node: exp.Table) -> exp.Identifier:
    """The name under which the columns of a table are written."""
    alias = node.args.get("alias")
    found = alias.this if alias else node.this
    assert isinstance(found, exp.Identifier)  # noqa: S101  (the grammar lets nothing else through)
    return found
