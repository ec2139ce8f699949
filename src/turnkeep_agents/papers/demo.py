"""The agent's rules for the demo model: one for each inner call, from the parts of its prompt. They read the same
documents that a model would be given, and know nothing of any particular question."""

import re
from collections.abc import Mapping, Sequence

from turnkeep_agents.papers.corpus import Corpus
from turnkeep_agents.papers.extract import asked_terms, best_sentences
from turnkeep_agents.papers.facts import asked_facts, fact_sentence
from turnkeep_agents.papers.prompts import ABOUT, SEARCHED
from turnkeep.blocks.guardrails import score_scope
from turnkeep.blocks.rarity import Weights, stems
from turnkeep.blocks.words import words
from turnkeep_demo.model import Rule
from turnkeep.records import JSON

RELEVANT_COVERAGE = 0.34
RELEVANT_SHARE = 0.6
RELATED_COVERAGE = 0.6
NAMED_SCORE = 80
MOST_CHARACTERS = 2_000

_GREETING = re.compile(r"^\W*(hi|hello|hey|good (morning|afternoon|evening)|greetings)\b", re.IGNORECASE)
_THANKS = re.compile(r"^\W*(\w+\W+){0,2}(thanks|thank you|thx|cheers|bye|goodbye)\b(\W+\w+){0,4}\W*$", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(compare[ds]?|comparison|differ(s|ent|ence|ences)?|versus|vs|better|worse|or|relate[ds]?|improve[ds]?)\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\b(they|them|their|these|those|both|each|papers)\b", re.IGNORECASE)
# What a question wants, and what sentences that give it tend to hold.
_CUES = (
    (
        r"\bhow (many|much|fast|large|big|well|accurate|long)\b"
        r"|\b(results?|accuracy|scores?|performance|size|parameters)\b",
        r"\d",
    ),
    (
        r"\b(limit\w*|weak\w*|drawback\w*|disadvantage\w*|shortcoming\w*|fail\w*|problems?|criticis\w*)\b",
        r"\b(struggl\w+|limit\w*|still|fail\w*|however|hard|costly|slow|expensive|bias|difficult)\b",
    ),
    (r"\b(data|trained|dataset|corpus)\b", r"\b(data|dataset|corpus|tokens|trained on|images|text)\b"),
    (r"\bwhy\b|\b(advantage|benefit)s?\b", r"\b(because|so|lets?|without|reduces?|improve[ds]?|faster|less|fewer)\b"),
)
_ASKS_MORE = re.compile(r"\b(what (is|are|does)|how do(es)?|why|explain|describe)\b.*\band\b", re.IGNORECASE)
_WHICH = re.compile(r"\bwhich\b", re.IGNORECASE)
_CAPABILITIES = re.compile(
    r"\b(what|how) (can|could|do) (you|i) (do|help|ask|know|offer)\b|\bwho are you\b|\bhow does this work\b"
    r"|^\W*help\W*$",
    re.IGNORECASE,
)
_WANTS_LIST = re.compile(r"\b(papers|studies|articles|works|list|which methods|what methods)\b", re.IGNORECASE)


def demo_rules(corpus: Corpus) -> Mapping[str, Rule]:
    """The rules over the words of `corpus`."""
    rules = _Rules(corpus)
    by_call: Mapping[str, Rule] = {
        "papers.score_scope": rules.score_scope,
        "papers.grade": rules.grade,
        "papers.rewrite": rules.rewrite,
        "papers.answer": rules.answer,
        "papers.refuse": rules.refuse,
    }
    return {call: _bounded(rule) for call, rule in by_call.items()}


def _bounded(rule: Rule) -> Rule:
    """Of a long message the beginning is read: the patterns below take time that grows with the square of the text."""
    return lambda parts: rule({**parts, "query": parts["query"][:MOST_CHARACTERS]})


class _Rules:
    def __init__(self, corpus: Corpus):
        self._corpus = corpus
        papers = corpus.by_id.values()
        self._weights = Weights(_whole(paper.title, paper.text, paper.metadata) for paper in papers)

    def score_scope(self, parts: JSON) -> JSON:
        """A follow-up is judged with its topic, unless all that it asks about itself is foreign to the papers."""
        own = asked_terms(parts["query"])
        is_foreign = bool(own) and not any(map(self._weights.knows, own))
        topic = [] if is_foreign else [note.removeprefix(ABOUT) for note in parts["notes"]]
        found = score_scope(" ".join([parts["query"], *topic]), self._corpus.scope)
        if found.score < NAMED_SCORE and self._corpus.names.is_spelled_in(parts["query"]):
            return {"score": NAMED_SCORE, "reason": "The request names a paper."}
        return {"score": found.score, "reason": found.reason}

    def grade(self, parts: JSON) -> JSON:
        query = parts["notes"][0].removeprefix(SEARCHED)
        asked = asked_terms(query)
        coverage = {
            row["id"]: self._weights.coverage(asked, _whole(row["title"], row["text"], row["metadata"]))
            for row in parts["documents"]
        }
        enough = max(RELEVANT_COVERAGE, RELEVANT_SHARE * max(coverage.values(), default=0))
        named = set(self._corpus.names.find(query)) & coverage.keys()
        if named:
            enough = max(enough, RELATED_COVERAGE)
        relevant = [id_ for id_, share in coverage.items() if share >= enough or id_ in named]
        return {"relevant_ids": relevant, "reason": f"{len(relevant)} documents share enough words with the question."}

    def rewrite(self, parts: JSON) -> JSON:
        """First without the words that no paper holds, then with the rarest known ones alone, then with those of the
        nearest title."""
        known = [stem for stem in asked_terms(parts["query"]) if self._weights.knows(stem)]
        spelled = {stem: word for word, stem in zip(words(parts["query"]), stems(parts["query"]), strict=True)}
        rarest = sorted(known, key=self._weights.of, reverse=True)
        titles = [row["title"] for row in parts["documents"]]
        rarest_words = [spelled[stem] for stem in rarest[: max(2, len(rarest) // 2)]]
        candidates = [" ".join(spelled[stem] for stem in known), " ".join(rarest_words)]
        candidates += [" ".join([*rarest_words[:1], title]) for title in titles]
        tried = {note.removeprefix(SEARCHED) for note in parts["notes"]}
        fresh = [query for query in candidates if query and query not in tried]
        return {"query": (fresh or [parts["query"]])[0][:500]}

    def answer(self, parts: JSON) -> str:
        if not parts["documents"]:
            return (
                f"I searched {self._corpus.field} for this, but none of the papers that I know answers it. "
                "A method, a title or an author to go by would help me to look again."
            )
        question, documents = parts["query"], parts["documents"]
        named = self._named(documents, question)
        facts = asked_facts(question)
        if facts:
            has_subject = bool(asked_terms(question))
            about = named or (documents if _PLURAL.search(question) and not has_subject else documents[:1])
            stated = " ".join(f"{fact_sentence(row, facts)} [{row['id']}]." for row in about)
            return f"{self._explain(parts, about[0])} {stated}" if _ASKS_MORE.search(question) else stated
        if len(named) > 1 or (_COMPARES.search(question) and len(documents) > 1):
            rows = [*named, *(row for row in documents if row not in named)]
            return self._side_by_side(parts, rows[: max(2, len(named))])
        if self._authored(documents, question) or _WANTS_LIST.search(question):
            return self._list(parts, self._authored(documents, question) or documents)
        if not named and _WHICH.search(question):
            asked = asked_terms(question)
            documents = sorted(documents, key=lambda row: -self._weights.coverage(asked, row["text"]))
        return self._explain(parts, (named or documents)[0])

    def refuse(self, parts: JSON) -> str:
        question, field = parts["query"], self._corpus.field
        offer = "Ask me what a paper found, how a method works, who wrote it, or how two approaches compare."
        if _GREETING.search(question):
            return f"Hello! I answer questions about papers on {field}. {offer}"
        if _THANKS.search(question):
            return f"You're welcome! If there is more you would like to know about papers on {field}, just ask."
        if _CAPABILITIES.search(question):
            return f"I answer questions about papers on {field}, and cite the ones that I use. {offer}"
        return f"That is outside what I know: I answer questions about papers on {field}. {offer}"

    def _explain(self, parts: JSON, row: JSON) -> str:
        text = " ".join(self._sentences(parts, row, 3))
        return f"{_cite(text, row)}{self._related(parts, row)}"

    def _related(self, parts: JSON, shown: JSON) -> str:
        others = [row for row in parts["documents"] if row["id"] != shown["id"]][:1]
        return "".join(f" Related work: “{row['title']}” [{row['id']}]." for row in others)

    def _side_by_side(self, parts: JSON, rows: Sequence[JSON]) -> str:
        return "\n\n".join(_cite(" ".join(self._sentences(parts, row, 2, again=True)), row) for row in rows)

    def _list(self, parts: JSON, rows: Sequence[JSON]) -> str:
        lines = [f"- {_headline(row)} [{row['id']}]: {self._sentences(parts, row, 1, again=True)[0]}" for row in rows]
        return "\n".join(["These papers fit:" if len(lines) > 1 else "This paper fits:", "", *lines])

    def _sentences(self, parts: JSON, row: JSON, count: int, *, again: bool = False) -> list[str]:
        answers = [one["content"] for one in parts["conversation"] if one["role"] == "assistant"]
        said = "" if again else " ".join(answers)
        asked = asked_terms(parts["query"])
        return best_sentences(row, asked, self._weights, count=count, said=said, cue=_cue(parts["query"]))

    def _named(self, rows: Sequence[JSON], question: str) -> list[JSON]:
        by_id = {row["id"]: row for row in rows}
        return [by_id[id_] for id_ in self._corpus.names.find(question) if id_ in by_id]

    def _authored(self, rows: Sequence[JSON], question: str) -> list[JSON]:
        """The papers of an author whom the question names."""
        said = set(re.findall(r"[\w-]+", question))
        return [row for row in rows if any(name.split()[-1] in said for name in row["metadata"]["authors"])]


def _cue(question: str) -> re.Pattern[str] | None:
    return next((_compiled(held) for wanted, held in _CUES if _compiled(wanted).search(question)), None)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _whole(title: str, text: str, metadata: JSON) -> str:
    return " ".join([title, text, *metadata["authors"], str(metadata["year"] or "")])


def _headline(row: JSON) -> str:
    year = row["metadata"]["year"]
    return f"“{row['title']}”" + (f" ({year})" if year else "")


def _cite(text: str, row: JSON) -> str:
    """`text` with the citation before its last full stop."""
    return f"{text.rstrip('.')} [{row['id']}]."
