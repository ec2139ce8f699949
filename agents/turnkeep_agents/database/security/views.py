# ruff: noqa: S608 - identifiers of the administrator, quoted; no word of a user comes near
"""The statements by which an administrator sets up row-level security on MariaDB or MySQL, and the few for a SQLite
file. Turnkeep prints them and never runs them. On a server it needs neither key nor company map afterwards, only the
signing key.

The reader's own SQL cannot choose the session's tenant: a definer's procedure accepts only a signature, made for this
one connection with a secret that no SQL of the reader can see."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from turnkeep_agents.database.access import Access, SecureView
from turnkeep_agents.database.security.view_sql import (
    ANY_TENANT,
    COMPANY_FUNCTION,
    COMPANY_TABLE,
    DECRYPT_FUNCTION,
    KEY_TABLE,
    KEYS_TABLE,
    OPEN_PROCEDURE,
    SCHEMA,
    SESSION_TABLE,
    UNKNOWN_TENANT,
    inner,
    literal,
    outer,
    quote,
)

MARK = "`"
DEFINER = "'turnkeep_wall'@'localhost'"  # an account without login, with whose rights views and functions run
SLOTS = 65_536  # sessions remembered at once; a new one replaces an old one, so nothing needs cleaning up
LONGEST_PROOF_SECONDS = 120
_HMAC_BLOCK_BYTES = 64


@dataclass(frozen=True)
class Secrets:
    """Known to the administrator and the database only, except the signing key, which Turnkeep knows too. `companies`
    maps tenants to their value in the company columns; tenant `*` is every other."""

    key: str
    signing_key: str
    companies: Mapping[str, str]


def secure_views_ddl(
    access: Access, columns: Mapping[str, Sequence[str]], database: str, reader: str, known: Secrets | None
) -> list[str]:
    """Return statements for an administrator to run in order, again after each change of the schema. `columns` lists,
    by table, all that readers may see; `reader` is an account as 'name'@'host'. Without `known` only views and rights
    are set up again. Raises ValueError for names that cannot be written."""
    views = [view for view in access.views if view.table in columns]
    shared = sorted(columns.keys() - {view.table for view in views} - {view.view for view in views})
    return [
        *([*_hidden_tables(known), *_routines()] if known else []),
        *(statement for view in views for statement in _view(view, columns[view.table], database)),
        *_grants(database, reader, [*(view.view for view in views), *shared]),
    ]


def secure_file_ddl(known: Secrets) -> list[str]:
    """Return what a SQLite file needs; its views are made for each statement."""
    tenants = ", ".join(f"({literal(one)}, {literal(own)})" for one, own in known.companies.items())
    return [
        f"CREATE TABLE {KEY_TABLE} (secret TEXT NOT NULL)",
        f"INSERT INTO {KEY_TABLE} VALUES ({literal(known.key)})",
        f"CREATE TABLE {COMPANY_TABLE} (tenant TEXT PRIMARY KEY, company NOT NULL)",
        f"INSERT INTO {COMPANY_TABLE} VALUES {tenants}",
    ]


def _hidden_tables(known: Secrets) -> Iterator[str]:
    yield f"CREATE DATABASE IF NOT EXISTS {SCHEMA} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    yield f"CREATE USER IF NOT EXISTS {DEFINER} ACCOUNT LOCK"
    yield f"GRANT SELECT, INSERT, DELETE, EXECUTE ON {SCHEMA}.* TO {DEFINER}"
    yield f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{KEY_TABLE} (secret VARBINARY(255) NOT NULL)"
    yield (
        f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{COMPANY_TABLE}"
        " (tenant VARCHAR(128) NOT NULL PRIMARY KEY, company VARCHAR(64) NOT NULL)"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{KEYS_TABLE}"
        f" (inner_pad BINARY({_HMAC_BLOCK_BYTES}) NOT NULL, outer_pad BINARY({_HMAC_BLOCK_BYTES}) NOT NULL)"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{SESSION_TABLE} (slot INT UNSIGNED NOT NULL PRIMARY KEY,"
        " connection BIGINT UNSIGNED NOT NULL, company VARCHAR(64) NOT NULL, until BIGINT NOT NULL) ENGINE=InnoDB"
    )
    yield from _filled(KEY_TABLE, [literal(known.key)])
    yield from _filled(KEYS_TABLE, [", ".join(f"0x{pad.hex()}" for pad in pads(known.signing_key.encode()))])
    yield from _filled(COMPANY_TABLE, [f"{literal(one)}, {literal(own)}" for one, own in known.companies.items()])


def _filled(table: str, rows: Iterable[str]) -> Iterator[str]:
    yield f"DELETE FROM {SCHEMA}.{table}"
    yield f"INSERT INTO {SCHEMA}.{table} VALUES {', '.join(f'({row})' for row in rows)}"


def pads(key: bytes) -> tuple[bytes, bytes]:
    """Return the keys of the two hashes of HMAC: RFC 2104, section 2."""
    if len(key) > _HMAC_BLOCK_BYTES:
        raise ValueError(f"a signing key has at most {_HMAC_BLOCK_BYTES} bytes")
    block = key.ljust(_HMAC_BLOCK_BYTES, b"\0")
    return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)


def _routines() -> Iterator[str]:
    """A function whose result is constant during a statement is called deterministic: then it is asked once, and
    indexes can be used."""
    head = f"CREATE DEFINER={DEFINER}"
    yield f"DROP FUNCTION IF EXISTS {SCHEMA}.{DECRYPT_FUNCTION}"
    yield (
        f"{head} FUNCTION {SCHEMA}.{DECRYPT_FUNCTION}(data LONGBLOB) RETURNS LONGTEXT CHARACTER SET utf8mb4\n"
        "DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER\n"
        f"RETURN CONVERT(AES_DECRYPT(data, (SELECT secret FROM {SCHEMA}.{KEY_TABLE})) USING utf8mb4)"
    )
    yield f"DROP FUNCTION IF EXISTS {SCHEMA}.{COMPANY_FUNCTION}"
    yield (
        f"{head} FUNCTION {SCHEMA}.{COMPANY_FUNCTION}() RETURNS VARCHAR(64) CHARACTER SET utf8mb4\n"
        "DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER\n"
        f"RETURN (SELECT company FROM {SCHEMA}.{SESSION_TABLE} WHERE slot = CONNECTION_ID() MOD {SLOTS}"
        " AND connection = CONNECTION_ID() AND until >= UNIX_TIMESTAMP())"
    )
    yield f"DROP PROCEDURE IF EXISTS {SCHEMA}.{OPEN_PROCEDURE}"
    yield f"{head} PROCEDURE {SCHEMA}.{OPEN_PROCEDURE}{_OPEN_SESSION}"


_OPEN_SESSION = f"""(
  IN asked_tenant VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, IN asked_until BIGINT,
  IN proof VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin)
