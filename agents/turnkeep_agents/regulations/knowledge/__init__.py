"""What the agent knows: articles of statutes, answered questions, and how norms are cited."""
