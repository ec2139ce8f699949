"""`turnkeep database verified`: checks a file of questions with their SQL as the SQL of a model is checked."""

import argparse
from datetime import UTC, datetime

from turnkeep.graphs.building import read_settings
from turnkeep.records import Principal
from turnkeep_agents.database.checks.repeated_rows import repeated_rows
from turnkeep_agents.database.checks.suspicious_sql import doubts
from turnkeep_agents.database.guard.guard import Checked
from turnkeep_agents.database.manual import Manual
from turnkeep_agents.database.security.database import open_databases
from turnkeep_agents.database.settings import DatabaseSettings
from turnkeep_agents.database.verified import Verified, dated, load_verified
from turnkeep_agents.database.workspace import Snapshot, Workspace
from turnkeep_agents.databases.errors import DatabaseError
from turnkeep_local import LocalError

LOCAL = Principal("local", "local")


def check(options: argparse.Namespace) -> None:
    """Print the faults, one a line. Raise LocalError if there are any."""
    tuning = read_settings().of(DatabaseSettings)
    pairs, workspace = (
        load_verified(options.file).pairs,
        Workspace(open_databases(tuning), Manual(()), Verified(), tuning),
    )
    try:
        snapshot = workspace.on(datetime.now(UTC).date(), LOCAL)
    except DatabaseError as error:
        raise LocalError(str(error)) from None
    faults = [f"{one.question}: {fault}" for one in pairs if (fault := fault_of(one.sql, snapshot))]
    print("\n".join([*faults, f"{len(pairs) - len(faults)} of {len(pairs)} statements are sound."]))
    if faults:
        raise LocalError("Some statements are wrong; models never see them.")


def fault_of(sql: str, snapshot: Snapshot) -> str:
    """Return an empty text for a sound statement; no rows are no fault."""
    schema, dialect = snapshot.schema, snapshot.database.dialect
    statement, checked = snapshot.check(dated(sql, snapshot.today))
    if not isinstance(checked, Checked):
        return " ".join(problem.message for problem in checked.problems)
    if doubt := doubts(statement, checked, schema.graph, schema.targets, dialect):
        return doubt
    repeated = repeated_rows(statement, schema.graph, dialect, snapshot.run)
    if repeated:
        return " ".join(one.problem for one in repeated if one.is_shown)
    try:
        snapshot.database.run(checked.sql, snapshot.principal)
    except DatabaseError as error:
        return str(error)
    return ""
