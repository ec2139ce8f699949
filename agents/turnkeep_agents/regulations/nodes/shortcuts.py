"""The paths that need no model: a question of the FAQ, and a cached answer."""

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Literal

from langgraph.runtime import Runtime

from turnkeep.kit.checked_replies import place, send
from turnkeep.kit.nodes import message_of, replied, step
from turnkeep.placeholders import PLACEHOLDER
from turnkeep.records import JSON, RunContext
from turnkeep_agents.regulations import passages, prompts
from turnkeep_agents.regulations.nodes.prompting import READ_TOKENS, Prompting
from turnkeep_agents.regulations.state import RegulationsState

KEPT = ("route", "standalone_query", "language", "reading", "facts", "context_metadata", "choice", "steps", "sources")
"""The keys of a cached answer that are returned again."""


class Shortcuts(Prompting):
    def match_faq(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        """Answer a question of the FAQ, unless a document of the user may contradict it."""
        active = passages.listed(runtime.context.documents)
        hit = None if active else self.knowledge.faq.match(message_of(state), threshold=self.tuning.faq_threshold)
        # Text that is addressed to a model is shown as material all the same.
        has_findings = any(one.findings for one in runtime.context.documents.all())
        found: JSON = {"active": active, "warnings": [passages.SPEAKS_TO_MODEL] if has_findings else []}
        if hit is None:
            return found
        runtime.stream_writer({"event": "route_decision", "route": "faq"})
        reply = send(hit.answer, to=place("regulations", state["messages"], runtime))
        cited = [asdict(one) for one in self.knowledge.get(hit.articles, hit.language)]
        return {
            **found,
            "route": "faq",
            "reading": {"domain": hit.domain, "action": "explain", "composition": "pure_kb", "confidences": {}},
            "language": hit.language,
            "messages": [reply.message],
            "reply": reply.text,
            "sources": [
                {name: one[name] for name in ("id", "title", "url", "score")} | {"cited": True} for one in cited
            ],
            **step(state, f"The message is a question of the FAQ ({hit.id}, {hit.score:.2f})."),
        }

    def recall(self, state: RegulationsState, runtime: Runtime[RunContext]) -> JSON:
        """Return a cached answer to the same question if everything that it depends on is unchanged."""
        key = self._cache_key(state, runtime)
        known = self.cache.get(key) if key else None
        if known is None:
            return {"cache_key": key}
        runtime.stream_writer({"event": "route_decision", "route": known["route"]})
        reply = send(known["reply"], to=place("regulations", state["messages"], runtime))
        kept = {name: known[name] for name in KEPT}
        stepped = step(state, "The same was answered before, from the same sources and on the same day.")
        return {**kept, **replied(known, reply), **stepped}

    def after_match_faq(self, state: RegulationsState) -> Literal["recall", "__end__"]:
        return "__end__" if state["reply"] else "recall"

    def after_recall(self, state: RegulationsState) -> Literal["read", "__end__"]:
        return "__end__" if state["reply"] else "read"

    def _cache_key(self, state: RegulationsState, runtime: Runtime[RunContext]) -> str:
        """Return a key of everything that an answer depends on, so that no entry needs invalidation; empty if that
        includes documents or personal data, which others may not see. Without PII detection, an answer is reused for
        the same user only."""
        prompt = self.begin("", state, runtime, READ_TOKENS)
        conversation, context = prompt.trimmed.messages, runtime.context
        texts = [message_of(state), *(one["content"] for one in conversation)]
        if state["active"] or any(PLACEHOLDER.search(text) for text in texts):
            return ""
        parts = {
            "tenant": context.principal.tenant,
            "user": "" if self.tuning.pii else context.principal.user,
            "said": texts,
            "window": context.conversation_window,
            "today": f"{context.now:%Y-%m-%d}",
            "knowledge": self.knowledge.digest,
            "models": [self.models.name, self.models.small_name],
            "prompts": prompts.VERSION,
            "tuning": self.tuning.model_dump(),
        }
        return sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
