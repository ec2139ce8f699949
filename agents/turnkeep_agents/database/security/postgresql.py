# ruff: noqa: S608 - identifiers of the administrator, quoted; no word of a user comes near
"""The statements by which an administrator sets up row-level security on PostgreSQL. The reader sees one schema of
views and nothing else. Each transaction proves its tenant again, and nothing is written for it.

A view's functions run with the reader's rights, so the reader may execute them. It cannot name them: it may not look
into their schema."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from turnkeep_agents.database.access import Access, SecureView
from turnkeep_agents.database.security.view_sql import (
    ANY_TENANT,
    COMPANY_FUNCTION,
    COMPANY_TABLE,
    DECRYPT_FUNCTION,
    KEY_TABLE,
    KEYS_TABLE,
    OPEN_PROCEDURE,
    PROOF_SETTING,
    READ_SCHEMA,
    SCHEMA,
    TENANT_SETTING,
    UNKNOWN_TENANT,
    literal,
    outer,
    quote,
)
from turnkeep_agents.database.security.views import Secrets, pads

MARK = '"'
OWNER = "turnkeep_wall"  # a role without login that owns schemas, views and functions
PROOF_FUNCTION = "is_proved"
_SAFE = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
_STABLE = f"LANGUAGE plpgsql STABLE PARALLEL RESTRICTED {_SAFE}"
_CALLED_IN_VIEWS = (f"{COMPANY_FUNCTION}(anyelement)", f"{DECRYPT_FUNCTION}(bytea)")
_ROUTINES = (*_CALLED_IN_VIEWS, f"{PROOF_FUNCTION}()")


def barrier_views_ddl(
    access: Access, columns: Mapping[str, Sequence[str]], schema: str, reader: str, known: Secrets | None
) -> list[str]:
    """Return statements for an administrator to run in order in one transaction, again after each change of the schema.
    `columns` lists, by table, all that readers may see; `reader` is a role. Without `known` only views and rights are
    set up again. Raises ValueError for names that cannot be written."""
    views = [view for view in access.views if view.table in columns]
    behind = {view.table for view in views} | {view.view for view in views}
    shared = [SecureView(name, name) for name in sorted(columns.keys() - behind)]
    shown = [*views, *shared]
    return [
        *_owner(schema, [view.table for view in shown]),
        *(_extension() if known else ()),
        *_schema_of_views(),
        f"SET ROLE {OWNER}",
        *([*_hidden_tables(known), *_routines()] if known else []),
        *(statement for view in shown for statement in _view(view, columns[view.table], schema)),
        _OPEN_SESSION,
        *_rights(quote(reader)),
        "RESET ROLE",
        *_no_other_rights(literal(reader)),
        *_judgement(literal(reader)),
        f"REVOKE {OWNER} FROM CURRENT_USER",
    ]


def _owner(schema: str, tables: Iterable[str]) -> Iterator[str]:
    yield _block(
        f"IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{OWNER}')"
        f" THEN CREATE ROLE {OWNER} NOLOGIN; END IF;"
    )
    yield f"GRANT {OWNER} TO CURRENT_USER"
    yield f"GRANT USAGE ON SCHEMA {quote(schema)} TO {OWNER}"
    for table in tables:
        yield f"GRANT SELECT ON {_in(schema, table)} TO {OWNER}"
    yield f"CREATE SCHEMA IF NOT EXISTS {SCHEMA} AUTHORIZATION {OWNER}"


def _extension() -> Iterator[str]:
    """The extension may exist already, in any schema."""
    yield f"CREATE EXTENSION IF NOT EXISTS pgcrypto SCHEMA {SCHEMA}"
    yield _block(f"EXECUTE format('GRANT USAGE ON SCHEMA %I TO {OWNER}', {_PGCRYPTO});")


def _schema_of_views() -> Iterator[str]:
    yield f"DROP SCHEMA IF EXISTS {READ_SCHEMA} CASCADE"
    yield _block(
        f"FOR one IN SELECT viewname FROM pg_catalog.pg_views WHERE schemaname = '{SCHEMA}' LOOP"
        f" EXECUTE format('DROP VIEW {SCHEMA}.%I', one.viewname); END LOOP;"
    )
    yield f"CREATE SCHEMA {READ_SCHEMA} AUTHORIZATION {OWNER}"


def _hidden_tables(known: Secrets) -> Iterator[str]:
    inner_pad, outer_pad = (f"'\\x{pad.hex()}'" for pad in pads(known.signing_key.encode()))
    companies = [f"({literal(one)}, {literal(own)})" for one, own in known.companies.items()]
    for table, columns, rows in (
        (KEY_TABLE, "secret text NOT NULL", f"({literal(known.key)})"),
        (COMPANY_TABLE, "tenant text PRIMARY KEY, company text NOT NULL", ", ".join(companies)),
        (KEYS_TABLE, "inner_pad bytea NOT NULL, outer_pad bytea NOT NULL", f"({inner_pad}, {outer_pad})"),
    ):
        yield f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{table} ({columns})"
        yield f"DELETE FROM {SCHEMA}.{table}"
        yield f"INSERT INTO {SCHEMA}.{table} VALUES {rows}"


def _routines() -> Iterator[str]:
    head = f"CREATE OR REPLACE FUNCTION {SCHEMA}."
    yield f"{head}{PROOF_FUNCTION}() RETURNS boolean {_STABLE} AS $$\n{_PROVED}\n$$"
    yield f"{head}{COMPANY_FUNCTION}(anyelement) RETURNS anyelement {_STABLE} AS $$\n{_COMPANY}\n$$"
    decrypt = f"{head}{DECRYPT_FUNCTION}(data bytea) RETURNS text {_DECRYPT}"
    yield f"DO $do$ BEGIN EXECUTE format($body$\n{decrypt}\n$body$, {_PGCRYPTO}); END $do$"
    for routine in _ROUTINES:
        yield f"REVOKE ALL ON FUNCTION {SCHEMA}.{routine} FROM PUBLIC"


_PGCRYPTO = (
    "(SELECT nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace"
    " WHERE extname = 'pgcrypto')"
)

# any SQL may change both settings, but not sign them; number and moment belong to one transaction
_PROVED = f"""DECLARE
  data bytea := convert_to(pg_backend_pid() || E'\\n' || (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint
    || E'\\n' || current_setting('{TENANT_SETTING}', true), 'UTF8');
BEGIN
  RETURN (SELECT encode(sha256(outer_pad || sha256(inner_pad || data)), 'hex') FROM {SCHEMA}.{KEYS_TABLE})
    = current_setting('{PROOF_SETTING}', true);
END"""

# in the type of the compared column, so that its indexes can be used
_COMPANY = f"""BEGIN
  IF {SCHEMA}.{PROOF_FUNCTION}() THEN
    RETURN (SELECT company FROM {SCHEMA}.{COMPANY_TABLE}
      WHERE tenant IN (current_setting('{TENANT_SETTING}'), '{ANY_TENANT}') ORDER BY tenant = '{ANY_TENANT}' LIMIT 1);
  END IF;
  RETURN NULL;
END"""

# NULL for a wrong key, as in MySQL
_DECRYPT = f"""LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE COST 10000 {_SAFE} AS $$
BEGIN
  RETURN %1$I.pgp_sym_decrypt(data, (SELECT secret FROM {SCHEMA}.{KEY_TABLE}));
EXCEPTION WHEN external_routine_invocation_exception OR character_not_in_repertoire THEN
  RETURN NULL;
END
$$"""

_OPEN_SESSION = f"""CREATE FUNCTION {READ_SCHEMA}.{OPEN_PROCEDURE}(tenant text, proof text) RETURNS void
LANGUAGE plpgsql {_SAFE} AS $$
BEGIN
  PERFORM set_config('{TENANT_SETTING}', tenant, true), set_config('{PROOF_SETTING}', proof, true);
  IF {SCHEMA}.{PROOF_FUNCTION}() IS NOT TRUE THEN
    RAISE EXCEPTION 'the proof does not fit';
  END IF;
  IF {SCHEMA}.{COMPANY_FUNCTION}(NULL::text) IS NULL THEN
    RAISE EXCEPTION '{UNKNOWN_TENANT}';
  END IF;
END
$$"""


def _view(view: SecureView, columns: Sequence[str], schema: str) -> Iterator[str]:
    """Inside, the caller's rows behind a barrier: no condition of a query is tried on other rows. Outside they are
    decrypted, if a query uses them."""
    source = _in(schema, view.table)
    if view.company_column:
        company, inside = quote(view.company_column), _in(SCHEMA, view.table)
        own = f"(SELECT {SCHEMA}.{COMPANY_FUNCTION}((SELECT {company} FROM {source} WHERE false)))"
        yield f"CREATE VIEW {inside} WITH (security_barrier) AS SELECT * FROM {source} WHERE {company} = {own}"
        source = inside
    shown = outer(view, columns, source, f"{SCHEMA}.{DECRYPT_FUNCTION}", MARK)
    yield f"CREATE VIEW {_in(READ_SCHEMA, view.view)} AS {shown}"


def _rights(reader: str) -> Iterator[str]:
    yield f"REVOKE ALL ON FUNCTION {READ_SCHEMA}.{OPEN_PROCEDURE}(text, text) FROM PUBLIC"
    yield f"GRANT USAGE ON SCHEMA {READ_SCHEMA} TO {reader}"
    yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {READ_SCHEMA} TO {reader}"
    yield f"GRANT EXECUTE ON FUNCTION {READ_SCHEMA}.{OPEN_PROCEDURE}(text, text) TO {reader}"
    for routine in _CALLED_IN_VIEWS:
        yield f"GRANT EXECUTE ON FUNCTION {SCHEMA}.{routine} TO {reader}"


_OURS = f"('{SCHEMA}', '{READ_SCHEMA}')"
_OWN_SCHEMAS = "nspname !~ '^pg_' AND nspname <> 'information_schema'"


def _no_other_rights(reader: str) -> Iterator[str]:
    yield _block(
        f"""
  FOR one IN SELECT nspname FROM pg_catalog.pg_namespace WHERE {_OWN_SCHEMAS} AND nspname NOT IN {_OURS} LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %I', one.nspname, {reader});
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', one.nspname, {reader});
    EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM %I', one.nspname, {reader});
    EXECUTE format('REVOKE ALL ON ALL ROUTINES IN SCHEMA %I FROM %I', one.nspname, {reader});
  END LOOP;
  FOR one IN SELECT roleid::regrole FROM pg_catalog.pg_auth_members
    WHERE member = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = {reader}) LOOP
    EXECUTE format('REVOKE %s FROM %I', one.roleid, {reader});
  END LOOP;
  EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = {READ_SCHEMA}', {reader}, current_database());
  EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', {reader});
