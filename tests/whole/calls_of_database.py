"""The inner calls of the agent `database` over its sample, as tests of served models play them."""

from typing import Any

from wire import Answer, calls, says
from wire_talk import MADE_UP, Inner, MadeUp, Prose

COUNTED = "How many technicians are active?"
CLOSED = "How do I close a work order?"
GREETED = "Good morning!"
SECTION = "closing-work-orders#close-a-work-order"


def ask(question: str, *tables: str, **others: Any) -> dict[str, Any]:
    fields = {"kind": "sql", "goes_on": False, "words": [], "pages": [], "rows": "first", **others}
    return {"question": question, "tables": list(tables), **fields}


def reads(*asks: dict[str, Any], language: str = "en") -> Answer:
    return calls("Reading", {"language": language, "asks": list(asks)})


def writes(sql: str = "", **others: Any) -> Answer:
    fields = {"kind": "sql", "understood_as": "", "left_out": [], "need_tables": [], "ask_back": "", **others}
    return calls("Written", {"sql": sql, **fields})


def rewrites(*sentences: str) -> Answer:
    """In place of sentences that were refused."""
    return calls("Rewritten", {"sentences": list(sentences)})


OF_STAFF = ask(COUNTED, "employee")
OF_MANUAL = ask(CLOSED, kind="manual", pages=["closing-work-orders"], words=["close", "work", "order"])
READ, READ_MANUAL = reads(OF_STAFF), reads(OF_MANUAL)
READ_GREETING = reads(ask(GREETED, kind="general"))
STAFF = writes("SELECT COUNT(*) AS staff FROM employee")
UNKNOWN = writes("SELECT shoeSize FROM employee")
NEWEST: dict[str, Any] = {
    "kind": "sql",
    "understood_as": "",
    "sql": "SELECT MAX(hiredOn) AS newest FROM employee",
    "left_out": [],
    "need_tables": [],
    "ask_back": "",
}
TOLD = says("There they are.")
AT_WORK = "How many technicians are at work?"

TYPED = {
    "database.read": Inner(
        agent="database",
        message=COUNTED,
        tool="Reading",
        result={"language": "en", "asks": [ask(AT_WORK, "employee")]},
        used=AT_WORK,
        stood_in=None,
        after=(STAFF, TOLD),
    ),
    "database.write_sql": Inner(
        agent="database",
        message=COUNTED,
        tool="Written",
        result=NEWEST,
        used="AS newest",
        stood_in="sql_refused",
        before=(READ,),
        after=(TOLD,),
    ),
    "database.correct_sql": Inner(
        agent="database",
        message=COUNTED,
        tool="Written",
        result=NEWEST,
        used="AS newest",
        stood_in="sql_refused",
        before=(READ, UNKNOWN),
        after=(TOLD,),
    ),
    "memory.fold of database": Inner(
        agent="database",
        message=GREETED,
        tool="Summaries",
        result={"messages": "The user greets often."},
        used="The user greets often.",
        stood_in="memory_by_rules",
        said=(GREETED,) * 10,
        after=(READ_GREETING, says("Hello again.")),
    ),
}

WORDED = {
    "database.answer": Prose("database", COUNTED, "So many are at work.", before=(READ, STAFF)),
    "database.answer from the manual": Prose(
        "database", CLOSED, f"Open it and close it [{SECTION}].", before=(READ_MANUAL,)
    ),
    "database.talk": Prose("database", GREETED, "Good morning to you.", before=(READ_GREETING,)),
}

INVENTIONS = {
    "database.answer": MadeUp(
        WORDED["database.answer"],
        (READ, STAFF, says(f"There are {MADE_UP} of them."), rewrites(f"There are {MADE_UP} or so.")),
    ),
    "database.answer from the manual": MadeUp(
        WORDED["database.answer from the manual"],
        (READ_MANUAL, says(f"Wait for {MADE_UP} seconds."), rewrites(f"Wait {MADE_UP}.")),
    ),
}
