# ruff: noqa: S608 - identifiers of the administrator, quoted; no word of a user comes near
"""Names of the objects that row-level security hides from readers, and how a secure view reads its table. Servers keep
them in their own schema, SQLite files among the other tables.

A view has two steps. The inner one has the caller's rows and a LIMIT, so that no database mixes its condition with a
query's: what a query does to a row, errors included, affects only the caller's rows. The outer one decrypts only the
columns that a query uses."""

from collections.abc import Sequence

from turnkeep_agents.database.access import SecureView

SCHEMA = "turnkeep_wall"
READ_SCHEMA = "turnkeep_read"  # PostgreSQL: what a reader sees, and the function that opens its session

KEY_TABLE = "wall_key"  # one row: `secret`, the key of AES
COMPANY_TABLE = "wall_company"  # `tenant` and its `company` in the company columns; tenant `*` is every other
KEYS_TABLE = "wall_seal"  # one row: `inner_pad` and `outer_pad`, the two keys of HMAC-SHA256
SESSION_TABLE = "wall_session"  # `connection`, `company`, `until`: connections with a valid proof

COMPANY_FUNCTION = "current_company"
DECRYPT_FUNCTION = "decrypt_text"
OPEN_PROCEDURE = "open_session"
TENANT_SETTING, PROOF_SETTING = "turnkeep.tenant", "turnkeep.proof"  # PostgreSQL, for one transaction

HIDDEN_TABLES = frozenset({KEY_TABLE, COMPANY_TABLE, KEYS_TABLE, SESSION_TABLE})
ANY_TENANT = "*"
UNKNOWN_TENANT = "no company of this tenant"
EVERYTHING = {'"': "-1", "`": "18446744073709551615"}  # LIMIT without a limit, by the quote of identifiers


def quote(name: str, mark: str = '"') -> str:
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


def literal(text: str) -> str:
    """Quote a text; raise ValueError for a backslash, which MySQL would read as an escape."""
    if "\\" in text or "\0" in text:
        raise ValueError("a name, tenant or key with a backslash or a zero byte cannot be written as SQL")
    return quote(text, "'")


def inner(view: SecureView, table: str, company: str, mark: str) -> str:
    """`table`, and the call of the function that returns the `company`, are SQL."""
    if not view.company_column:
        return f"SELECT * FROM {table}"
    own = f"{quote(view.company_column, mark)} = {company}"
    return f"SELECT * FROM {table} WHERE {own} LIMIT {EVERYTHING[mark]}"


def outer(view: SecureView, columns: Sequence[str], source: str, decrypt: str, mark: str) -> str:
    """`source`, and the name of the function that decrypts, are SQL."""
    quoted = {name: quote(name, mark) for name in columns}
    shown = (f"{decrypt}({each}) AS {each}" if name in view.encrypted else each for name, each in quoted.items())
    return f"SELECT {', '.join(shown)} FROM {source}"