"""
    )
    yield _block(
        f"EXECUTE format('ALTER ROLE %I SET track_activities = off', {reader});"
        " EXCEPTION WHEN insufficient_privilege THEN"
        " RAISE WARNING 'only a superuser can keep the statements of the reader from pg_stat_activity';"
    )


def _judgement(reader: str) -> Iterator[str]:
    """Fail if a right is left that leads past the views."""
    yield _block(
        f"""
  IF (SELECT rolsuper OR rolbypassrls OR rolreplication OR rolcreaterole FROM pg_catalog.pg_roles
    WHERE rolname = {reader})
  THEN RAISE EXCEPTION 'the reader % is more than a reader', {reader}; END IF;
  FOR one IN SELECT c.oid::regclass AS name FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE {_OWN_SCHEMAS} AND nspname <> '{READ_SCHEMA}' AND relkind IN ('r', 'v', 'm', 'f', 'p')
    AND has_schema_privilege({reader}, n.oid, 'USAGE') AND has_any_column_privilege({reader}, c.oid, 'SELECT')
  LOOP RAISE EXCEPTION 'the reader may still read %, as everybody may: revoke that from PUBLIC', one.name; END LOOP;
  FOR one IN SELECT p.oid::regprocedure AS name FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE {_OWN_SCHEMAS} AND nspname NOT IN {_OURS} AND (prosecdef OR proname ~ '^dblink')
    AND has_schema_privilege({reader}, n.oid, 'USAGE') AND has_function_privilege({reader}, p.oid, 'EXECUTE')
  LOOP RAISE WARNING 'the reader may call %, as everybody may: consider to revoke that from PUBLIC', one.name; END LOOP;
"""
    )


def _block(body: str) -> str:
    return f"DO $$ DECLARE one record; BEGIN {body} END $$"


def _in(schema: str, name: str) -> str:
    return f"{quote(schema)}.{quote(name)}"
