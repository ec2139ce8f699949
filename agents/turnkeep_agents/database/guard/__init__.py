"""The filter before the database: SQL is parsed, checked and written again, or refused."""
