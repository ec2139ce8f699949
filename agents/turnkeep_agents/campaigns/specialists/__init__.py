"""Five specialists, each with its own queries and its own eye for what is wrong."""
