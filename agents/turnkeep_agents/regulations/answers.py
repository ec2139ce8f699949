"""Limits of a reply: its citations, laws and figures must come from the sources, the user or the computation."""

import re
from collections.abc import Collection, Sequence

from turnkeep.kit.citations import Citing, IdForm, check_citations
from turnkeep.kit.documents import Document
from turnkeep.kit.prompting import PromptBuilder
from turnkeep.kit.verification import Sources
from turnkeep_agents.regulations.knowledge.articles import norm_of
from turnkeep_agents.regulations.knowledge.references import references

IDS = IdForm(re.compile(r"[A-Z]{1,6}(?:-[A-Za-z0-9]+){1,5}|doc-[0-9a-f]{6}-\d+"))


class Grounded(Citing):
    """`Citing`, and every law in a sentence must occur in a source or in the user's messages."""

    def __init__(
        self, documents: Sequence[Document], known_ids: Collection[str], sources: Sources, unheld: Sequence[str] = ()
    ):
        """`unheld` are laws that only the user has named: a sentence with a citation may not name them."""
        texts = [
            "\n".join([f"{one.title} [{one.id}]", *map(str, one.metadata.values()), one.text]) for one in documents
        ]
        super().__init__(documents, texts, known_ids, IDS, sources)
        self._unheld = [one for text in unheld for one in references(text)]
        self._references = [norm_of(one) for one in documents if "law" in one.metadata]
        self._references += [each for text in (*texts, *sources.known, *sources.asked) for each in references(text)]

    def problems(self, unit: str) -> Sequence[str]:
        named = references(unit)
        foreign = [unit[one.start : one.end] for one in named if not one.is_in(self._references)]
        if check_citations(unit, self.known_ids, IDS).cited:
            foreign += [unit[one.start : one.end] for one in named if one.is_in(self._unheld)]
        problems = [f"“{each}” is in none of the documents; leave it out" for each in foreign]
        for one in reversed(named):  # the numbers of laws are not figures
            unit = f"{unit[: one.start]}{' ' * (one.end - one.start)}{unit[one.end :]}"
        return problems or super().problems(unit)


def cited_in(prompt: PromptBuilder, known: Collection[str]) -> list[str]:
    """Return the ids cited in the replies of a prompt, newest reply first; `known` are those of the knowledge base."""
    shown = prompt.trimmed.messages
    replies = [check_citations(one["content"], known, IDS) for one in reversed(shown) if one["role"] == "assistant"]
    return list(dict.fromkeys(id_ for reply in replies for id_ in (*reply.cited, *reply.removed)))
