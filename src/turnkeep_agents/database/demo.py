"""The agent's rules for the demo model: one for each inner call, from the parts of its prompt. Those about SQL read the
question over the join graph; they know the words of the schema, and nothing of any particular question."""

from collections.abc import Mapping, Sequence
from datetime import date

from pydantic import TypeAdapter

from turnkeep_agents.database import prompts
from turnkeep_agents.database.desk import Desk, Schema
from turnkeep_agents.database.generalities import general_answer
from turnkeep_agents.database.manual.answers import answer_from
from turnkeep_agents.database.planning.plans import plan_joins
from turnkeep_agents.database.reading.asked import Asked
from turnkeep_agents.database.reading.reader import tables_of
from turnkeep_agents.database.routing import route_by_rules
from turnkeep_agents.database.writing.dialects import Dialect
from turnkeep_agents.database.writing.steps import CannotWrite
from turnkeep_agents.database.writing.writer import write_sql
from turnkeep_demo.model import Rule
from turnkeep.records import JSON


def demo_rules(desk: Desk) -> Mapping[str, Rule]:
    """The rules over the schema that `desk` opens."""

    def select(parts: JSON) -> JSON:
        schema = desk.schema(_today(parts))
        asked = _asked(parts, schema, _today(parts))
        if asked is None or asked.missing:
            return {"tables": [], "missing": _missing(asked, parts, schema)}
        return {"tables": list(tables_of(asked))}

    def write(parts: JSON) -> JSON:
        schema = desk.schema(_today(parts))
        asked = _asked(parts, schema, _today(parts), is_again=bool(_noted(parts["notes"], prompts.NO_ROWS)))
        if asked is None or asked.missing:
            return {"sql": "", "missing": _missing(asked, parts, schema)}
        shown = _tables(parts)
        plan = plan_joins(schema.finder, tables_of(asked), parts["query"], allowed=shown)
        try:
            return {"sql": write_sql(asked, plan.tree, schema.graph, _dialect(parts), allowed=shown)}
        except CannotWrite:
            return {"sql": ""}

    return {
        "database.route": lambda parts: {"route": route_by_rules(parts["query"]).route},
        "database.select_tables": select,
        "database.write_sql": write,
        "database.correct_sql": write,
        "database.answer": _answer,
        "database.manual": lambda parts: answer_from(parts, desk.manual.weights),
        "database.general": general_answer,
    }


def _asked(parts: JSON, schema: Schema, today: date, *, is_again: bool = False) -> Asked | None:
    """Read over the whole schema, because an earlier line of the chain may speak of tables that the last does without;
    then over the tables that the prompt shows or names, where the reading needs others. `is_again` where it gave no
    rows."""
    chain, known = parts["query"].split("\n"), _tables(parts)
    reader = schema.reader.again if is_again else schema.reader
    asked = reader.read(chain, today=today)
    if asked is None or set(tables_of(asked)) <= set(known):
        return asked
    return reader.read(chain, today=today, allowed=known)


def _missing(asked: Asked | None, parts: JSON, schema: Schema) -> list[str]:
    """The words that no answer can do without, and that the schema does not know; where the rules make nothing of the
    question, all that it does not know."""
    found = asked.missing if asked else schema.reader.strange_words(parts["query"].split("\n")[-1])
    return [word[: prompts.LONGEST_WORD] for word in found[: prompts.MOST_MISSING]]


def _tables(parts: JSON) -> list[str]:
    shown = [document["id"] for document in parts["documents"]]
    return [*shown, *filter(None, _noted(parts["notes"], prompts.FURTHER).split(", "))]


def _answer(parts: JSON) -> str:
    """The sentences and the table of the notes."""
    notes = parts["notes"]
    said = [note.removeprefix(prompts.SAY) for note in notes if note.startswith(prompts.SAY)]
    return "\n\n".join(filter(None, [" ".join(said), _noted(notes, prompts.TABLE)]))


def _dialect(parts: JSON) -> Dialect:
    """The one that the prompt names."""
    return TypeAdapter(Dialect).validate_python(_noted(parts["notes"], prompts.DIALECT).removesuffix("."))


def _today(parts: JSON) -> date:
    return date.fromisoformat(_noted(parts["notes"], prompts.TODAY)[:10])


def _noted(notes: Sequence[str], label: str) -> str:
    """What stands behind `label` in the newest such note; empty where there is none."""
    return next((note.removeprefix(label) for note in reversed(notes) if note.startswith(label)), "")
