"""How an ask ends without rows, and the codes that clients see."""

from collections.abc import Sequence

from turnkeep.databases.errors import DatabaseBusy
from turnkeep.observability import logger
from turnkeep_agents.database.nodes.turn import Update, ask_of, found
from turnkeep_agents.database.security.database import DatabaseError, DatabaseSlow
from turnkeep_agents.database.state import AskState, Attempt, Finding

DOWN, SLOW, CHANGED = "database_down", "database_slow", "schema_changed"
REFUSED, NOTHING, REPEATED = "sql_refused", "nothing_found", "rows_repeated"

NO_STATEMENT = "The question could not be put to the database."
NOT_HELD = "The database holds nothing of this."
NARROWER = "A question about fewer rows, such as those of one month, may take less."
CHANGED_SINCE = (
    "Its tables, or what may be read of them, have changed since this server looked at them; whoever runs it can renew "
    "what it knows."
)
RENEW_GRAPH = "run turnkeep joins build and, where there are secure views, turnkeep database secure --again; "
RESTART = "start the server anew"


def failed(state: AskState, error: DatabaseError) -> Update:
    """The database gave nothing: nobody writes the statement anew."""
    code = SLOW if isinstance(error, DatabaseSlow) else DOWN
    told = f"{error} {NARROWER}" if code == SLOW and not isinstance(error, DatabaseBusy) else str(error)
    return ended(state, told, code, "The database gave no answer.")


def ended(
    state: AskState, problem: str, code: str, sentence: str, *, attempts: Sequence[Attempt] | None = None
) -> Update:
    finding = Finding(kind="sql", question=ask_of(state)["question"], problem=problem)
    return {
        **found(state, finding, sentence, attempts=attempts),
        "warnings": list(dict.fromkeys([*state["warnings"], code])),
    }


def log_change(tables: Sequence[str], *, has_joins: bool) -> None:
    """For whoever runs the server: a user can mend nothing of it. `has_joins`: a file of the settings is the graph."""
    remedy = f"{RENEW_GRAPH if has_joins else ''}{RESTART}"
    logger.warning("database has changed since its tables were read", tables=list(tables), remedy=remedy)
