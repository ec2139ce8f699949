"""The inner calls of the agent `database` over its sample, as tests of served models play them."""

from wire import calls, says
from wire_talk import MADE_UP, Inner, Json, MadeUp, Prose

COUNTED = "How many technicians are active?"
UNSURE = "What about the vehicles?"
CLOSED = "How do I close a work order?"
GREETED = "Good morning!"
THIS_YEAR, LAST_MONTH = "How many work orders were completed this year?", "and last month?"

VANS = calls("Statement", {"sql": "SELECT COUNT(*) AS vans FROM vehicle"})
STAFF = calls("Statement", {"sql": "SELECT COUNT(*) AS staff FROM employee"})
UNKNOWN = calls("Statement", {"sql": "SELECT shoeSize FROM employee"})
SELECTED = calls("TableChoice", {"tables": ["employee"]})
CHOSEN = calls("SectionChoice", {"sections": ["closing-work-orders#close-a-work-order"]})
TOLD = says("There they are.")
EMPTY_ATTEMPT = '{"sql": "", "problem": '
"""What a turn keeps of a statement that did not come."""

READ_AS_IT_IS = calls("Reading", {"depends_on_history": False, "standalone_query": GREETED})

COMPLETED = "How many work orders were completed in February 2030?"
ORDERS = calls("TableChoice", {"tables": ["workOrder"]})
ORDERED = calls("Statement", {"sql": "SELECT COUNT(*) AS orders FROM workOrder"})

TYPED = {
    "database.route": Inner(
        agent="database",
        message=UNSURE,
        tool="RouteResult",
        result={"route": "general"},
        used='"route": "general"',
        stood_in="routed_by_rules",
        after=(says("Gladly."),),
        instead=(calls("TableChoice", {"tables": ["vehicle"]}), VANS, TOLD),
    ),
    "database.select_tables": Inner(
        agent="database",
        message=COUNTED,
        tool="TableChoice",
        result={"tables": ["vehicle"]},
        used="Tables: vehicle.",
        stood_in="tables_by_rules",
        after=(STAFF, TOLD),
    ),
    "database.write_sql": Inner(
        agent="database",
        message=COUNTED,
        tool="Statement",
        result={"sql": "SELECT MAX(hiredOn) AS newest FROM employee"},
        used="AS newest",
        stood_in=EMPTY_ATTEMPT,
        before=(SELECTED,),
        after=(TOLD,),
        instead=(STAFF, TOLD),
    ),
    "database.correct_sql": Inner(
        agent="database",
        message=COUNTED,
        tool="Statement",
        result={"sql": "SELECT MAX(hiredOn) AS newest FROM employee"},
        used="AS newest",
        stood_in=EMPTY_ATTEMPT,
        before=(SELECTED, UNKNOWN),
        after=(TOLD,),
        instead=(STAFF, TOLD),
    ),
    "database.choose_sections": Inner(
        agent="database",
        message=CLOSED,
        tool="SectionChoice",
        result={"sections": ["leave#report-sickness"]},
        used="Leave and absences > Report sickness",
        stood_in="sections_by_rules",
        after=(says("Gladly."),),
    ),
    "understand.read of database": Inner(
        agent="database",
        message=LAST_MONTH,
        tool="Reading",
        result={"depends_on_history": True, "standalone_query": COMPLETED},
        used=COMPLETED,
        stood_in="reformulation_failed",
        said=(THIS_YEAR,),
        after=(ORDERS, ORDERED, TOLD),
    ),
    "memory.fold of database": Inner(
        agent="database",
        message=GREETED,
        tool="Summaries",
        result={"messages": "The user greets often."},
        used="The user greets often.",
        stood_in="memory_by_rules",
        said=(GREETED,) * 10,
        after=(READ_AS_IT_IS, says("Hello again.")),
    ),
}

WORDED = {
    "database.answer": Prose("database", COUNTED, "So many are at work.", before=(SELECTED, STAFF)),
    "database.manual": Prose(
        "database", CLOSED, "Open it and close it [closing-work-orders#close-a-work-order].", before=(CHOSEN,)
    ),
    "database.general": Prose("database", GREETED, "Good morning to you."),
}

A_BOUND: Json = {"depends_on_history": True, "standalone_query": f"How many work orders over {MADE_UP} in May 2029?"}
INVENTIONS = {
    "database.answer": MadeUp(WORDED["database.answer"], (SELECTED, STAFF, says(f"There are {MADE_UP} of them."))),
    "database.manual": MadeUp(WORDED["database.manual"], (CHOSEN, says(f"Wait for {MADE_UP} seconds."))),
    "understand.read of database": MadeUp(
        TYPED["understand.read of database"], (calls("Reading", A_BOUND), ORDERS, ORDERED, TOLD)
    ),
    "memory.fold of database": MadeUp(
        Inner("database", COUNTED, "Summaries", {}, "", "", said=(GREETED,) * 10),
        (
            calls("Summaries", {"messages": f"They lack {MADE_UP}."}),
            calls("Reading", {"depends_on_history": False, "standalone_query": COUNTED}),
            SELECTED,
            STAFF,
            says(f"You lack {MADE_UP}."),
        ),
    ),
}
