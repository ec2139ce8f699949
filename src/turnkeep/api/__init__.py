"""HTTP: requests in, JSON or server-sent events out. Knows no graph; importing it loads no LangGraph."""
