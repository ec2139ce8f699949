"""How the demo model reads a question about a database."""
