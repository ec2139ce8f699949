"""What a turn is going to do: the route, a search or a tool, and what lasts of it."""
