# ruff: noqa: S608 - identifiers of the administrator, quoted; no word of a user comes near
"""Names of what row-level security keeps where no reader sees it, and how a secure view reads its table. On a server
they lie in a schema of their own, in a SQLite file among the others, and its own code reads them before any statement
runs.

A view has two steps. The inner one has the caller's rows and a LIMIT, so that no database mixes its condition with a
query's: what a query does to a row, fail included, it does to the caller's rows alone. The outer one decrypts, so that
only the columns that a query uses are decrypted."""

from collections.abc import Sequence

from turnkeep_agents.database.access import SecureView

SCHEMA = "turnkeep_wall"
READ_SCHEMA = "turnkeep_read"
"""Of PostgreSQL: what a reader sees, and the function that opens its session."""

KEY_TABLE = "wall_key"
"""One row, one column: `secret`, the key of AES."""
COMPANY_TABLE = "wall_company"
"""`tenant`, `company`: what the company of a tenant is called in the company columns. Tenant `*` is every other."""
SEAL_TABLE = "wall_seal"
"""One row: `inner_pad` and `outer_pad`, the two keys of HMAC-SHA256."""
SESSION_TABLE = "wall_session"
"""`connection`, `company`, `until`: which connections were proved to read for whom."""

COMPANY_FUNCTION = "current_company"
DECRYPT_FUNCTION = "decrypt_text"
OPEN_PROCEDURE = "open_session"
TENANT_SETTING, PROOF_SETTING = "turnkeep.tenant", "turnkeep.proof"
"""Of PostgreSQL, for one transaction."""

HIDDEN_TABLES = frozenset({KEY_TABLE, COMPANY_TABLE, SEAL_TABLE, SESSION_TABLE})
ANY_TENANT = "*"
UNKNOWN_TENANT = "no company of this tenant"
EVERYTHING = {'"': "-1", "`": "18446744073709551615"}
"""What LIMIT calls no limit, by the dialect's mark of identifiers."""


def quote(name: str, mark: str = '"') -> str:
    """An identifier of SQL."""
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


def literal(text: str) -> str:
    """A text of SQL without a backslash, which MySQL would read as an escape; raises ValueError."""
    if "\\" in text or "\0" in text:
        raise ValueError("a name, tenant or key with a backslash or a zero byte cannot be written as SQL")
    return quote(text, "'")


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
