"""How a query ends without rows, and the codes that clients see."""

from collections.abc import Sequence

from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.nodes.notices import NO_TABLES
from turnkeep_agents.database.nodes.replies import Update
from turnkeep_agents.database.nodes.workplace import query_step, question_of
from turnkeep_agents.database.state import QueryState, without_rows
from turnkeep_agents.database.wall.database import DatabaseError, DatabaseSlow
from turnkeep_agents.database.writing.cells import listed, quoted
from turnkeep.databases.errors import DatabaseBusy
from turnkeep.observability import logger

DOWN, SLOW, CHANGED = "database_down", "database_slow", "schema_changed"
REFUSED, NOTHING, TABLES_BY_RULES = "sql_refused", "nothing_found", "tables_by_rules"
TOO_MANY = "too_many_tables"
LINK_ASSUMED = "link_assumed"
MOST_WORDS = 5

NO_TABLE = "The database that I can read holds nothing that this question asks about."
NO_SQL = "I could not put this question to the database."
TRY = "Name what you want to know in its words: what is to be counted or listed, and of which period."
INSTEAD = "Which of these comes closest to it, or shall I leave it out?"
NARROWER = "A question about fewer rows, such as those of one month, may take less."
CHANGED_SINCE = (
    "Its tables, or what may be read of them, have changed since this server looked at them. Whoever runs it can renew "
    "what it knows: its log says how."
)
RENEW_GRAPH = "run turnkeep joins build and, where there are secure views, turnkeep database secure --again; "
RESTART = "start the server anew"


def failed(state: QueryState, error: DatabaseError) -> Update:
    code = SLOW if isinstance(error, DatabaseSlow) else DOWN
    told = f"{error} {NARROWER}" if code == SLOW and not isinstance(error, DatabaseBusy) else str(error)
    return {"failure": code, "told": told, **query_step(state, "The database gave no answer.")}


def nothing_fits(state: QueryState, missing: Sequence[str] = (), near: Sequence[str] = ()) -> Update:
    """`missing` are words of the question that the database holds nothing of; `near` is what it holds instead. What is
    said next goes on from the question: it may put something in their place."""
    said = question_of(state).casefold()
    words = [word for word in dict.fromkeys(missing) if word and word.casefold() in said][:MOST_WORDS]
    told = f"The database holds nothing of {listed(quoted(words), 'or')}." if words else NO_TABLE
    at_hand = f"What is nearest: {'; '.join(near)}." if near else ""
    ask = INSTEAD if words else TRY
    last = {"last": without_rows("clarify"), "route": "clarify"} if words else {}
    return {
        "told": " ".join(filter(None, [told, at_hand, ask])),
        "failure": NOTHING,
        **last,
        **query_step(state, "Nothing in the database answers to a word of the question."),
    }


def log_change(tables: Sequence[str], *, has_joins: bool) -> None:
    """For whoever runs the server: a user can mend nothing of it. `has_joins`: a file of the settings is the graph."""
    remedy = f"{RENEW_GRAPH if has_joins else ''}{RESTART}"
    logger.warning("database has changed since its tables were read", tables=list(tables), remedy=remedy)


def nothing_there(state: QueryState) -> Update:
    told = f"{NO_TABLES} Whoever runs this server can tell why."
    return {"told": told, "failure": NOTHING, **query_step(state, "There is no table to ask.")}


def too_many(state: QueryState, named: Sequence[str]) -> Update:
    """What is said next stands alone: the question would only come again."""
    some = listed([" ".join(name_words(name)) or name for name in named[:MOST_WORDS]])
    more = f" and {len(named) - MOST_WORDS} more" if len(named) > MOST_WORDS else ""
    told = (
        f"That names {len(named)} tables at once: {some}{more}. One question cannot join them all:"
        " name the one that is to be counted or listed first."
    )
    kept = {"chain": [], "last": without_rows("sql")}
    return {"told": told, "failure": TOO_MANY, **kept, **query_step(state, f"{len(named)} tables are too many.")}


def in_words(state: QueryState) -> str:
    """What went wrong, for the user."""
    is_changed = CHANGED in state["warnings"]
    problem = "" if is_changed else state["problem"]
    ended = problem and (problem if problem.endswith((".", "?", "!")) else f"{problem}.")
    ended = ended[:1].upper() + ended[1:]
    remedy = CHANGED_SINCE if is_changed else TRY
    return state["told"] or " ".join(filter(None, [NO_SQL, ended, remedy]))
