"""From the tree to the SQL that runs: without comments, and MariaDB understands what is written for MySQL."""

from sqlalchemy.dialects.mysql.reserved_words import RESERVED_WORDS_MYSQL
from sqlalchemy.dialects.postgresql.base import RESERVED_WORDS
from sqlalchemy.dialects.sqlite.base import SQLiteIdentifierPreparer
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from turnkeep_agents.database.guard.languages import language
from turnkeep_agents.database.guard.verdicts import Dialect, refuse

_RESERVED = RESERVED_WORDS_MYSQL | RESERVED_WORDS | SQLiteIdentifierPreparer.reserved_words
_OWN = ("order", "limit", "offset", "with_")


def render(tree: exp.Expr, dialect: Dialect, *, is_last: bool = False) -> str:
    """Write the tree; raise Refusal if the dialect cannot express a part. With `is_last` the tree may be changed."""
    try:
        return tree.sql(language(dialect), comments=False, unsupported_level=ErrorLevel.RAISE, copy=not is_last)
    except (SqlglotError, ValueError) as error:
        reason = str(error).split("\n", 1)[0][:160]
        raise refuse("syntax", f"The SQL cannot be written for {dialect}: {reason}") from None


def adapt(tree: exp.Expr, dialect: Dialect) -> None:
    """Remove brackets around the queries of a UNION, which SQLite does not have; a query with its own LIMIT goes into a
    FROM."""
    if dialect != "sqlite":
        return
    for node in reversed(list(tree.find_all(exp.SetOperation))):
        for side in (node.this, node.expression):
            while isinstance(side, exp.Subquery) and isinstance(side.this, exp.Query):
                inner = side.this
                has_own = isinstance(inner, exp.SetOperation) or any(inner.args.get(part) for part in _OWN)
                side.replace(exp.select("*").from_(side.copy()) if has_own else inner)
                side = inner  # noqa: PLW2901


def is_plain(name: str) -> bool:
    """Return whether `name` needs no quotes in any dialect that keeps its case."""
    return name.isascii() and name.isidentifier() and name.lower() not in _RESERVED


def identifier(name: str, dialect: Dialect) -> exp.Identifier:
    keeps_case = dialect != "postgres" or name == name.lower()
    return exp.Identifier(this=name, quoted=not (is_plain(name) and keeps_case))


def spelt(name: exp.Identifier, dialect: Dialect) -> str:
    """Return the name as the database reads it: PostgreSQL folds unquoted names."""
    return name.name.lower() if dialect == "postgres" and not name.quoted else name.name
