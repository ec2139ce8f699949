"""The agent's knowledge: articles of statutes, answered questions, and how norms are cited."""