MODIFIES SQL DATA SQL SECURITY DEFINER
BEGIN
  DECLARE claim VARBINARY(1024);
  DECLARE expected VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE own VARCHAR(64) CHARACTER SET utf8mb4;
  SET claim = CONCAT(CONNECTION_ID(), 0x0A, asked_until, 0x0A, CAST(asked_tenant AS BINARY));
  SET expected = (SELECT SHA2(CONCAT(outer_pad, UNHEX(SHA2(CONCAT(inner_pad, claim), 256))), 256)
                  FROM {SCHEMA}.{KEYS_TABLE});
  IF expected IS NULL OR NOT (expected <=> proof) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the proof does not fit';
  END IF;
  IF asked_until < UNIX_TIMESTAMP() OR asked_until > UNIX_TIMESTAMP() + {LONGEST_PROOF_SECONDS} THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the proof is not of now';
  END IF;
  SET own = (SELECT company FROM {SCHEMA}.{COMPANY_TABLE} WHERE tenant IN (asked_tenant, '{ANY_TENANT}')
             ORDER BY tenant = '{ANY_TENANT}' LIMIT 1);
  IF own IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{UNKNOWN_TENANT}';
  END IF;
  REPLACE INTO {SCHEMA}.{SESSION_TABLE} VALUES (CONNECTION_ID() MOD {SLOTS}, CONNECTION_ID(), own, asked_until);
END"""


def _view(view: SecureView, columns: Sequence[str], database: str) -> Iterator[str]:
    table, own = _in(database, view.table), _in(SCHEMA, f"{database}.{view.view}")
    head = f"CREATE OR REPLACE DEFINER={DEFINER} SQL SECURITY DEFINER VIEW"
    yield f"GRANT SELECT ON {table} TO {DEFINER}"
    yield f"{head} {own} AS {inner(view, table, f'{SCHEMA}.{COMPANY_FUNCTION}()', MARK)}"
    shown = outer(view, columns, own, f"{SCHEMA}.{DECRYPT_FUNCTION}", MARK)
    yield f"{head} {_in(database, view.view)} AS {shown}"


def _grants(database: str, reader: str, names: Iterable[str]) -> Iterator[str]:
    """Revoke older rights, with which a reader could read past the views."""
    yield f"REVOKE ALL PRIVILEGES, GRANT OPTION FROM {reader}"
    yield f"GRANT EXECUTE ON PROCEDURE {SCHEMA}.{OPEN_PROCEDURE} TO {reader}"
    for name in names:
        yield f"GRANT SELECT ON {_in(database, name)} TO {reader}"


def _in(schema: str, name: str) -> str:
    return f"{quote(schema, MARK)}.{quote(name, MARK)}"
