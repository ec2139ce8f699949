"""Which tables a question needs, and how they are joined. What a caller may not read does not exist for it."""

from collections.abc import Sequence
from typing import Literal

from langgraph.runtime import Runtime

from turnkeep_agents.database import prompts
from turnkeep_agents.database.desk import Day
from turnkeep_agents.database.nodes.outcomes import (
    LINK_ASSUMED,
    TABLES_BY_RULES,
    failed,
    nothing_fits,
    nothing_there,
    too_many,
)
from turnkeep_agents.database.nodes.replies import Update, reply
from turnkeep_agents.database.nodes.workplace import Workplace, query_step, question_of
from turnkeep_agents.database.planning.nearby import nearby
from turnkeep_agents.database.planning.plans import plan_joins
from turnkeep_agents.database.state import QueryState, without_rows
from turnkeep_agents.database.wall.database import DatabaseError
from turnkeep.models.calls import try_typed
from turnkeep.records import RunContext


class SelectionNodes(Workplace):
    async def select_tables(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        """Those that a model picks among the ones that rules rank."""
        runtime.stream_writer({"event": "tool_start", "tool": "sql"})
        try:
            day = await self.day(runtime)
        except DatabaseError as error:
            return failed(state, error)
        if not day.allowed:
            return nothing_there(state)
        named = day.schema.reader.named_tables(_newest(state), day.allowed)
        if len(named) > self.tuning.max_tables:
            return too_many(state, named)
        question, most = question_of(state), self.tuning.max_context_tables
        ranked = [one.table for one in day.schema.ranker.rank(question, allowed=day.allowed, limit=most)]
        chosen, missing, warnings = await self._choose(question, ranked, day, self.facts(day, runtime))
        if not chosen:
            return nothing_fits(state, missing, nearby(day.schema.graph, ranked or day.schema.main_tables, day.allowed))
        return {
            "tables": chosen,
            "warnings": [*state["warnings"], *warnings],
            **query_step(state, f"Tables: {', '.join(chosen)}."),
        }

    async def plan_joins(self, state: QueryState, runtime: Runtime[RunContext]) -> Update:
        day, tuning = await self.day(runtime), self.tuning
        plan = plan_joins(
            day.schema.finder,
            state["tables"],
            question_of(state),
            allowed=day.allowed,
            max_suggested=tuning.max_suggested_paths,
            max_relationships=tuning.max_relationships,
        )
        was_asked = bool(plan.clarification) and _said_last(state).startswith(plan.clarification)
        return {
            "tables": list(plan.tree.tables),
            "plan": list(plan.notes),
            "asking": "" if was_asked else plan.clarification,
            "warnings": [*state["warnings"], *([LINK_ASSUMED] if was_asked else [])],
            **query_step(state, f"Planned {len(plan.tree.joins)} joins."),
        }

    async def clarify(self, state: QueryState) -> Update:
        said = self.speaker.say(state["messages"], state["asking"])
        last = without_rows("clarify")
        return {**reply(state, said), "route": "clarify", "last": last, **query_step(state, "Asked back.")}

    def after_start(self, state: QueryState) -> Literal["select_tables", "check_sql"]:
        """A page of rows asks for the last statement again."""
        return "check_sql" if state["sql"] else "select_tables"

    def after_select_tables(self, state: QueryState) -> Literal["plan_joins", "tell_failure"]:
        return "tell_failure" if state["failure"] else "plan_joins"

    def after_plan_joins(self, state: QueryState) -> Literal["clarify", "write_sql"]:
        return "clarify" if state["asking"] else "write_sql"

    async def _choose(
        self, question: str, ranked: Sequence[str], day: Day, facts: Sequence[str]
    ) -> tuple[list[str], list[str], list[str]]:
        """The model's choice, without what it made up, and the words that it found nothing for; the best ranked where
        its answer cannot be used."""
        if not ranked:
            return [], [], []
        further = [name for name in sorted(day.allowed) if name not in ranked][: self.tuning.max_named_tables]
        notes = [*facts, *([f"{prompts.FURTHER}{', '.join(further)}"] if further else [])]
        documents = self.documents(day, ranked, question, most_columns=self.tuning.max_columns)
        prompt = prompts.select(question, documents, notes, self.tuning.max_tables)
        found = await try_typed(self.models.small, prompts.SELECT_CALL, prompt)
        known = [name for name in dict.fromkeys(found.tables) if name in day.allowed] if found else []
        if found is None or (found.tables and not known):
            return list(ranked[: self.tuning.max_fallback_tables]), [], [TABLES_BY_RULES]
        return known[: self.tuning.max_tables], found.missing, []


def _newest(state: QueryState) -> str:
    return state["chain"][-1] if state["chain"] else ""


def _said_last(state: QueryState) -> str:
    """The reply before the question. Who was asked once and did not say gets the likeliest link, and a warning."""
    return next((str(message.text) for message in reversed(state["messages"][:-1]) if message.type == "ai"), "")
