"""The filter before the database: SQL is parsed, checked and written anew, or refused."""
