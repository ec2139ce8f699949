"""From a question to the tables that it needs and the joins between them."""
