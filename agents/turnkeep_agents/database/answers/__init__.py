"""How results are shown to users and models, and what checks an answer."""
