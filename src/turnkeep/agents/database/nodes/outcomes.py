"""How a query ends without rows, and the codes that clients see."""

from turnkeep.agents.database.nodes.replies import Update
from turnkeep.agents.database.nodes.workplace import query_step
from turnkeep.agents.database.state import QueryState
from turnkeep.agents.database.wall.database import DatabaseError, DatabaseSlow

DOWN, SLOW, CHANGED = "database_down", "database_slow", "schema_changed"
REFUSED, NOTHING, TABLES_BY_RULES = "sql_refused", "nothing_found", "tables_by_rules"
LINK_ASSUMED = "link_assumed"

NO_TABLE = "The database that I can read holds nothing that this question asks about."
NO_SQL = "I could not put this question to the database."
TRY = "Name what you want to know in its words: what is to be counted or listed, and of which period."
NARROWER = "A question about fewer rows, such as those of one month, may take less."
CHANGED_SINCE = (
    "Its tables, or what its login may read, are no longer as the join graph has them: run `turnkeep joins build` "
    "again, where it has secure views `turnkeep database secure --again`, and start the server anew."
)


def failed(state: QueryState, error: DatabaseError) -> Update:
    is_slow = isinstance(error, DatabaseSlow)
    code, told = (SLOW, f"{error} {NARROWER}") if is_slow else (DOWN, str(error))
    return {"failure": code, "told": told, **query_step(state, "The database gave no answer.")}


def nothing_fits(state: QueryState) -> Update:
    return {"told": f"{NO_TABLE} {TRY}", **query_step(state, "No table fits the question.")}


def in_words(state: QueryState) -> str:
    """What went wrong, for the user."""
    problem = state["problem"]
    ended = problem and (problem if problem.endswith((".", "?", "!")) else f"{problem}.")
    remedy = CHANGED_SINCE if CHANGED in state["warnings"] else TRY
    return state["told"] or " ".join(filter(None, [NO_SQL, ended, remedy]))
