# ruff: noqa: S608 - identifiers of the administrator, quoted; no word of a user comes near
"""How a secure view reads its table, in two steps. The inner one has the caller's rows and a LIMIT, so that no database
mixes its condition with a query's: what a query does to a row, fail included, it does to the caller's rows alone. The
outer one decrypts, so that only the columns that a query uses are decrypted."""

from collections.abc import Sequence

from turnkeep_agents.database.access import SecureView
from turnkeep_agents.database.security.hidden import quote

EVERYTHING = {'"': "-1", "`": "18446744073709551615"}
"""What LIMIT calls no limit, by the dialect's mark of identifiers."""


def inner(view: SecureView, table: str, company: str, mark: str) -> str:
    """`table` and the call of the function that tells the `company` as SQL."""
    if not view.company_column:
        return f"SELECT * FROM {table}"
    own = f"{quote(view.company_column, mark)} = {company}"
    return f"SELECT * FROM {table} WHERE {own} LIMIT {EVERYTHING[mark]}"


def outer(view: SecureView, columns: Sequence[str], source: str, decrypt: str, mark: str) -> str:
    """`source` and the name of the function that decrypts as SQL."""
    shown = (_shown(quote(name, mark), decrypt if name in view.encrypted else "") for name in columns)
    return f"SELECT {', '.join(shown)} FROM {source}"


def _shown(column: str, decrypt: str) -> str:
    return f"{decrypt}({column}) AS {column}" if decrypt else column
