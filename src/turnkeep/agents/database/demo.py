"""The agent's rules for the demo model: one for each inner call, from the parts of its prompt. Those about SQL read the
question over the join graph; they know the words of the schema, and nothing of any particular question."""

from collections.abc import Mapping, Sequence
from datetime import date

from pydantic import TypeAdapter

from turnkeep.agents.database import prompts
from turnkeep.agents.database.desk import Desk, Schema
from turnkeep.agents.database.generalities import general_answer
from turnkeep.agents.database.manual.answers import answer_from
from turnkeep.agents.database.planning.plans import plan_joins
from turnkeep.agents.database.reading.asked import Asked
from turnkeep.agents.database.reading.reader import tables_of
from turnkeep.agents.database.routing import route_by_rules
from turnkeep.agents.database.writing.dialects import Dialect
from turnkeep.agents.database.writing.steps import CannotWrite
from turnkeep.agents.database.writing.writer import write_sql
from turnkeep.models.demo import Rule
from turnkeep.records import JSON


def demo_rules(desk: Desk) -> Mapping[str, Rule]:
    """The rules over the schema that `desk` opens."""

    def select(parts: JSON) -> JSON:
        schema = desk.schema(_today(parts))
        asked = _asked(parts, schema, _today(parts))
        return {"tables": list(tables_of(asked)) if asked else []}

    def write(parts: JSON) -> JSON:
        schema = desk.schema(_today(parts))
        asked = _asked(parts, schema, _today(parts))
        if asked is None:
            return {"sql": ""}
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


def _asked(parts: JSON, schema: Schema, today: date) -> Asked | None:
    """Read over the whole schema, because an earlier line of the chain may speak of tables that the last does without;
    then over the tables that the prompt shows or names, where the reading needs others."""
    chain, known = parts["query"].split("\n"), _tables(parts)
    asked = schema.reader.read(chain, today=today)
    if asked is None or set(tables_of(asked)) <= set(known):
        return asked
    return schema.reader.read(chain, today=today, allowed=known)


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
