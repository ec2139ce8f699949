"""HTTP: requests in, JSON or server-sent events out. It has no graphs; importing it does not load LangGraph."""
