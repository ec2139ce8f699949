"""Answers known questions without a model; the comparison prefers a miss to a wrong match."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from turnkeep.kit import italian
from turnkeep.kit.documents import Document
from turnkeep.kit.words import STOP_WORDS, words
from turnkeep.records import JSON

# Words that another wording may add or omit. Question words, "with", "without", "before" and the like are not included:
# "quando si paga" and "come si paga" are different questions.
FILLERS = frozenset(
    words(
        """
        il lo la i gli le l un uno una di d del dello della dell dei degli delle a al allo alla all ai agli alle
        da dal dallo dalla dall dai dagli dalle in nel nello nella nell nei negli nelle su sul sulla sull e ed mi si ci
        the an of to in on my do does is are for
        """
    )
)
NEGATIONS = frozenset(words("non no ne mai senza nessun nessuno nessuna not never without none nobody t"))


@dataclass(frozen=True)
class Hit:
    """A matched question. `answer` is in its `language`; `articles` are ids; `score` is 1 for the same question."""

    id: str
    score: float
    domain: str
    language: str
    answer: str
    articles: Sequence[str]


class Faq:
    """Answers as returned by `read_answer`."""

    def __init__(self, answers: Sequence[Document] = ()):
        self.answers = tuple(answers)
        asked = [(question, answer) for answer in answers for question in answer.metadata["questions"]]
        self._exact = {" ".join(words(question)): (question, answer) for question, answer in asked}
        self._content = [(content(question), question, answer) for question, answer in asked]

    def match(self, message: str, threshold: float = 0.9) -> Hit | None:
        """Return the same question after normalising, or one with all content words of the message, in their order, and
        few others: the message's words are at least `threshold` of its own."""
        if same := self._exact.get(" ".join(words(message))):
            return _hit(*same, 1.0)
        asked, best = content(message), None
        for own, question, answer in self._content:
            share = len(asked) / len(own) if own and is_within(asked, own) and marks(asked) == marks(own) else 0.0
            if share >= threshold and (best is None or share > best.score):
                best = _hit(question, answer, round(share, 3))
        return best

    def questions_by_article(self, language: str) -> Mapping[str, Sequence[str]]:
        """Return the questions in a language, keyed by the ids of the articles that answers are based on."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for answer in self.answers:
            for id_ in answer.metadata["articles"]:
                found[id_] += (one for one in answer.metadata["questions"] if language_of(one) == language)
        return found


def _hit(question: str, answer: Document, score: float) -> Hit:
    language, about = language_of(question), answer.metadata
    text = about["answer_en"] if language == "en" and about["answer_en"] else answer.text
    return Hit(answer.id, score, about["domain"], language, text, about["articles"])


def content(text: str) -> list[str]:
    return [word for word in words(text) if word not in FILLERS]


def is_within(asked: Sequence[str], own: Sequence[str]) -> bool:
    """Return whether `own` has the words of `asked` in order: "il datore querela il socio" is not its reverse."""
    rest = iter(own)
    return all(word in rest for word in asked)


def marks(asked: Iterable[str]) -> list[str]:
    """Return the words that alone can reverse an answer: numbers and negations."""
    return [word for word in asked if word in NEGATIONS or any(map(str.isdigit, word))]


def language_of(question: str) -> str:
    english, own = (sum(word in known for word in words(question)) for known in (STOP_WORDS, italian.STOP_WORDS))
    return "en" if english > own else "it"


def read_answer(row: JSON) -> Document:
    """Read a line of `id`, `questions`, `answer`, optional `domain`, `answer_en`, `articles`; raises ValueError."""
    questions, articles = row.get("questions"), row.get("articles", [])
    for name, value in (("questions", questions), ("articles", articles)):
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise ValueError(f'"{name}" must be a list of texts; correct it')
    for name in ("id", "answer"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise ValueError(f'"{name}" must be a non-empty string; correct or add it')
    if not questions:
        raise ValueError('"questions" is empty; add one')
    if not all(isinstance(row.get(name, ""), str) for name in ("domain", "answer_en")):
        raise ValueError('"domain" and "answer_en" must be strings')
    about = {"questions": questions, "articles": articles, "domain": row.get("domain", "")}
    return Document(row["id"], questions[0], row["answer"], metadata=about | {"answer_en": row.get("answer_en", "")})
