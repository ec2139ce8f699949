"""SQL databases behind SQLAlchemy, opened to be read only."""
