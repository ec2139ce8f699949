"""Replies in a model's words, as far as these can be trusted: a figure that nobody gave it is taken back, and so is an
address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage

from turnkeep_agents.database.nodes.links import LINK_REMOVED, unlinked
from turnkeep.blocks.figures import foreign_figures
from turnkeep.models.calls import DEMO_MODEL, MODEL_REFUSED, TextAnswer, TextCall, ask_text
from turnkeep.models.chat import Models

type Update = dict[str, Any]

FIGURE_REMOVED, MESSAGE_CUT, NOTHING_CHANGED = "figure_removed", "message_cut", "nothing_changed"
READS_ONLY = "Nothing can be changed from here, and nothing was: I only read the database."
CUT = "Your message is longer than I can read: what stands behind its first 1,000 characters is not in this answer."


@dataclass(frozen=True)
class Speaker:
    models: Models

    async def word(
        self,
        messages: Sequence[AnyMessage],
        call: TextCall,
        prompt: Sequence[BaseMessage],
        known: Sequence[str],
        by_rules: str,
        *,
        addresses: Sequence[str] = (),
    ) -> TextAnswer:
        """The model's words, or `by_rules` where they hold a figure that stands in none of `known`, or an address that
        stands in none of `addresses`."""
        said = await ask_text(self.models.main, call, prompt, run_id=run_id(messages))
        plain = self._unlinked(messages, said, addresses)
        if MODEL_REFUSED in said.warnings:
            return plain
        if LINK_REMOVED in plain.warnings:
            return replace(plain, text=by_rules)
        if not foreign_figures(said.text, [messages[-1].text, *known]):
            return said
        return replace(said, text=by_rules, warnings=(*said.warnings, FIGURE_REMOVED))

    async def free(self, messages: Sequence[AnyMessage], call: TextCall, prompt: Sequence[BaseMessage]) -> TextAnswer:
        """The model's words with figures of its own, where it is asked for what it knows itself."""
        said = await ask_text(self.models.main, call, prompt, run_id=run_id(messages))
        return self._unlinked(messages, said, ())

    def _unlinked(self, messages: Sequence[AnyMessage], said: TextAnswer, addresses: Sequence[str]) -> TextAnswer:
        """What the rules say has no links, and shows those of the rows in a way that must not be read as text."""
        text = said.text if self.models.is_demo else unlinked(said.text, [messages[-1].text, *addresses])
        return said if text == said.text else replace(said, text=text, warnings=(*said.warnings, LINK_REMOVED))

    def say(self, messages: Sequence[AnyMessage], text: str) -> TextAnswer:
        """Words of the rules, under the id that a model's would have."""
        warnings = (DEMO_MODEL,) if self.models.is_demo else ()
        return TextAnswer(text, str(run_id(messages)), warnings)


def reply(state: Mapping[str, Any], said: TextAnswer) -> Update:
    """The keys that a reply sets. Whoever answers, it begins with it that nothing was changed, where something was to
    be: rows alone read as if it had been. It ends with what was not read of the message."""
    warnings = list(dict.fromkeys([*said.warnings, *state["warnings"]]))
    text = f"{READS_ONLY} {said.text}" if NOTHING_CHANGED in warnings else said.text
    text = f"{text}\n\n{CUT}" if MESSAGE_CUT in warnings else text
    return {"messages": [AIMessage(text, id=said.id)], "reply": text, "warnings": warnings}


def step(state: Mapping[str, Any], sentence: str) -> Update:
    return {"reasoning_steps": [*state["reasoning_steps"], sentence]}


def run_id(messages: Sequence[AnyMessage]) -> UUID:
    """From the id of the question, so that a node that runs again replaces its message instead of adding one."""
    return uuid5(NAMESPACE_OID, f"database.reply:{messages[-1].id}")
