"""The inner calls of the agent `database` over its sample, as tests of served models play them."""

from typing import Any

from wire import Answer, calls

COUNTED = "How many technicians are active?"


def ask(question: str, *tables: str, **others: Any) -> dict[str, Any]:
    fields = {"kind": "sql", "goes_on": False, "words": [], "pages": [], "rows": "first", **others}
    return {"question": question, "tables": list(tables), **fields}


def reads(*asks: dict[str, Any], language: str = "en") -> Answer:
    return calls("Reading", {"language": language, "asks": list(asks)})


def writes(sql: str = "", **others: Any) -> Answer:
    fields = {"kind": "sql", "understood_as": "", "left_out": [], "need_tables": [], "ask_back": "", **others}
    return calls("Written", {"sql": sql, **fields})
