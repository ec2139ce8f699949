"""Names of what row-level security keeps where no reader sees it. On a server they lie in a schema of their own, in
a SQLite file among the others, and its own code reads them before any statement runs."""

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


def quote(name: str, mark: str = '"') -> str:
    """An identifier of SQL."""
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


def literal(text: str) -> str:
    """A text of SQL without a backslash, which MySQL would read as an escape; raises ValueError."""
    if "\\" in text or "\0" in text:
        raise ValueError("a name, tenant or key with a backslash or a zero byte cannot be written as SQL")
    return quote(text, "'")
