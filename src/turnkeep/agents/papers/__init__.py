"""`papers`: a research assistant that answers questions about arXiv papers from a corpus, with citations."""
