"""A user's own papers in place of the bundled ones."""

from pathlib import Path

from turnkeep.agents.papers.corpus import read_paper
from turnkeep.blocks.documents import CorpusError, load_documents
from turnkeep.local import LocalError
from turnkeep.local.home import Home, write_atomically


def load_papers(home: Home, file: Path) -> int:
    """Checks a JSONL file and copies it to where the server looks; says how many papers it holds."""
    try:
        documents = load_documents(file, read_paper)
    except CorpusError as error:
        raise LocalError(str(error)) from error
    write_atomically(home.papers, file.read_bytes())
    return len(documents)
