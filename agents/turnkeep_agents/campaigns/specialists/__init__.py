"""Five specialists, each with its own queries and its own rules for issues."""
