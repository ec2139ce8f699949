"""The files of the knowledge base: `*.jsonl`, of which those named `faq*` contain the FAQ, and Markdown, cut at
headings: "# D.Lgs. 33/2013" above "## Art. 5 Accesso civico" is that article."""

from collections.abc import Iterator
from pathlib import Path

from turnkeep.demo import sample
from turnkeep.kit.documents import CorpusError, Document, load_documents, read_document
from turnkeep.kit.pages import SUFFIXES, read_files, read_sections
from turnkeep.records import JSON
from turnkeep_agents.regulations.knowledge.articles import Knowledge
from turnkeep_agents.regulations.knowledge.faq import Faq, read_answer
from turnkeep_agents.regulations.knowledge.references import references

FIELDS = ("law", "article", "domain", "title_en", "text_en", "as_of")


def open_knowledge(path: str | None) -> Knowledge:
    """Return the knowledge in the folder `path`, or the bundled one; raises CorpusError with file, line and remedy."""
    return load_knowledge(Path(path) if path else sample("regulations", "REGULATIONS__KNOWLEDGE"))


def load_knowledge(folder: Path) -> Knowledge:
    """Load a folder, empty if it has no file of a supported kind; raises CorpusError."""
    if not folder.is_dir():
        raise CorpusError(f"{folder} is not a folder; name one with Markdown or JSONL")
    files = sorted(folder.glob("*.jsonl"))
    articles = [(file, one) for file in files if not is_faq(file) for one in load_documents(file, read_article)]
    articles += [(folder, one) for one in _sections(folder)]
    answers = [(file, one) for file in files if is_faq(file) for one in load_documents(file, read_answer)]
    known = _once(articles)
    for file, answer in answers:
        if missing := [id_ for id_ in answer.metadata["articles"] if id_ not in known]:
            raise CorpusError(
                f'{file}: "{answer.id}" is based on {", ".join(missing)}, which is missing; add or remove it'
            )
    return Knowledge(list(known.values()), Faq(list(_once(answers).values())))


def is_faq(file: Path) -> bool:
    return file.name.lower().startswith("faq")


def read_article(row: JSON) -> Document:
    """Read a line with `id` (or `_id`), `title`, `text` and optional `url` and FIELDS; raises ValueError."""
    article = read_document(row)
    facts = {name: article.metadata.get(name) or "" for name in FIELDS}
    if wrong := [name for name, value in facts.items() if not isinstance(value, str)]:
        raise ValueError(f'"{wrong[0]}" must be a string; correct it or leave it out')
    return Document(article.id, article.title, article.text, article.url, facts)


def _sections(folder: Path) -> Iterator[Document]:
    if not any(path.suffix.lower() in SUFFIXES for path in folder.rglob("*")):
        return
    for section in (section for file in read_files(folder) for section in read_sections(file)):
        norms = [norm for heading in reversed(section.path) for norm in references(heading)]  # innermost first
        law = next((one.law for one in norms if one.law), "")
        article = next((one.article for one in norms if one.article), "")
        facts = {**dict.fromkeys(FIELDS, ""), "law": law, "article": article}
        yield Document(section.id, " > ".join(section.path), section.text, metadata=facts)


def _once(found: list[tuple[Path, Document]]) -> dict[str, Document]:
    """Return the documents by id; raises CorpusError if two files have the same id."""
    held: dict[str, tuple[Path, Document]] = {}
    for file, document in found:
        if document.id in held:
            raise CorpusError(f'{file}: id "{document.id}" is also in {held[document.id][0]}; remove one')
        held[document.id] = (file, document)
    return {id_: document for id_, (_, document) in held.items()}


def rows_of(knowledge: Knowledge) -> tuple[list[JSON], list[JSON]]:
    """Return lines from which `read_article` and `read_answer` build the same knowledge."""
    articles = [
        {"id": one.id, "title": one.title, "text": one.text, "url": one.url} | one.metadata
        for one in knowledge.by_id.values()
    ]
    return articles, [{"id": one.id, "answer": one.text} | one.metadata for one in knowledge.faq.answers]
