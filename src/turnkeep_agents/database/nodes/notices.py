"""What is told without asking the database or a model: that nothing can be changed, which tables there are, that a
message says nothing. The conversation goes on from where it was."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from turnkeep_agents.database.desk import Day
from turnkeep_agents.database.generalities import general_answer
from turnkeep_agents.database.joins.naming import name_words
from turnkeep_agents.database.nodes.replies import NOTHING_CHANGED
from turnkeep_agents.database.signs.contents import Contents
from turnkeep_agents.database.signs.wishes import Wish

MOST_TABLES = 250

ASK_INSTEAD = "I can show you what it is about, though: ask for it with what, which or how many."
ASK_HOW = "How it is done in the application is in the manual: ask me how."
NOTHING_ASKED = (
    "I see nothing in that which I could look up. Tell me what should be different in the last question, such as its"
    " period, a value or a grouping, or ask something new."
)
NO_FILTER = "The last question has no such condition, so there is nothing to take back."
NO_TABLES = "The database has no tables that I may read."


@dataclass(frozen=True, slots=True)
class Notice:
    """`why` is a few words for the ledger. Without a text, `route` leads to who answers."""

    text: str
    why: str
    warning: str = ""
    route: Literal["rag", "general"] = "general"


def of_a_wish(wish: Wish, *, has_manual: bool) -> Notice:
    """Where no particular record is meant, the manual may tell how it is done."""
    why = "it wants the data changed"
    if wish.is_of_any and has_manual:
        return Notice("", why, NOTHING_CHANGED, "rag")
    return Notice(ASK_HOW if has_manual else ASK_INSTEAD, why, NOTHING_CHANGED)


def of_nothing_asked() -> Notice:
    return Notice(NOTHING_ASKED, "it says nothing")


def of_no_filter() -> Notice:
    return Notice(NO_FILTER, "it takes back what is not there")


def of_another_language(asked: str, notes: Sequence[str]) -> Notice:
    return Notice(general_answer({"query": asked, "notes": list(notes)}), "it is not in English")


def of_contents(asked: Contents, day: Day, titles: Sequence[str]) -> Notice:
    """All tables that the caller may read, or the main ones and how many there are."""
    names = day.schema.tables_by_weight(day.allowed)
    count = f"{len(names)} table{'' if len(names) == 1 else 's'} that I can read"
    if not names:
        told = NO_TABLES
    elif asked == "tables" or len(names) <= len(day.schema.main_tables):
        more = f", and {len(names) - MOST_TABLES:,} more" if len(names) > MOST_TABLES else ""
        told = f"The database has {count}: {_named(sorted(names)[:MOST_TABLES])}{more}."
    else:
        main = _named(names[: len(day.schema.main_tables)])
        told = f"The database has {count}. The main ones: {main}. Ask for the tables, and I name them all."
    manual = f" The manual tells about {', '.join(titles)}." if titles and asked == "overview" else ""
    return Notice(f"{told}{manual}", "it asks what there is to ask about")


def _named(names: Sequence[str]) -> str:
    return ", ".join(" ".join(name_words(name)) or name for name in names)
